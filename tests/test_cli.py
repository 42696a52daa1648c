"""The command line: the demo end to end on a small model, and where it cannot open a notebook."""

import io
import subprocess
import sys
import webbrowser
from pathlib import Path
from typing import Any

import pytest
import torch.fx as fx
from rich.console import Console
from samples import SAMPLES, SMALL_CAP_MIB
from typer.testing import CliRunner

import bucketviz as bv
from bucketviz import cli, demo
from bucketviz.errors import CaptureError

SMALL = ["demo", "--layers", "1", "--world-size", "2", "--cap-mib", "0.5"]
runner = CliRunner()


def no_browser() -> Any:
    raise webbrowser.Error


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> tuple[int, str]:
    result = runner.invoke(cli.app, list(arguments), env={"COLUMNS": "80"})
    return result.exit_code, result.output


@pytest.mark.slow
def test_the_demo_writes_a_page_and_prints_proof_and_decisions(in_folder: Path) -> None:
    exit_code, text = invoke(*SMALL, "--html", "out.html")
    assert exit_code == 0
    assert "forward: 12 collectives → " in text
    proofs, ending = text.splitlines()[-4:-2], text.splitlines()[-1]
    assert [proof.split(":")[0] for proof in proofs] == ["✓ forward", "✓ backward"]
    assert all(proof.endswith("bitwise equal before and after") for proof in proofs)
    assert ending.startswith("wrote out.html")
    assert "bucketviz-payload" in (in_folder / "out.html").read_text(encoding="utf-8")


def test_a_backend_that_is_none_is_refused_before_anything_runs(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "capture", None)
    exit_code, text = invoke(*SMALL, "--html", "out.html", "--backend", "mpi")
    assert exit_code == 2
    assert "backend='mpi' is not known; choose lockstep, gloo, nccl" in text


@pytest.mark.slow
def test_without_a_browser_it_says_so_and_writes_a_page(in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda name: "found")
    monkeypatch.setattr(webbrowser, "get", no_browser)
    exit_code, text = invoke(*SMALL)
    assert exit_code == 0
    assert "no browser can open here, so the explorer went to a page instead" in text
    assert (in_folder / cli.FALLBACK_PAGE).is_file()


@pytest.mark.slow
@pytest.mark.parametrize("status", [0, 1])
def test_with_a_browser_it_opens_the_notebook_and_ends_as_jupyterlab_does(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], check: bool) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, status)

    monkeypatch.setattr(cli, "find_spec", lambda name: "found")
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("firefox"))
    monkeypatch.setattr(cli.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(cli.subprocess, "run", run)
    exit_code, text = invoke(*SMALL)
    assert exit_code == status
    assert ("JupyterLab did not open" in text) == bool(status)
    assert f"Opening {cli.NOTEBOOK.name}" in text
    assert [command[1:] for command in commands] == [["-m", "jupyterlab", str(cli.NOTEBOOK)]]
    assert list(in_folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--layers", "0"], "--layers"),
        (["demo", "--world-size", "1"], "--world-size"),
        (
            ["demo", "--cap-mib", "nan", "--layers", "1"],
            "cap_mib must be a positive number of MiB below 2**40, got nan",
        ),
        (["demo", "--cap-mib", "0", "--layers", "1"], "cap_mib must be a positive number of MiB below 2**40, got 0"),
        (["demo", "--cap-mib", "a lot"], "--cap-mib"),
        (["demo", "--html", "absent/out.html", "--layers", "1"], "name a file in a folder that exists"),
        (["demo", "--html", "", "--layers", "1"], "cannot write ''; name a file in a folder that exists"),
        (["demo", "--html", ".", "--layers", "1"], "name a file in a folder that exists"),
        (["show"], "No such command 'show'"),
    ],
)
def test_arguments_that_cannot_be_end_with_two_and_a_reason(
    in_folder: Path, arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bucketviz.demo.capture", refuse_to_start)
    exit_code, text = invoke(*arguments)
    assert exit_code == 2
    assert message in " ".join(text.replace("│", " ").split())


def refuse_to_start(*args: Any, **kwargs: Any) -> None:
    raise CaptureError("the demo began to work before it looked at its arguments")


def test_the_notebook_that_the_demo_opens_is_there() -> None:
    assert cli.NOTEBOOK.is_file()


@pytest.mark.parametrize(
    ("browser", "obstacle"),
    [("w3m", "only a text browser (w3m) is here"), ("/usr/bin/www-browser", "only a text browser"), ("firefox", "")],
)
def test_a_text_browser_is_no_place_for_a_notebook(
    monkeypatch: pytest.MonkeyPatch, browser: str, obstacle: str
) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda name: "found")
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser(browser))
    monkeypatch.setattr(cli.os, "geteuid", lambda: 1000)
    assert cli._obstacle().startswith(obstacle)
    assert bool(cli._obstacle()) == bool(obstacle)


def test_root_gets_a_page_since_jupyterlab_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda name: "found")
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("firefox"))
    monkeypatch.setattr(cli.os, "geteuid", lambda: 0)
    assert cli._obstacle() == "JupyterLab does not start for root"


def test_without_jupyterlab_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda name: None)
    assert 'pip install -e ".[lab]"' in cli._obstacle()


def test_a_narrow_terminal_takes_from_the_modules_only(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(cli, "console", Console(width=60, file=terminal))
    gm = SAMPLES["over_the_cap"]()
    for node in gm.graph.nodes:
        node.meta["nn_module_stack"] = {"m": ("layers.0.a.very.long.path.of.a.module.bold", fx.GraphModule)}
    cli._print_plan(bv.plan(gm, cap_mib=SMALL_CAP_MIB))
    assert terminal.getvalue().splitlines()[-7:-1] == [
        "#  collective  module             size  decision",
        "1  ag0         …f.a.module.bold  512 B  opened B0",
        "2  ag1         …f.a.module.bold  512 B  joined B0",
        "3  ag2         …f.a.module.bold  512 B  opened B1",
        "4  ag3         …f.a.module.bold  512 B  joined B1",
        "5  ag4         …f.a.module.bold  512 B  left alone: over cap",
    ]


def test_decisions_alike_in_a_row_are_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(cli, "console", Console(width=80, file=terminal))
    cli._print_plan(bv.plan(SAMPLES["over_the_cap"]()))
    assert terminal.getvalue().splitlines()[-4:] == [
        "#  collective  module   size  decision",
        "1  ag0                 512 B  opened B0",
        "   4 in a row, as far as ag4: joined B0",
        "",
    ]


def test_the_version() -> None:
    assert invoke("--version") == (0, f"bucketviz {bv.__version__}\n")


def test_the_package_runs_as_a_module() -> None:
    run = subprocess.run([sys.executable, "-m", "bucketviz", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout == f"bucketviz {bv.__version__}\n"


def test_help_names_the_extra_that_docs_needs() -> None:
    assert 'needs the extra "docs"' in " ".join(invoke("docs", "--help")[1].split())
