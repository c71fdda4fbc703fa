"""Is what a person has kept when ridge writes: devices, links, databases, earlier rows? Can every write be ended, and does it say why
it failed?"""

import os
import re
import resource
import signal
import socket
import sqlite3
import stat
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from ridge_run import (ANSWERED, BAD_INPUT, ENVIRONMENT, MPI_ENVIRONMENT, MPIRUN, NO_MPI, RIDGE, ROOT, SANITIZED, WRONG_USAGE, load_tests, parse_json,
                       ridge)

CHALK = """scenario = 1
model = "deepseek-v3"
kv = "fp8"
[sweep]
machine = ["hgx-h200", "gb200-nvl72"]
batch = { from = 1, to = 1000, points = 40 }
context = { from = "1k", to = "100k", points = 30, log = true }
"""
LONG = CHALK.replace("points = 40", "points = 900").replace("points = 30", "points = 30")
# much work, in small pieces
SLOW = """scenario = 1
model = "deepseek-v3"
machine = "gb200-nvl72"
dp = 32
columns = ["case", "isl", "concurrency", "tpot"]
[sweep]
isl = { from = 1, to = 2000, points = %d }
concurrency = { from = 1, to = 1000, points = 200 }
""" % (3 if SANITIZED else 30)
WHY = ["why", "deepseek-v3", "--on", "gb200-nvl72"]
IMPORT = ["import", "model", str(ROOT / "examples" / "06-your-model"), "--name", "mine"]
SVG = ["lifecycle", "--svg"]


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in (("chalk", CHALK), ("long", LONG), ("slow", SLOW)):
            (self.folder / f"{name}.toml").write_text(text)

    def ridge(self, *arguments, code=ANSWERED, cwd=None):
        run = ridge(*map(str, arguments), cwd=cwd or self.folder)
        self.assertEqual(run.code, code, str(run))
        if code == BAD_INPUT:
            self.assertIn("hint:", run.err, str(run))
        return run

    def sweep(self, *arguments, code=ANSWERED):
        return self.ridge("sweep", *arguments, "--quiet", code=code)

    def shell(self, line, **options):
        return subprocess.run(["bash", "-c", line], cwd=self.folder, env={**ENVIRONMENT, "RIDGE": RIDGE}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60, **options)

    def parts(self, ending):
        for part in ("1", "2"):
            self.sweep("chalk.toml", "--shard", f"{part}/2", "--out", f"{part}.{ending}")
        return [f"1.{ending}", f"2.{ending}"]

    def writers(self):
        """Commands that want the name of a file behind them."""
        return {"save": [*WHY, "--save"], "svg": SVG, "out": [*IMPORT, "--out"], "sweep": ["sweep", "chalk.toml", "--quiet", "--out"]}

    def read(self, name):
        return (self.folder / name).read_bytes()

    def strangers(self):
        """Files that nobody asked for."""
        return [path.name for path in self.folder.iterdir() if ".part" in path.name or path.name.startswith(".")]


class Targets(Outputs):
    def test_links_are_written_through(self):
        for name, command in self.writers().items():
            for there in (True, False):
                with self.subTest(name, there=there):
                    place = self.folder / f"{name}{there}"
                    place.mkdir()
                    if there:
                        (place / "real").write_text("old")
                    (place / "middle").symlink_to("real")
                    (place / "link").symlink_to(place / "middle")
                    self.ridge(*command, place / "link")
                    self.assertTrue((place / "link").is_symlink() and (place / "middle").is_symlink())
                    self.assertGreater(len((place / "real").read_text()), 20)
        one, two = self.parts("csv")
        (self.folder / "merged").symlink_to("elsewhere")
        self.ridge("merge", "merged", one, two)
        self.assertTrue((self.folder / "merged").is_symlink())
        self.sweep("chalk.toml", "--out", "whole.csv")
        self.assertEqual(self.read("elsewhere"), self.read("whole.csv"))
        self.assertEqual(self.strangers(), [])

    def test_links_in_a_circle_are_an_error(self):
        (self.folder / "round").symlink_to("round")
        for name, command in self.writers().items():
            with self.subTest(name):
                self.assertIn("round", self.ridge(*command, "round", code=BAD_INPUT).err)

    def test_pipes_are_written_through(self):
        for name, command in {**self.writers(), "merge": None}.items():
            with self.subTest(name):
                pipe = self.folder / f"{name}.pipe"
                os.mkfifo(pipe)
                got = []
                reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
                reader.start()
                if command is None:
                    self.ridge("merge", pipe, *self.parts("csv"))
                else:
                    self.ridge(*command, pipe)
                reader.join(20)
                self.assertGreater(len(got[0]), 20)
                self.assertTrue(pipe.is_fifo())
                self.assertFalse(Path(f"{pipe}.state").exists())
        self.assertEqual(self.strangers(), [])

    @unittest.skipIf(os.geteuid() != 0, "only root makes device nodes")
    def test_devices_are_written_through(self):
        for name, command in {**self.writers(), "merge": None}.items():
            device = self.folder / f"{name}.null"
            try:
                os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
                device.write_bytes(b"")
            except OSError:
                self.skipTest("no device nodes here")
            with self.subTest(name):
                command = ["merge", device, *self.parts("csv")] if command is None else [*command, device]
                self.ridge(*command)
                self.assertTrue(device.is_char_device())
                self.assertFalse(Path(f"{device}.state").exists())
        self.assertEqual(self.strangers(), [])

    def test_a_socket_is_not_replaced(self):
        with socket.socket(socket.AF_UNIX) as served:
            served.bind(str(self.folder / "socket"))
            for name, command in self.writers().items():
                with self.subTest(name):
                    self.ridge(*command, "socket", code=BAD_INPUT)
                    self.assertTrue((self.folder / "socket").is_socket())
        self.assertEqual(self.strangers(), [])

    def test_a_picture_on_standard_output_loses_neither_text_nor_picture(self):
        text = self.ridge("lifecycle").raw
        for target in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "both", "-", "./both"):
            for redirect in (">", ">>"):
                with self.subTest(target, redirect=redirect):
                    (self.folder / "both").write_bytes(b"before\n")
                    done = self.shell(f'"$RIDGE" lifecycle --svg {target} {redirect} both')
                    self.assertEqual(done.returncode, ANSWERED, done.stderr)
                    both = self.read("both")
                    self.assertTrue(both.startswith(b"before\n") == (redirect == ">>"))
                    self.assertTrue(both.endswith(text), both[-300:])
                    self.assertIn(b"</svg>", both)
        piped = self.shell('"$RIDGE" lifecycle --svg /dev/stdout | cat').stdout
        self.assertTrue(b"</svg>" in piped and piped.endswith(text))
        other = self.shell('"$RIDGE" lifecycle --svg /dev/fd/7 7>seven')
        self.assertTrue(other.stdout == text and b"</svg>" in self.read("seven"), other.stderr)

    def test_rows_on_standard_output_leave_no_state(self):
        whole = self.sweep("chalk.toml").raw
        for target in ("/dev/stdout", "-"):
            done = self.shell(f'(echo before; "$RIDGE" sweep chalk.toml --quiet --out {target}) > rows')
            self.assertEqual(done.returncode, ANSWERED, done.stderr)
            self.assertEqual(self.read("rows"), b"before\n" + whole)
        self.assertFalse(Path("/dev/stdout.state").exists() or (self.folder / "-.state").exists())

    def test_permissions_stay(self):
        for name, command in self.writers().items():
            with self.subTest(name):
                path = self.folder / f"{name}.private"
                path.write_text("old")
                path.chmod(0o640)
                self.ridge(*command, path)
                self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o640)

    @unittest.skipIf(os.geteuid() == 0, "root may write everything")
    def test_a_file_kept_from_writing_stays(self):
        for name, command in self.writers().items():
            path = self.folder / f"{name}.kept"
            path.write_text("old")
            path.chmod(0o444)
            self.ridge(*command, path, code=BAD_INPUT)
            self.assertEqual(path.read_text(), "old")

    def test_the_longest_names_can_be_written(self):
        for name, command in self.writers().items():
            with self.subTest(name):
                self.ridge(*command, name + "x" * (249 - len(name)))  # and .state behind it

    def test_closed_streams_do_not_end_up_in_files(self):
        whole = self.sweep("chalk.toml").raw
        for closed in ("2>&-", ">&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed):
                done = self.shell(f'"$RIDGE" sweep chalk.toml --out rows.csv {closed}')
                self.assertEqual(done.returncode, ANSWERED, done.stderr)
                self.assertEqual(self.read("rows.csv"), whole)
        self.shell('"$RIDGE" lifecycle --svg life.svg 2>&-')
        self.assertTrue(self.read("life.svg").rstrip().endswith(b"</svg>") and self.read("life.svg").startswith(b"<svg"))
        # how far it is goes nowhere, and that is no disaster
        self.assertEqual(self.shell('"$RIDGE" sweep slow.toml --out slow.csv 2>/dev/full').returncode, ANSWERED)


class Limits(Outputs):
    def limited(self, *arguments, size):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        done = subprocess.run([RIDGE, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, env=ENVIRONMENT,
                              preexec_fn=limit, timeout=60)
        self.assertEqual(done.returncode, BAD_INPUT, (arguments, done.stderr))
        self.assertRegex(done.stderr, rb"could not be written: |database or disk is full")
        self.assertIn(b"hint:", done.stderr)

    def test_a_limit_of_file_size_is_an_error_of_every_writer(self):
        parts = {ending: self.parts(ending) for ending in ("csv", "sqlite")}
        commands = {**self.writers(), "merge.csv": None, "merge.sqlite": None, "sqlite": ["sweep", "chalk.toml", "--format", "sqlite", "--out"]}
        for name, command in commands.items():
            for size in (0, 1000):
                with self.subTest(name, size=size):
                    target = self.folder / name
                    if "sq" not in name:
                        target.write_text("old")
                    before = target.exists()
                    command = command or ["merge", target, *parts[name.partition(".")[2]]]
                    if size == 1000 and name in ("save", "out"):
                        continue  # they are shorter
                    self.limited(*(command if name.startswith("merge") else [*command, target]), size=size)
                    if name not in ("sweep", "sqlite"):
                        self.assertEqual(target.exists(), before)
                        self.assertTrue(not before or target.read_text() == "old")
        self.assertEqual(self.strangers(), [])

    @unittest.skipIf(SANITIZED, "a sanitizer wants terabytes of addresses")
    def test_threads_that_do_not_start_are_done_without(self):
        whole = self.sweep("chalk.toml").raw
        line = {kilobytes: f"ulimit -v {kilobytes}; " for kilobytes in (140_000, 250_000, 600_000)}
        for kilobytes, limit in line.items():
            with self.subTest(kilobytes=kilobytes):
                done = self.shell(limit + '"$RIDGE" sweep chalk.toml --quiet --threads 128')
                self.assertEqual((done.returncode, done.stdout), (ANSWERED, whole), done.stderr[:500])
                self.assertRegex(done.stderr, rb"gave \d+ of 128 threads")
        for command in ("infer openai/gpt-4o --samples 5000", "plan llama-3.1-70b --on hgx-h100 --tpot 30ms"):
            done = self.shell(f'ulimit -v 120000; "$RIDGE" {command}')
            self.assertEqual(done.returncode, ANSWERED, done.stderr[:500])

    @unittest.skipIf(SANITIZED, "a sanitizer ends without memory in its own way")
    def test_no_memory_is_explained(self):
        seen = set()
        for kilobytes in range(24_000, 120_000, 4_000):  # below, the program and its libraries have no room to start
            done = self.shell(f'ulimit -v {kilobytes}; exec "$RIDGE" sweep long.toml --quiet --out rows.csv --threads 4')
            seen.add(done.returncode)
            if done.returncode == BAD_INPUT:
                self.assertIn(b"no more memory", done.stderr)
            (self.folder / "rows.csv").unlink(missing_ok=True)
            (self.folder / "rows.csv.state").unlink(missing_ok=True)
        # 127: the loader itself found no room
        self.assertLessEqual(seen, {ANSWERED, BAD_INPUT, 127}, seen)
        self.assertIn(ANSWERED, seen)


class Databases(Outputs):
    def dump(self, name):
        with sqlite3.connect(self.folder / name) as base:
            return list(base.iterdump())

    def make(self, name, *statements):
        with sqlite3.connect(self.folder / name) as base:
            for statement in statements:
                base.execute(statement)

    def test_somebody_elses_database_is_refused(self):
        mine = {"mine": ["create table mine (a)", "insert into mine values (1)"],
                "cases": ["create table cases (a)", "insert into cases values (1)"],
                "both": ["create table cases (a)", "create table columns (name text, unit text, mine text)"],
                "view": ["create view v as select 1"]}
        parts = self.parts("sqlite")
        for name, statements in mine.items():
            with self.subTest(name):
                self.make(f"{name}.sqlite", *statements)
                before = self.dump(f"{name}.sqlite")
                for resume in ([], ["--resume"]):
                    run = self.sweep("chalk.toml", "--out", f"{name}.sqlite", *resume, code=BAD_INPUT)
                    self.assertIn(f"{name}.sqlite", run.err)
                    if not resume:
                        self.assertIn("did not write", run.err)
                self.assertIn("did not write", self.ridge("merge", f"{name}.sqlite", *parts, code=BAD_INPUT).err)
                self.assertEqual(self.dump(f"{name}.sqlite"), before)
                self.assertFalse((self.folder / f"{name}.sqlite.state").exists())
        (self.folder / "letter.sqlite").write_text("Dear reader, " * 100)
        self.assertIn("no database", self.sweep("chalk.toml", "--out", "letter.sqlite", code=BAD_INPUT).err)
        self.assertIn("no database", self.ridge("merge", "letter.sqlite", *parts, code=BAD_INPUT).err)
        self.assertTrue(self.read("letter.sqlite").startswith(b"Dear reader"))

    def test_no_text_takes_the_place_of_a_database(self):
        """Whichever writer is given its name; not even of one that ridge wrote."""
        parts = self.parts("csv")
        writers = {**self.writers(), "merge": ["merge"], "csv": ["sweep", "chalk.toml", "--quiet", "--format", "csv", "--out"],
                   "jsonl": ["sweep", "chalk.toml", "--quiet", "--format", "jsonl", "--out"]}
        del writers["sweep"]  # by its ending it would write a database
        for name in ("mine.sqlite", "mine.svg"):
            self.make(name, "create table mine (a)", "insert into mine values (1)")
        self.sweep("chalk.toml", "--out", "ours.sqlite")
        (self.folder / "link.svg").symlink_to("mine.sqlite")
        before = {name: self.read(name) for name in ("mine.sqlite", "mine.svg", "ours.sqlite", "ours.sqlite.state")}
        for command, words in writers.items():
            for name in ("mine.svg", "link.svg") if command == "svg" else ("mine.sqlite", "ours.sqlite", "link.svg"):
                with self.subTest(command, name=name):
                    run = self.ridge(*words, name, *(parts if command == "merge" else []), code=BAD_INPUT)
                    self.assertRegex(run.err, rf"{name}: is a database")
                    self.assertEqual({kept: self.read(kept) for kept in before}, before)
        self.assertEqual(self.strangers(), [])

    def test_something_added_to_a_sweep_is_not_lost(self):
        self.sweep("chalk.toml", "--out", "rows.sqlite")
        self.make("rows.sqlite", "create table notes (text)", "insert into notes values ('mine')")
        self.assertIn("notes", self.sweep("chalk.toml", "--out", "rows.sqlite", code=BAD_INPUT).err)
        self.assertIn("INSERT INTO \"notes\" VALUES('mine');", self.dump("rows.sqlite"))

    def test_ours_and_empty_ones_are_replaced(self):
        self.sweep("chalk.toml", "--out", "rows.sqlite")
        whole = self.dump("rows.sqlite")
        with sqlite3.connect(self.folder / "rows.sqlite") as base:
            self.assertEqual(base.execute("pragma application_id").fetchone(), (0x52494447,))
            base.execute("pragma application_id = 0")  # as an older ridge wrote it
        (self.folder / "zero.sqlite").write_bytes(b"")
        self.make("none.sqlite", "create table x (a)", "drop table x")
        for name in ("rows", "zero", "none"):
            self.sweep("chalk.toml", "--out", f"{name}.sqlite")
            self.assertEqual(self.dump(f"{name}.sqlite"), whole)

    def test_a_link_to_a_database_stays(self):
        self.sweep("chalk.toml", "--out", "real.sqlite")
        (self.folder / "link.sqlite").symlink_to("real.sqlite")
        self.sweep("chalk.toml", "--out", "link.sqlite")
        self.assertTrue((self.folder / "link.sqlite").is_symlink())
        self.assertEqual(len(self.dump("real.sqlite")), len(self.dump("link.sqlite")))


class Vouching(Outputs):
    """State and file."""

    def stopped(self, name, sweep="slow.toml"):
        """A sweep that was stopped after some rows."""
        process = subprocess.Popen([RIDGE, "sweep", sweep, "--out", name, "--threads", "1", "--quiet"], cwd=self.folder, env=ENVIRONMENT,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        state = self.folder / f"{name}.state"
        for _ in range(3000):
            if state.exists() and re.search(r"^done [1-9]", state.read_text(), flags=re.M):
                break
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), 130, process.stderr.read())
        process.stderr.close()

    def refuse(self, name, word, *more):
        before = self.read(name) if (self.folder / name).exists() else None
        run = self.sweep("slow.toml", "--out", name, "--resume", *more, code=BAD_INPUT)
        self.assertIn(name, run.err)
        self.assertIn(word, run.err)
        self.assertEqual(run.out, "")
        self.assertEqual(self.read(name) if (self.folder / name).exists() else None, before)

    def test_a_lost_state_loses_no_rows(self):
        for name in ("rows.csv", "rows.jsonl", "rows.sqlite"):
            with self.subTest(name):
                self.sweep("slow.toml", "--out", name)
                (self.folder / f"{name}.state").unlink()
                self.refuse(name, "state")

    def test_a_complete_state_is_not_believed_without_its_file(self):
        for name in ("rows.csv", "rows.jsonl", "rows.sqlite"):
            with self.subTest(name):
                self.sweep("slow.toml", "--out", name)
                whole = self.read(name)
                self.assertIn("nothing to do", self.sweep("slow.toml", "--out", name, "--resume").err)
                (self.folder / name).write_bytes(whole[:len(whole) // 2])
                self.refuse(name, "")
                (self.folder / name).write_bytes(b"")
                self.refuse(name, "")
                (self.folder / name).unlink()
                self.refuse(name, "is not there")
                if not name.endswith("sqlite"):
                    (self.folder / name).write_bytes(whole + b"1,2,3,4\n")
                    self.refuse(name, "longer")
                    (self.folder / name).write_bytes(whole[:2000] + (b"8" if whole[2000:2001] == b"7" else b"7") + whole[2001:])
                    self.refuse(name, "changed")
                (self.folder / name).write_bytes(whole)
                self.assertIn("nothing to do", self.sweep("slow.toml", "--out", name, "--resume").err)

    def test_changed_rows_of_a_database_are_noticed(self):
        for statement, word in (("delete from cases where rowid = 500", "row 500"), ("delete from cases where rowid > 500", "row 501"),
                                ("update cases set tpot = 1 where rowid = 7", "changed"), ("insert into cases select * from cases where rowid = 1", "more rows"),
                                ("drop table cases", "no such table")):
            with self.subTest(statement):
                self.sweep("slow.toml", "--out", "rows.sqlite")
                with sqlite3.connect(self.folder / "rows.sqlite") as base:
                    base.execute(statement)
                self.refuse("rows.sqlite", word)
                (self.folder / "rows.sqlite").unlink()

    def test_the_beginning_must_be_what_was_written(self):
        for name in ("rows.csv", "rows.jsonl", "rows.sqlite"):
            with self.subTest(name):
                self.stopped(name)
                part = self.read(name)
                (self.folder / name).unlink()
                self.refuse(name, "is not there")
                (self.folder / name).write_bytes(part[:len(part) // 2])
                self.refuse(name, "")
                if name.endswith("sqlite"):
                    (self.folder / name).write_bytes(part)
                    with sqlite3.connect(self.folder / name) as base:
                        base.execute("update cases set isl = isl + 1 where rowid = 3")
                    self.refuse(name, "changed")
                else:
                    (self.folder / name).write_bytes(part[:100].replace(b"1", b"2") + part[100:])
                    self.refuse(name, "changed")
                # what was written behind the last checkpoint is cut
                (self.folder / name).write_bytes(part)
                if name.endswith("sqlite"):
                    with sqlite3.connect(self.folder / name) as base:
                        base.execute("insert into cases select * from cases limit 5")
                else:
                    (self.folder / name).write_bytes(part + b"half a ro")
                self.sweep("slow.toml", "--out", name, "--resume")
                self.assertIn("nothing to do", self.sweep("slow.toml", "--out", name, "--resume").err)
        self.assertEqual(self.read("rows.csv"), self.sweep("slow.toml").raw)
        with sqlite3.connect(self.folder / "rows.sqlite") as base:
            count = self.sweep("slow.toml").raw.count(b"\n") - 1
            self.assertEqual(base.execute("select count(*), count(distinct \"case\") from cases").fetchone(), (count, count))

    def test_a_run_stopped_before_its_first_rows_has_one_header(self):
        whole = self.sweep("chalk.toml").raw
        header = whole[:whole.index(b"\n") + 1]
        self.sweep("chalk.toml", "--out", "rows.csv")
        complete = (self.folder / "rows.csv.state").read_text()
        # the header is there and no state, or one that knows of nothing, or of the header
        (self.folder / "rows.csv").write_bytes(header)
        (self.folder / "rows.csv.state").unlink()
        self.sweep("chalk.toml", "--out", "rows.csv", "--resume")
        self.assertEqual(self.read("rows.csv"), whole)
        process = subprocess.Popen([RIDGE, "sweep", "slow.toml", "--out", "slow.csv", "--quiet"], cwd=self.folder, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
        for _ in range(20000):
            if (self.folder / "slow.csv.state").exists():
                break
            time.sleep(0.0005)
        process.kill()
        process.wait()
        self.sweep("slow.toml", "--out", "slow.csv", "--resume")
        self.assertEqual(self.read("slow.csv"), self.sweep("slow.toml").raw)
        self.assertIn("hash", complete)

    def test_a_torn_or_old_state_is_named(self):
        self.stopped("rows.csv")
        state = self.folder / "rows.csv.state"
        text = state.read_text()
        for cut in range(0, len(text), 31):
            state.write_text(text[:cut])
            self.refuse("rows.csv", "rows.csv.state")
            self.assertIn("rows.csv.state", self.sweep("slow.toml", "--out", "rows.csv", code=BAD_INPUT).err)
        state.write_text(text.replace("done ", "done 1"))
        self.refuse("rows.csv", "rows.csv.state")
        lines = [line for line in text.splitlines() if not line.startswith(("hash ", "check "))]
        state.write_text("\n".join(["ridge-sweep-state 1", *lines[1:]]) + "\n")
        self.refuse("rows.csv", "older ridge")

    def test_merge_takes_only_what_was_written(self):
        for ending in ("csv", "jsonl", "sqlite"):
            with self.subTest(ending):
                one, two = self.parts(ending)
                part = self.read(one)
                if ending == "sqlite":
                    with sqlite3.connect(self.folder / one) as base:
                        base.execute("delete from cases where rowid > 200")
                else:
                    at = len(part) // 2
                    (self.folder / one).write_bytes(part[:at] + (b"1" if part[at:at + 1] != b"1" else b"2") + part[at + 1:])
                self.assertIn(one, self.ridge("merge", f"all.{ending}", one, two, code=BAD_INPUT).err)
                self.assertFalse((self.folder / f"all.{ending}").exists())
                (self.folder / one).write_bytes(part)
                self.ridge("merge", f"all.{ending}", one, two)
                self.assertIn("nothing to do", self.sweep("chalk.toml", "--out", f"all.{ending}", "--resume").err)
        self.assertEqual(self.strangers(), [])

    def test_merge_leaves_a_stopped_sweep_alone(self):
        self.stopped("rows.csv")
        part = self.read("rows.csv")
        self.assertIn("stopped", self.ridge("merge", "rows.csv", *self.parts("csv"), code=BAD_INPUT).err)
        self.assertEqual(self.read("rows.csv"), part)

    def test_two_runs_do_not_share_a_file(self):
        process = subprocess.Popen([RIDGE, "sweep", "slow.toml", "--out", "rows.csv", "--threads", "1", "--quiet"], cwd=self.folder, env=ENVIRONMENT)
        while not (self.folder / "rows.csv.state").exists():
            time.sleep(0.005)
        process.send_signal(signal.SIGSTOP)
        self.assertIn("another process", self.sweep("slow.toml", "--out", "rows.csv", "--resume", code=BAD_INPUT).err)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(timeout=60), ANSWERED)


class Interrupts(Outputs):
    def start(self, *arguments, **options):
        process = subprocess.Popen([RIDGE, *map(str, arguments)], cwd=self.folder, env=ENVIRONMENT, stdin=options.pop("stdin", subprocess.DEVNULL),
                                   stderr=subprocess.PIPE, **options)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_a_sweep_into_a_stalled_pipe_can_be_stopped(self):
        for which in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(which):
                process = self.start("sweep", "long.toml", stdout=subprocess.PIPE)
                self.addCleanup(process.stdout.close)
                time.sleep(1.0)
                process.send_signal(which)
                self.assertEqual(process.wait(timeout=5), 128 + which)

    def test_a_pipe_without_a_reader_can_be_stopped_and_is_given_up(self):
        os.mkfifo(self.folder / "pipe")
        for which in (signal.SIGINT, signal.SIGTERM):
            process = self.start("sweep", "chalk.toml", "--out", "pipe", stdout=subprocess.DEVNULL)
            time.sleep(0.5)
            process.send_signal(which)
            self.assertEqual(process.wait(timeout=3), 128 + which)
        for process in [self.start(*command, "pipe", stdout=subprocess.DEVNULL) for command in self.writers().values()]:
            self.assertEqual(process.wait(timeout=30), BAD_INPUT)
            self.assertIn(b"nobody reads", process.stderr.read())
            self.assertTrue((self.folder / "pipe").is_fifo())
        process = self.start(*WHY, "--save", "pipe", stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=3), -signal.SIGINT)

    def test_the_second_ends_at_once(self):
        # both are seen before the sweep can end in order: it is held while they come
        process = self.start("sweep", "slow.toml", "--out", "rows.csv", "--threads", "1", stdout=subprocess.DEVNULL)
        while not (self.folder / "rows.csv.state").exists():
            time.sleep(0.005)
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        self.assertIn(process.wait(timeout=5), (128 + signal.SIGINT, 128 + signal.SIGTERM))
        self.sweep("slow.toml", "--out", "rows.csv", "--resume")
        self.assertEqual(self.read("rows.csv"), self.sweep("slow.toml").raw)

    def test_other_commands_end_at_the_first(self):
        waiting = {"model from standard input": (["show", "-"], 0.5), "sweep from standard input": (["sweep", "-"], 0.5),
                   "calibrate": (["calibrate"], 1.0), "command from standard input": ([*WHY, "--from", "-"], 0.5)}
        for name, (command, after) in waiting.items():
            for which in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(name, which=which):
                    process = self.start(*command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
                    self.addCleanup(process.stdin.close)
                    time.sleep(after)
                    process.send_signal(which)
                    self.assertEqual(process.wait(timeout=5), -which)
        self.assertEqual(self.strangers(), [])


class Small(Outputs):
    def test_an_option_is_no_value(self):
        for command, flag in ((["lifecycle", "--svg", "--json"], "./--json"), ([*WHY, "--save", "--plain"], "./--plain"),
                              (["sweep", "chalk.toml", "--out", "--resume"], "./--resume"), (["lifecycle", "--svg", "-v"], "./-v"),
                              ([*WHY, "--set", "--json"], "--json"), ([*WHY, "--batch", "--json"], "--json"), (["lifecycle", "--svg=--json"], "./--json")):
            with self.subTest(command):
                run = self.ridge(*command, code=WRONG_USAGE)
                self.assertIn(flag, run.err)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["chalk.toml", "long.toml", "slow.toml"])
        self.ridge("lifecycle", "--svg", "./--json")
        self.assertTrue((self.folder / "--json").exists())

    def test_json_is_json(self):
        entry = self.ridge(*IMPORT).out
        self.assertEqual(parse_json(self.ridge(*IMPORT, "--json").out)["toml"], entry)
        answer = parse_json(self.ridge(*IMPORT, "--json", "--out", "mine.toml").out)
        self.assertEqual((answer["name"], answer["toml"], self.read("mine.toml").decode()), ("mine", entry, entry))

    @unittest.skipIf(NO_MPI or SANITIZED, "no mpirun, or ridge was built without Open MPI")
    def test_no_colors_in_what_mpirun_writes(self):
        environment = {key: value for key, value in MPI_ENVIRONMENT.items() if key != "NO_COLOR"}
        done = subprocess.run([MPIRUN, "-n", "2", RIDGE, "plan", "llama-3.1-70b", "--on", "hgx-h100", "--tpot", "30ms"], env={**environment, "TERM": "xterm"},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, ANSWERED, done.stderr)
        self.assertNotIn(b"\x1b", done.stdout)


if __name__ == "__main__":
    unittest.main()
