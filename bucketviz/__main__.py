"""``python -m bucketviz``."""

from bucketviz.cli import app

app(prog_name="bucketviz")
