"""Runs the program under test. Shared by the tests of this folder; needs RIDGE, RIDGE_ROOT and RIDGE_BUILD (ctest sets them)."""

import json
import os
import re
import resource
import shutil
import subprocess
import unittest
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(os.environ.get("RIDGE_ROOT", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("RIDGE_BUILD", ROOT / "build" / "release"))
RIDGE = str(Path(os.environ.get("RIDGE", BUILD / "ridge")).resolve())
SANITIZED = any(word in str(BUILD) for word in ("asan", "tsan"))
BRIEF = os.environ.get("RIDGE_BRIEF") == "1"  # ./test under sanitizers: leaves out what takes long there; make soak does not

ANSWERED, OUR_BUG, WRONG_USAGE, BAD_INPUT, DOES_NOT_FIT = 0, 1, 2, 3, 4

# The same bytes on every machine: no colors, no user settings; not a terminal, so the width is fixed.
ENVIRONMENT = {"NO_COLOR": "1", "LANG": "C.UTF-8", "PATH": os.environ.get("PATH", "/usr/bin:/bin")}
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        ENVIRONMENT[name] = os.environ[name]


MPIRUN = shutil.which("mpirun")
MPI_ENVIRONMENT = {**ENVIRONMENT, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "HOME": os.environ.get("HOME", "/tmp")}
NO_MPI = MPIRUN is None or not Path(RIDGE).with_name("ridge-mpi").exists()


@dataclass
class Run:
    command: str
    code: int
    out: str
    err: str
    raw: bytes  # standard output as it came
    seconds: float  # of processor time, so that a busy machine does not matter

    def json(self):
        return parse_json(self.out)

    def __str__(self):
        return f"{self.command}\nexit {self.code}\nstdout: {self.out[:1500]}\nstderr: {self.err[:1500]}"


def ridge(*arguments, cwd=None, program=RIDGE, env=None):
    """Arguments are text or bytes. Killed, and so failed, after 60 s of wall time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, *arguments], cwd=cwd, env=ENVIRONMENT if env is None else env, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    command = " ".join(["ridge", *(repr(a)[:80] for a in arguments)])
    return Run(command, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), done.stdout, seconds)


def command_names():
    """Every subcommand, as `ridge --help` lists them."""
    listed = ridge("--help").out.partition("\nExamples:")[0]
    return [re.split(r" {2,}", line.strip())[0] if "  " in line.strip() else " ".join(line.split()[:2])
            for line in listed.splitlines() if line.startswith("  ")]


def parse_json(text):
    """Refuses NaN and Infinity, which are not JSON though Python reads them."""

    def refuse(word):
        raise ValueError(f"{word} in JSON")

    return json.loads(text, parse_constant=refuse)


def not_numbers(text):
    """The lines of an answer that contain nan or inf as a word; not between quotes or in a path, where it is what somebody typed."""
    return [line for line in text.splitlines() if re.search(r"(?i)(?<![a-z\"/])-?(nan|inf|infinity)(?![a-z\"])", line)]


def bad_figures(answer):
    """Figures of `why --json` that are neither numbers nor null with "unbounded"."""
    return [key for key, figure in answer["figures"].items()
            if not (isinstance(figure["value"], (int, float)) or (figure["value"] is None and figure.get("unbounded") is True))]


def load_tests(loader, suite, pattern):
    """Of a test that imports it: SHARD=1/2 runs every second case, so that ctest can start one process a core."""
    number, of = (int(word) for word in os.environ.get("SHARD", "1/1").split("/"))
    every = [test for group in suite for test in group]
    return unittest.TestSuite(every[number - 1::of])
