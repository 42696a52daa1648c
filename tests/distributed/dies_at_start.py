"""Imported by rank 1, it is the end of it."""

import os
import signal

if os.environ.get("RANK") == "1":
    os.kill(os.getpid(), signal.SIGKILL)
