"""DOT laid out and drawn, by Graphviz or by the copy of it in pygraphviz, in a process of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec

from bucketviz.errors import ExplorerError

FORMATS = ("svg", "png")
LIMIT_SECONDS = 60
_PYGRAPHVIZ = """
import sys, pygraphviz
graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode())
sys.stdout.buffer.write(graph.draw(format=sys.argv[1], prog="dot"))
"""


def render(dot: str, picture_format: str) -> bytes:
    """Gives the picture as SVG or PNG.

    Raises:
        ExplorerError: where there is no dot, when it fails, or when it has not finished within a minute.
    """
    try:
        done = subprocess.run(_command(picture_format), input=dot.encode(), capture_output=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise ExplorerError(
            f"dot did not finish within {LIMIT_SECONDS} s; draw less: around=, with fewer names or hops"
        ) from error
    if done.returncode or not done.stdout:
        raise ExplorerError(f"dot could not draw the picture: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def _command(picture_format: str) -> list[str]:
    dot = shutil.which("dot")
    if dot is not None:
        return [dot, f"-T{picture_format}"]
    if find_spec("pygraphviz") is not None:
        return [sys.executable, "-c", _PYGRAPHVIZ, picture_format]
    raise ExplorerError(
        'svg and png are drawn by dot, and there is none here; pip install -e ".[pictures]" brings one, or install '
        "Graphviz (Debian: apt-get install graphviz); .dot, .html and .graphml need neither"
    )
