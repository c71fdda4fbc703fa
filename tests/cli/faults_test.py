"""Whatever fails at whichever write, is nothing lost, nothing doubled, and every file whole or the old one?

A library that is loaded before the C library (tests/faults/faulty_writes.cpp) lets the n-th write of a command fail, or kills it there.
Some of the writes are tried in every test run; RIDGE_SOAK=1 (make soak) tries each of the first 200."""

import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ridge_run import ANSWERED, BAD_INPUT, BUILD, ENVIRONMENT, RIDGE, ROOT, SANITIZED, ridge

FAULTS = BUILD / "libfaulty_writes.so"
SOAK = os.environ.get("RIDGE_SOAK", "") not in ("", "0")
FIRST = 200
KINDS = ("ENOSPC", "EPIPE", "EIO", "HALF", "KILL")
# Rows are written in pieces of 8,192 cases: many pieces, and a few rows of each.
PIECES = """scenario = 1
model = "llama-3.1-70b"
machine = "hgx-h100"
columns = ["case", "batch", "context", "step_time", "binds"]
[sweep]
batch = { from = 1, to = %d, step = 1 }
context = { from = 1, to = 8192, step = 1 }
""" % (220 if SOAK else 40)


def sweep_into(name, *more):
    """A database is written in pages: more rows for as many writes."""
    rows = 100 if name.endswith("sqlite") else 2
    return ["sweep", "pieces.toml", "--quiet", "--where", f"context<={rows} token", "--out", name, *more]


OLD = b"what was there before\n"


def chosen(calls):
    """The calls to try: all of the first ones, or the first five and some of the rest."""
    last = min(calls, FIRST)
    if SOAK:
        return range(1, last + 1)
    return sorted({*range(1, min(last, 5) + 1), *range(6, last + 1, max(1, (last - 5) // 3)), last})


@unittest.skipIf(SANITIZED, "a sanitizer has its own library to load first")
@unittest.skipIf(not FAULTS.exists(), "libfaulty_writes.so is not built")
class Faults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "pieces.toml").write_text(PIECES)

    def faulty(self, place, command, kind="", at=0, log=None):
        """The exit code, what was said, and whether the fault came."""
        environment = {**ENVIRONMENT, "LD_PRELOAD": str(FAULTS), "RIDGE_FAULT": kind, "RIDGE_FAULT_AT": str(at)}
        if log is not None:
            environment["RIDGE_FAULT_LOG"] = str(log)
        done = subprocess.run([RIDGE, *map(str, command)], cwd=place, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        return done.returncode, done.stderr.decode(errors="replace")

    def calls_of(self, place, command):
        log = self.folder / "calls"
        log.unlink(missing_ok=True)
        code, said = self.faulty(place, command, log=log)
        self.assertEqual(code, ANSWERED, said)
        return len(log.read_text().splitlines())

    def try_all(self, name, prepare, command, check):
        """prepare(folder), the command in it with a fault, check(folder, code, said, kind)."""
        with tempfile.TemporaryDirectory() as place:
            prepare(Path(place))
            calls = self.calls_of(place, command)
        tries = [(at, kind) for at in chosen(calls) for kind in KINDS]

        def one(what):
            at, kind = what
            with tempfile.TemporaryDirectory() as place:
                place = Path(place)
                prepare(place)
                code, said = self.faulty(place, command, kind, at)
                words = f"{name}: {kind} at call {at} of {calls}: exit {code}\n{said[:500]}"
                if kind == "KILL":
                    self.assertIn(code, (-signal.SIGKILL, ANSWERED), words)  # a checkpoint less: the call did not come
                else:
                    self.assertIn(code, (BAD_INPUT, ANSWERED), words)
                    if code == BAD_INPUT:
                        self.assertIn("hint:", said, words) if "standard output" not in said else None
                    # on a disk without any room, not even for what is overwritten, SQLite leaves what it needs to roll back later
                    kept = "rows.sqlite-journal" if kind == "HALF" else ""
                    left = [path.name for path in place.iterdir() if ".part" in path.name or path.name.endswith("-journal") and path.name != kept]
                    self.assertEqual(left, [], words)
                check(place, code, words, kind)
                return code

        before = time.process_time(), os.times().children_user + os.times().children_system
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            codes = list(pool.map(one, tries))
        after = os.times().children_user + os.times().children_system
        print(f"{name}: {len(tries)} faults at {len(set(at for at, _ in tries))} of {calls} calls, {codes.count(ANSWERED)} without effect, "
              f"{after - before[1]:.0f} s of processor time", flush=True)

    def whole_rows(self, path):
        """The rows of a database, checked."""
        with sqlite3.connect(path) as base:
            self.assertEqual(base.execute("pragma integrity_check").fetchone(), ("ok",))
            rows = base.execute("select * from cases order by rowid").fetchall()
            names = base.execute("select * from columns").fetchall()
        return names, rows

    def nothing(self, place):
        shutil.copy(self.folder / "pieces.toml", place)

    def test_sweeps(self):
        for ending in ("csv", "jsonl", "sqlite"):
            with self.subTest(ending):
                name = f"rows.{ending}"
                command = sweep_into(name)
                self.assertEqual(ridge(*command, cwd=self.folder).code, ANSWERED)
                database = ending == "sqlite"
                whole = self.whole_rows(self.folder / name) if database else (self.folder / name).read_bytes()

                def check(place, code, words, kind):
                    path = place / name
                    if code == ANSWERED:
                        self.assertEqual(self.whole_rows(path) if database else path.read_bytes(), whole, words)
                    if not database and path.exists():
                        part = path.read_bytes()
                        self.assertTrue(whole.startswith(part), words)
                        if kind not in ("KILL", "HALF"):
                            self.assertTrue(part == b"" or part.endswith(b"\n"), words)
                    again = ridge(*command, "--resume", cwd=place)
                    self.assertEqual(again.code, ANSWERED, f"{words}\nthen {again}")
                    self.assertEqual(self.whole_rows(path) if database else path.read_bytes(), whole, words)
                    done = ridge(*command, "--resume", cwd=place)
                    self.assertIn("nothing to do", done.err, words)

                self.try_all(f"sweep {ending}", self.nothing, command, check)

    def test_merges(self):
        for ending in ("csv", "sqlite"):
            with self.subTest(ending):
                for part in ("1", "2"):
                    run = ridge(*sweep_into(f"{part}.{ending}", "--shard", f"{part}/2"), cwd=self.folder)
                    self.assertEqual(run.code, ANSWERED, str(run))
                parts = [self.folder / f"1.{ending}", self.folder / f"2.{ending}"]
                name = f"all.{ending}"
                self.assertEqual(ridge("merge", name, *map(str, parts), cwd=self.folder).code, ANSWERED)
                database = ending == "sqlite"
                whole = self.whole_rows(self.folder / name) if database else (self.folder / name).read_bytes()
                before = [path.read_bytes() for path in parts]
                for old in (None, OLD):
                    if old and database:
                        continue  # it would be refused

                    def prepare(place):
                        if old is not None:
                            (place / name).write_bytes(old)

                    def check(place, code, words, kind):
                        path = place / name
                        if not path.exists():
                            self.assertTrue(code != ANSWERED and old is None, words)
                        elif code == ANSWERED or old is None or path.read_bytes() != old:
                            self.assertEqual(self.whole_rows(path) if database else path.read_bytes(), whole, words)
                        self.assertEqual([part.read_bytes() for part in parts], before, words)

                    self.try_all(f"merge {ending}" + (" over a file" if old else ""), prepare, ["merge", name, *parts], check)

    def test_whole_files(self):
        model = str(ROOT / "examples" / "06-your-model")
        commands = {"import --out": ["import", "model", model, "--name", "mine", "--out", "file"],
                    "why --save": ["why", "deepseek-v3", "--on", "gb200-nvl72", "--save", "file"],
                    "lifecycle --svg": ["lifecycle", "--svg", "file"]}
        for name, command in commands.items():
            self.assertEqual(ridge(*command, cwd=self.folder).code, ANSWERED)
            whole = (self.folder / "file").read_bytes()
            for old in (None, OLD):
                def prepare(place):
                    if old is not None:
                        (place / "file").write_bytes(old)

                def check(place, code, words, kind):
                    path = place / "file"
                    there = path.read_bytes() if path.exists() else None
                    self.assertIn(there, (whole, old), words)
                    if code == ANSWERED:
                        self.assertEqual(there, whole, words)

                with self.subTest(name, old=old):
                    self.try_all(name + (" over a file" if old else ""), prepare, command, check)

    def test_calibrations(self):
        """Of little evidence: a fit to all takes a minute."""
        evidence = self.folder / "evidence"
        evidence.mkdir()
        for path in (ROOT / "catalog" / "evidence").glob("*.csv"):
            lines = path.read_text().splitlines(keepends=True)
            (evidence / path.name).write_text("".join(lines[:1] + (lines[1:] if path.name == "sets.csv" else lines[1::400])))
        command = ["calibrate", "--evidence", evidence, "--out", "."]
        with tempfile.TemporaryDirectory() as place:
            run = ridge(*map(str, command), cwd=place)
            self.assertEqual(run.code, ANSWERED, str(run))
            whole = {path.name: path.read_bytes() for path in Path(place).iterdir()}

        def prepare(place):
            for name in list(whole)[::2]:
                (place / name).write_bytes(OLD)

        def check(place, code, words, kind):
            for path in place.iterdir():
                if ".part" not in path.name:
                    self.assertIn(path.read_bytes(), (whole[path.name], OLD), words)

        self.try_all("calibrate --out", prepare, command, check)


if __name__ == "__main__":
    unittest.main()
