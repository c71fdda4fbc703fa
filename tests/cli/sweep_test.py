"""Is a sweep the same table whoever computes it and however often it is stopped, and does it agree with ridge why?"""

import csv
import io
import json
import os
import pty
import resource
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from ridge_run import (ANSWERED, BAD_INPUT, ENVIRONMENT, MPI_ENVIRONMENT, MPIRUN, NO_MPI, RIDGE, ROOT, SANITIZED, WRONG_USAGE,
                       ridge)

EXAMPLE = str(ROOT / "examples" / "07-sweep.toml")
CHALK = """scenario = 1
model = "deepseek-v3"
kv = "fp8"
[sweep]
machine = ["hgx-h200", "gb200-nvl72"]
batch = { from = 1, to = 1000, points = 40 }
context = { from = "1k", to = "100k", points = 30, log = true }
"""
SERVING = """scenario = 1
model = "llama-3.1-70b"
isl = 1024
[sweep]
machine = ["hgx-h100", "hgx-b200"]
weights = ["bf16", "fp8"]
tp = [1, 3, 4]
osl = ["100", "1k"]
concurrency = { from = 1, to = 256, factor = 16 }
"""
SIMULATED = """scenario = 1
model = "llama-3.1-8b"
simulate = true
osl = 40
requests = 60
slo = "ttft=200ms"
columns = ["case", "rate", "tp", "seed", "max_seqs", "routing", "ttft_mean", "ttft_p99", "tpot_p50", "itl_p90", "e2e_p99", "output_tok_s",
           "goodput", "slo_share", "preemptions", "hit_rate", "output_cost", "saturated", "fits", "problem"]
[sweep]
machine = ["hgx-h100", "l4-1"]
rate = [5, 200]
tp = [1, 3]
max-seqs = [4, 64]
seed = [1, 7]
"""
# a second or so of work that is little to write
SLOW = """scenario = 1
model = "deepseek-v3"
machine = "gb200-nvl72"
dp = 32
columns = ["case", "isl", "concurrency", "tpot"]
[sweep]
isl = { from = 1, to = 2000, points = %d }
concurrency = { from = 1, to = 1000, points = 200 }
""" % (3 if SANITIZED else 60)


class Sweeps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in (("chalk", CHALK), ("serving", SERVING), ("simulated", SIMULATED), ("slow", SLOW)):
            (self.folder / f"{name}.toml").write_text(text)

    def sweep(self, *arguments, code=ANSWERED):
        run = ridge("sweep", *arguments, "--quiet", cwd=self.folder)
        self.assertEqual(run.code, code, str(run))
        return run

    def start(self, *arguments, program=(RIDGE,), env=None):
        return subprocess.Popen([*program, "sweep", *arguments], cwd=self.folder, env=env or ENVIRONMENT, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait_for_rows(self, name):
        for _ in range(2000):
            state = self.folder / f"{name}.state"
            if state.exists() and "done 0\n" not in state.read_text():
                return
            time.sleep(0.01)
        self.fail(f"{name} did not grow")

    def whole(self):
        """What the slow sweep writes when nobody stops it: computed once."""
        if not hasattr(Sweeps, "slow_rows"):
            Sweeps.slow_rows = self.sweep("slow.toml").raw
        return Sweeps.slow_rows

    def read(self, name):
        return (self.folder / name).read_bytes()


class Rows(Sweeps):
    def test_the_three_formats_hold_the_same(self):
        for name in ("chalk", "serving"):
            rows = list(csv.DictReader(io.StringIO(self.sweep(f"{name}.toml").out)))
            lines = [json.loads(line) for line in self.sweep(f"{name}.toml", "--json").out.splitlines()]
            self.sweep(f"{name}.toml", "--out", "rows.sqlite")
            with sqlite3.connect(self.folder / "rows.sqlite") as base:
                stored = base.execute("select * from cases order by rowid").fetchall()
            self.assertEqual(len(rows), len(lines))
            self.assertEqual(len(rows), len(stored))
            for row, line, record in zip(rows, lines, stored):
                self.assertEqual(list(row), list(line))
                for text, value, kept in zip(row.values(), line.values(), record):
                    if value is None:
                        self.assertEqual((text, kept), ("", None))
                    elif isinstance(value, str):
                        self.assertEqual((text, kept), (value, value))
                    elif isinstance(value, bool):
                        self.assertEqual((text, kept), (str(value).lower(), int(value)))
                    else:
                        self.assertEqual((float(text), kept), (value, value))

    def test_a_chalk_row_is_what_why_says(self):
        rows = [json.loads(line) for line in self.sweep("chalk.toml", "--json").out.splitlines()]
        self.assertEqual(len(rows), 2400)
        for row in (rows[0], rows[1], rows[777], rows[1234], rows[-1]):
            why = ridge("why", "deepseek-v3", "--on", row["machine"], "--kv", "fp8", "--batch", str(int(row["batch"])), "--context",
                        str(int(row["context"])), "--json").json()
            for key in ("step_time", "tok_s_per_user", "output_tok_s_per_chip", "cost", "memory_needed"):
                self.assertEqual(row[key], why["figures"][key]["value"], key)
            self.assertEqual(row["fits"], why["fit"]["fits"])
            self.assertEqual(row["binds"], why["verdict"]["binds"])

    def test_a_serving_row_is_what_why_says(self):
        rows = [json.loads(line) for line in self.sweep("serving.toml", "--json").out.splitlines()]
        self.assertEqual(len(rows), 72)
        kinds = {(row["fits"], row["problem"] is None) for row in rows}
        self.assertEqual(kinds, {(True, True), (False, True), (None, False)})  # some fit, some do not, tp 3 divides nothing
        for row in rows[::7]:
            run = ridge("why", "llama-3.1-70b", "--on", row["machine"], "--isl", "1024", "--osl", str(int(row["osl"])), "--tp", str(int(row["tp"])),
                        "--weights", row["weights"], "--concurrency", str(int(row["concurrency"])), "--json")
            if row["problem"]:
                self.assertEqual(run.code, BAD_INPUT)
                self.assertIn(run.json()["errors"][0]["what"], row["problem"])
                continue
            why = run.json()
            self.assertEqual(row["fits"], why["fits"])
            if why["fits"]:
                self.assertEqual([row["tpot"], row["ttft"], row["tok_s_per_user"], row["output_tok_s_per_chip"]],
                                 [why["tpot"], why["ttft"], why["tok_s_per_user"], why["output_tok_s_per_chip"]])

    def test_a_simulated_row_is_what_simulate_says(self):
        rows = [json.loads(line) for line in self.sweep("simulated.toml", "--json").out.splitlines()]
        self.assertEqual(len(rows), 32)
        self.assertEqual({row["saturated"] for row in rows}, {True, False, None})  # tp 3 divides nothing: no answer
        for row in rows[::5]:
            run = ridge("simulate", "llama-3.1-8b", "--on", row["machine"] if "machine" in row else ("hgx-h100" if row["case"] < 16 else "l4-1"),
                        "--osl", "40", "--requests", "60", "--slo", "ttft=200ms", "--rate", str(row["rate"]), "--tp", str(int(row["tp"])),
                        "--max-seqs", str(int(row["max_seqs"])), "--seed", str(int(row["seed"])), "--json")
            if row["problem"]:
                self.assertEqual(run.code, BAD_INPUT)
                self.assertIn(run.json()["errors"][0]["what"], row["problem"])
                continue
            said = run.json()
            counted = said["as_benchmarked"]
            self.assertEqual([row["ttft_mean"], row["ttft_p99"], row["tpot_p50"], row["itl_p90"], row["e2e_p99"], row["slo_share"], row["saturated"]],
                             [counted["ttft"]["mean"], counted["ttft"]["p99"], counted["tpot"]["p50"], counted["itl"]["p90"], counted["e2e"]["p99"],
                              said["slo_share"], said["saturated"]])

    def test_wrong_simulations_are_named_before_they_run(self):
        for line, said in (('order = "oldest"', "order"), ('client = "vlm"', "vllm"), ('requests = "many"', "requests"), ("simulate = false", "simulate"),
                           ("sessions = 4", "sessions"), ("batch = 4", "batch"), ('slo = "ttft=-1s"', "slo")):
            (self.folder / "wrong.toml").write_text(SIMULATED.replace("osl = 40", f"osl = 40\n{line}").replace(
                "requests = 60\n" if "requests" in line else "simulate = true\n" if "simulate" in line else 'slo = "ttft=200ms"\n' if "slo" in line else "\0", ""))
            self.assertIn(said, self.sweep("wrong.toml", code=BAD_INPUT).err, line)

    def test_threads_change_nothing(self):
        for name in ("chalk", "serving", "simulated"):
            one = self.sweep(f"{name}.toml", "--threads", "1").raw
            for threads in ("3", "5"):
                self.assertEqual(self.sweep(f"{name}.toml", "--threads", threads).raw, one)

    def test_the_best_and_the_frontier_are_those_of_all_rows(self):
        rows = [json.loads(line) for line in self.sweep("chalk.toml", "--json").out.splitlines()]
        good = [row for row in rows if row["fits"] and row["step_time"] < 0.005]
        best = [json.loads(line) for line in self.sweep("chalk.toml", "--json", "--best", "cost", "--top", "5", "--where", "tpot<5ms").out.splitlines()]
        self.assertEqual(best, sorted(good, key=lambda row: (row["cost"], row["case"]))[:5])
        most = self.sweep("chalk.toml", "--json", "--best", "max:step_time", "--where", "fits=true").out
        self.assertEqual(json.loads(most), max((row for row in rows if row["fits"]), key=lambda row: (row["step_time"], -row["case"])))
        fits = [row for row in rows if row["fits"]]

        def beats(a, b):
            return a["tok_s_per_user"] >= b["tok_s_per_user"] and a["output_tok_s_per_chip"] >= b["output_tok_s_per_chip"] and (a["tok_s_per_user"], a["output_tok_s_per_chip"]) != (b["tok_s_per_user"], b["output_tok_s_per_chip"])

        frontier = [json.loads(line) for line in self.sweep("chalk.toml", "--json", "--pareto", "tok_s_per_user,output_tok_s_per_chip").out.splitlines()]
        expected = sorted((row for row in fits if not any(beats(other, row) for other in fits)), key=lambda row: -row["tok_s_per_user"])
        self.assertEqual(frontier, expected)

    def test_where_filters_rows(self):
        rows = list(csv.DictReader(io.StringIO(self.sweep("chalk.toml", "--where", "fits=true,batch>=500", "--where", "machine=hgx-h200").out)))
        self.assertGreater(len(rows), 0)
        for row in rows:
            self.assertEqual((row["fits"], row["machine"]), ("true", "hgx-h200"))
            self.assertGreaterEqual(float(row["batch"]), 500)

    def test_a_dry_run_counts(self):
        plan = json.loads(self.sweep("chalk.toml", "--dry-run", "--json").out)
        self.assertEqual(plan["cases"], 2400)
        self.assertEqual(plan["first"], {"case": 0, "machine": "hgx-h200", "batch": 1, "context": 1000})
        self.assertEqual(plan["last"], {"case": 2399, "machine": "gb200-nvl72", "batch": 1000, "context": 100000})
        self.assertIn("2,400 roofline cases", self.sweep("chalk.toml", "--dry-run").out)


class Stops(Sweeps):
    def test_ctrl_c_leaves_a_valid_file_and_resume_goes_on(self):
        whole = self.whole()
        for name in ("rows.csv", "rows.sqlite"):
            process = self.start("slow.toml", "--out", name, "--threads", "1")
            self.wait_for_rows(name)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 130, err)
            self.assertIn(b"--resume", err)
            if name.endswith("csv"):
                part = self.read(name)
                self.assertTrue(whole.startswith(part) and part.endswith(b"\n") and len(part) < len(whole))
            # without --resume nothing is overwritten, and another sweep is not gone on with
            self.assertIn("--resume", self.sweep("slow.toml", "--out", name, code=BAD_INPUT).err)
            (self.folder / "other.toml").write_text(SLOW.replace("dp = 32", "dp = 16"))
            self.assertIn("another sweep", self.sweep("other.toml", "--out", name, "--resume", code=BAD_INPUT).err)
            self.sweep("slow.toml", "--out", name, "--resume")
            self.assertIn("nothing to do", self.sweep("slow.toml", "--out", name, "--resume").err)
        self.assertEqual(self.read("rows.csv"), whole)
        with sqlite3.connect(self.folder / "rows.sqlite") as base:
            stored = base.execute("select * from cases order by rowid").fetchall()
        self.assertEqual([[float(cell) for cell in row] for row in csv.reader(io.StringIO(whole.decode()[whole.index(b"\n") + 1:]))],
                         [list(map(float, row)) for row in stored])

    def test_simulations_that_are_stopped_leave_no_half_row(self):
        text = SIMULATED.replace("requests = 60", "requests = %d" % (60 if SANITIZED else 4000)).replace('"l4-1"', '"hgx-h200"').replace("[1, 3]", "[1]")
        (self.folder / "long.toml").write_text(text)
        whole = self.sweep("long.toml").raw
        process = self.start("long.toml", "--out", "rows.csv", "--threads", "2")
        self.wait_for_rows("rows.csv")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        self.assertIn(process.returncode, (130, 0), err)  # it may have been done before
        self.assertTrue(whole.startswith(self.read("rows.csv")))
        self.sweep("long.toml", "--out", "rows.csv", "--resume")
        self.assertEqual(self.read("rows.csv"), whole)

    def test_a_full_disk_is_an_error(self):
        run = self.sweep("chalk.toml", "--out", "/dev/full", code=BAD_INPUT)
        self.assertIn("No space left", run.err)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([RIDGE, "sweep", "chalk.toml"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=60)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn(b"standard output", done.stderr)

    def test_a_disk_that_fills_leaves_whole_rows_and_resume_goes_on(self):
        (self.folder / "long.toml").write_text(CHALK.replace("points = 40", "points = 1000").replace("points = 30", "points = 20"))
        whole = self.sweep("long.toml").raw

        def small_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))

        for name in ("rows.csv", "rows.sqlite"):
            done = subprocess.run([RIDGE, "sweep", "long.toml", "--out", name, "--quiet"], cwd=self.folder, stderr=subprocess.PIPE, env=ENVIRONMENT,
                                  preexec_fn=small_disk, timeout=60)
            self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
            self.assertIn(b"could not be written", done.stderr)
        part = self.read("rows.csv")
        self.assertTrue(0 < len(part) < len(whole) and whole.startswith(part) and part.endswith(b"\n"))
        self.sweep("long.toml", "--out", "rows.csv", "--resume")
        self.assertEqual(self.read("rows.csv"), whole)
        with sqlite3.connect(self.folder / "rows.sqlite") as base:
            self.assertEqual(base.execute("pragma integrity_check").fetchone(), ("ok",))
        self.sweep("long.toml", "--out", "rows.sqlite", "--resume")
        with sqlite3.connect(self.folder / "rows.sqlite") as base:
            self.assertEqual(base.execute("select count(*), count(distinct \"case\") from cases").fetchone(), (40000, 40000))

    def test_a_terminal_sees_a_bar_and_the_time_left(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([RIDGE, "sweep", "slow.toml", "--out", "rows.csv", "--threads", "1"], cwd=self.folder, env=ENVIRONMENT,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 65536):
                seen += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(process.wait(timeout=20), ANSWERED)
        self.assertRegex(seen, rb"\r\[#*\.+\] .* cases, \d+ %, .*/s, .* left")

    def test_a_closed_pipe_is_an_error(self):
        process = self.start("slow.toml")
        self.assertGreater(len(process.stdout.readline()), 0)
        process.stdout.close()
        self.assertIn(b"standard output", process.stderr.read())
        process.stderr.close()
        self.assertEqual(process.wait(timeout=20), BAD_INPUT)


class Shards(Sweeps):
    def shards(self, name, count, ending, *arguments):
        files = []
        for part in range(1, count + 1):
            files.append(f"{name}-{part}of{count}.{ending}")
            self.sweep(f"{name}.toml", "--shard", f"{part}/{count}", "--out", files[-1], *arguments)
        return files

    def merge(self, *arguments, code=ANSWERED):
        run = ridge("merge", *arguments, cwd=self.folder)
        self.assertEqual(run.code, code, str(run))
        return run

    def test_merged_is_the_whole_file(self):
        for name, count, ending in (("chalk", 3, "csv"), ("serving", 5, "jsonl"), ("serving", 20, "csv"), ("simulated", 3, "csv")):
            self.sweep(f"{name}.toml", "--out", f"whole.{ending}")
            files = self.shards(name, count, ending)
            self.merge(f"merged.{ending}", *reversed(files))
            self.assertEqual(self.read(f"merged.{ending}"), self.read(f"whole.{ending}"))

    def test_merged_databases_hold_the_whole(self):
        self.sweep("serving.toml", "--out", "whole.sqlite")
        self.merge("merged.sqlite", *self.shards("serving", 3, "sqlite"))
        dumps = []
        for name in ("whole.sqlite", "merged.sqlite"):
            with sqlite3.connect(self.folder / name) as base:
                dumps.append(list(base.iterdump()))
        self.assertEqual(*dumps)

    def test_merged_summaries_are_the_whole_summary(self):
        for summary in (["--best", "cost", "--top", "7"], ["--pareto", "tok_s_per_user,output_tok_s_per_chip"]):
            self.sweep("chalk.toml", "--out", "whole.csv", *summary)
            self.merge("merged.csv", *self.shards("chalk", 3, "csv", *summary))
            self.assertEqual(self.read("merged.csv"), self.read("whole.csv"))

    def test_wrong_parts_are_named(self):
        files = self.shards("chalk", 3, "csv")
        other = self.shards("serving", 3, "csv")
        self.assertIn("2/3", self.merge("m.csv", files[0], files[2], code=BAD_INPUT).err)
        self.assertIn(files[1], self.merge("m.csv", *files, files[1], code=BAD_INPUT).err)
        self.assertIn(other[1], self.merge("m.csv", files[0], other[1], files[2], code=BAD_INPUT).err)
        self.assertIn("also the file", self.merge(files[0], *files, code=BAD_INPUT).err)
        (self.folder / "lost.csv").write_text("x\n")
        self.assertIn("lost.csv.state", self.merge("m.csv", *files[:2], "lost.csv", code=BAD_INPUT).err)
        with open(self.folder / files[0], "a") as file:
            file.write("1,2\n")
        self.assertIn(files[0], self.merge("m.csv", *files, code=BAD_INPUT).err)
        self.assertFalse((self.folder / "m.csv").exists())
        self.merge("m.csv", code=WRONG_USAGE)

    def test_wrong_shards_are_refused(self):
        for shard in ("0/3", "4/3", "1", "a/b", "1/0", "1.5/3", "1/3/5", "-1/3"):
            self.assertIn("hint:", self.sweep("chalk.toml", f"--shard={shard}", "--out", "x.csv", code=BAD_INPUT).err)
        self.sweep("chalk.toml", "--shard", "1/3", code=BAD_INPUT)


@unittest.skipIf(SANITIZED, "Open MPI leaks by itself")
@unittest.skipIf(NO_MPI, "no mpirun, or ridge was built without Open MPI")
class Processes(Sweeps):
    def mpirun(self, count, *arguments, code=ANSWERED):
        done = subprocess.run([MPIRUN, "-n", str(count), RIDGE, "sweep", *arguments, "--quiet"], cwd=self.folder, env=MPI_ENVIRONMENT,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done

    def test_two_and_three_processes_write_what_one_does(self):
        for name in ("chalk", "serving", "simulated"):
            self.sweep(f"{name}.toml", "--out", "one.csv")
            for count in (2, 3):
                self.mpirun(count, f"{name}.toml", "--out", f"{count}.csv", "--threads", str(count - 1))
                self.assertEqual(self.read(f"{count}.csv"), self.read("one.csv"))
        pareto = ("chalk.toml", "--pareto", "tok_s_per_user,output_tok_s_per_chip")
        self.assertEqual(self.mpirun(3, *pareto).stdout, self.sweep(*pareto).raw)

    def test_plain_ridge_does_not_load_mpi(self):
        libraries = subprocess.run(["ldd", RIDGE], capture_output=True, timeout=20).stdout
        self.assertNotIn(b"libmpi", libraries)

    def test_an_error_is_said_once(self):
        (self.folder / "bad.toml").write_text(CHALK.replace("batch", "bacth"))
        done = self.mpirun(3, "bad.toml", code=BAD_INPUT)
        self.assertEqual(done.stderr.count(b"unknown axis"), 1)

    def test_a_process_that_dies_ends_the_run_and_resume_loses_nothing(self):
        whole = self.whole()
        process = self.start("slow.toml", "--out", "rows.csv", program=(MPIRUN, "-n", "3", RIDGE), env=MPI_ENVIRONMENT)
        self.wait_for_rows("rows.csv")
        victims = []
        for status in Path("/proc").glob("[0-9]*/environ"):
            try:
                words = status.read_bytes().split(b"\0")
                program = os.readlink(status.with_name("exe"))
                folder = os.readlink(status.with_name("cwd"))
            except OSError:
                continue
            if b"OMPI_COMM_WORLD_RANK=1" in words and program.endswith("ridge-mpi") and folder == str(self.folder.resolve()):
                victims.append(int(status.parent.name))
        self.assertEqual(len(victims), 1)
        os.kill(victims[0], signal.SIGKILL)
        out, err = process.communicate(timeout=20)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn(b"rank 1", err)
        part = self.read("rows.csv")
        state = dict(line.split(" ", 1) for line in self.read("rows.csv.state").decode().splitlines())
        self.assertGreater(int(state["done"]), 0)
        self.assertEqual(whole[:int(state["size"])], part[:int(state["size"])])
        self.mpirun(2, "slow.toml", "--out", "rows.csv", "--resume")
        self.assertEqual(self.read("rows.csv"), whole)


class Hostile(Sweeps):
    def test_bad_files_and_options_are_explained(self):
        bad = {
            "no such file": (["none.toml"], "none.toml"),
            "unknown model": (CHALK.replace("deepseek-v3", "deepsek-v3"), "deepseek-v3"),
            "unknown machine": (CHALK.replace("hgx-h200", "hgx-h2oo"), "hgx-h200"),
            "unknown engine": (SERVING.replace("isl = 1024", "isl = 1024\nengine = \"vlm\"").replace("weights = ", "engine = [\"vlm\"]\nweights = "), "vllm"),
            "unknown format": (SERVING.replace('"fp8"', '"fp9"'), "fp8"),
            "too many": (CHALK + 'price = { from = "$1/h", to = "$2/h", points = 1000000 }\nutilization = { from = 0.1, to = 1, points = 1000000 }\n', "cases"),
            "more experts than there are": (CHALK + '"experts.per_token" = [8, 300]\n', "300"),
            "nan": (CHALK + "utilization = [nan]\n", "finite"),
            "not TOML": ("[sweep\n", "bad.toml"),
            "binary": ("\0\1\2", "bad.toml"),
            "unknown condition": (["chalk.toml", "--where", "costs<3"], "cost"),
            "no condition": (["chalk.toml", "--where", "cost"], "--where"),
            "condition without unit": (["chalk.toml", "--where", "tpot<30"], "--where"),
            "best word": (["chalk.toml", "--best", "machine"], "--best"),
            "one of two": (["chalk.toml", "--pareto", "cost"], "--pareto"),
            "both": (["chalk.toml", "--pareto", "cost,tok_s_per_user", "--best", "cost"], "--best"),
            "resume nothing": (["chalk.toml", "--resume"], "--out"),
            "database on standard output": (["chalk.toml", "--format", "sqlite"], "--out"),
            "unknown row format": (["chalk.toml", "--format", "parquet"], "jsonl"),
            "onto itself": (["chalk.toml", "--out", "chalk.toml"], "own file"),
            "a database on a device": (["chalk.toml", "--out", "/dev/null", "--format", "sqlite"], "plain file"),
            "no folder": (["chalk.toml", "--out", "no/such/folder.csv"], "folder"),
            "no folder for a database": (["chalk.toml", "--out", "no/such/folder.sqlite"], "folder"),
        }
        for name, (what, word) in bad.items():
            with self.subTest(name):
                if isinstance(what, str):
                    (self.folder / "bad.toml").write_bytes(what.encode())
                    what = ["bad.toml"]
                run = self.sweep(*what, code=BAD_INPUT)
                self.assertIn(word, run.err)
                self.assertIn("hint:", run.err)
                self.assertEqual(run.out, "")

    def test_why_points_to_sweep(self):
        run = ridge("why", EXAMPLE)
        self.assertEqual(run.code, BAD_INPUT)
        self.assertIn("ridge sweep", run.err)

    def test_a_damaged_state_is_refused(self):
        self.sweep("chalk.toml", "--out", "rows.csv")
        for text in ("", "ridge-sweep-state 1\nx\n", "ridge-sweep-state 1\npart 3\nparts 2\n", "\0" * 100):
            (self.folder / "rows.csv.state").write_text(text)
            self.assertIn("state", self.sweep("chalk.toml", "--out", "rows.csv", "--resume", code=BAD_INPUT).err)


if __name__ == "__main__":
    unittest.main()
