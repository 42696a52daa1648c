"""Two machines, played by two torchruns on loopback, each with a copy of the job's folder of its own."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import bucketviz as bv
from bucketviz.execution.job import status_path
from bucketviz.execution.status import read_status

NUM_MACHINES = 2
RANKS_PER_MACHINE = 2
WORLD_SIZE = NUM_MACHINES * RANKS_PER_MACHINE
LIMIT_S = 120.0


class Machines:
    """A job that runs on both.

    Attributes:
        folders: The copy of the job's folder that each machine has.
        texts: What torchrun and the ranks of each machine said.
        codes: With which code each torchrun ended.
        seconds_since_progress: From when a rank last got on to the end of the last torchrun.
    """

    def __init__(self, gm, folder, *imports, **options):
        original = bv.save_job(bv.bucket(gm), folder / "original", **options)
        self.folders = [Path(shutil.copytree(original, folder / f"machine-{index}")) for index in range(NUM_MACHINES)]
        self.texts, self.codes = [], []
        self.seconds_since_progress = 0.0
        self._outputs = [folder / f"output-{index}" for index in range(NUM_MACHINES)]
        self._imports = imports
        self._processes = []

    def start(self):
        """Starts both torchruns."""
        port = _free_port()
        self._processes = [self._torchrun(index, port) for index in range(NUM_MACHINES)]

    def kill(self, machine):
        """Kills the torchrun of a machine, which takes its ranks along."""
        self._processes[machine].send_signal(signal.SIGKILL)

    @contextmanager
    def frozen(self, machine):
        """Stops the torchrun of a machine and its ranks; they go when this is left."""
        first = machine * RANKS_PER_MACHINE
        ranks = [status.pid for status in self.statuses()[first : first + RANKS_PER_MACHINE]]
        for pid in (*ranks, self._processes[machine].pid):
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            self.kill(machine)

    def wait_for(self, machine, seconds):
        """Waits until the torchrun of a machine has ended, at most so long."""
        self._processes[machine].wait(seconds)

    def wait(self):
        """Waits until both have ended."""
        began = changed = time.monotonic()
        last = self.statuses()
        while None in [process.poll() for process in self._processes]:
            assert time.monotonic() - began < LIMIT_S, self._said()
            statuses = self.statuses()
            if [status.position for status in statuses] != [status.position for status in last]:
                last, changed = statuses, time.monotonic()
            time.sleep(0.1)
        self.seconds_since_progress = time.monotonic() - changed
        self.texts = self._said()
        self.codes = [process.returncode for process in self._processes]

    def statuses(self):
        """What each rank noted last, on its own machine."""
        machines = [self.folders[rank // RANKS_PER_MACHINE] for rank in range(WORLD_SIZE)]
        return [read_status(status_path(folder, rank)) for rank, folder in enumerate(machines)]

    def _said(self):
        return [output.read_text() for output in self._outputs]

    def stop(self):
        """Kills what still runs."""
        for process in self._processes:
            process.kill()
            process.wait()

    def _torchrun(self, index, port):
        registering = [part for module in self._imports for part in ("--import", module)]
        command = [
            *(sys.executable, "-m", "torch.distributed.run", f"--nnodes={NUM_MACHINES}", f"--node-rank={index}"),
            *(f"--nproc-per-node={RANKS_PER_MACHINE}", "--master-addr=127.0.0.1", f"--master-port={port}"),
            *("-m", "bucketviz.execution.worker", str(self.folders[index]), *registering),
        ]
        here = Path(__file__).parent
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join([str(here), str(here.parent), os.environ.get("PYTHONPATH", "")]),
        }
        with self._outputs[index].open("w") as output:
            return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
