"""Each cause that a day of hostile use found, and its relatives: no crash, no hang, no number that is none.

Files of evidence, catalogs and sweeps that nobody would write by hand; layouts that are none; numbers at the edge of what a law
allows. Each is refused with its place and remedy, quickly.
"""

import csv
import re
import shutil
import sqlite3
import struct
import tempfile
import unittest
from pathlib import Path

from model_files import LLAMA, write_config
from ridge_run import ANSWERED, BAD_INPUT, BRIEF, ROOT, SANITIZED, not_numbers, ridge

SECONDS = 30 if SANITIZED else 5


class Causes(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def refused(self, words, *said):
        run = ridge(*words, cwd=self.folder)
        self.assertEqual(run.code, BAD_INPUT, str(run))
        for word in (*said, "hint:"):
            self.assertIn(word, run.err, str(run))
        self.assertEqual(run.out, "", str(run))
        self.assertLess(run.seconds, SECONDS, str(run))

    def test_a_layout_that_is_none_is_refused_by_every_command(self):
        model = ["deepseek-v3", "--on", "hgx-h200"]
        for command in (["why", *model, "--isl", "1k"], ["fit", *model], ["plan", *model], ["price", *model], ["host", *model]):
            for flag in ("--tp", "--pp", "--cp", "--dp", "--ep"):
                for degree in ("0", "0.5", "-1", "1e-9", "1e9")[::4 if BRIEF else 1]:
                    with self.subTest(command[0], flag=flag, degree=degree):
                        self.refused([*command, flag, degree], flag)

    def test_more_chips_than_anybody_has(self):
        for chips in ("65537", "1e9", "1e30", "0.5"):
            with self.subTest(chips):
                self.refused(["plan", "deepseek-v3", "--on", "hgx-h200", "--max-chips", chips], "--max-chips")
        if not SANITIZED:  # counting them takes seconds
            self.refused(["plan", "deepseek-v3", "--on", "hgx-h200", "--max-chips", "65536"], "--max-chips", "500,000 layouts")
        for model, chips in (("llama-3.1-8b", "65536"), ("deepseek-v3", "8192"))[:1 if BRIEF else 2]:  # all layouts are searched
            run = ridge("plan", model, "--on", "hgx-h200", "--max-chips", chips)
            self.assertEqual(run.code, ANSWERED, str(run))
            self.assertLess(run.seconds, 10 * SECONDS)

    def test_an_axis_without_end(self):
        (self.folder / "s.toml").write_text('model = "deepseek-v3"\nmachine = "hgx-h200"\ncontext = 8\n[sweep]\nbatch = { from = 1, to = 1e30, factor = 1.0000000001 }\n')
        self.refused(["sweep", "s.toml", "--dry-run"], "s.toml:5", "values")
        (self.folder / "s.toml").write_text('model = "deepseek-v3"\nmachine = "hgx-h200"\ncontext = 8\n[sweep]\nbatch = { from = 1, to = 1024, factor = 2 }\n')
        self.assertIn("11", ridge("sweep", "s.toml", "--dry-run", cwd=self.folder).out)

    def evidence(self, name, column, value, row=1):
        """The catalog's evidence with one cell of one file changed."""
        folder = self.folder / "evidence"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(ROOT / "catalog/evidence/sets.csv", folder)
        with open(ROOT / "catalog/evidence" / name, newline="") as file:
            rows = list(csv.reader(file))[:4]
        rows[row][rows[0].index(column)] = value
        with open(folder / name, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        return ["validate", "--evidence", "evidence"]

    def test_evidence_that_nobody_measured(self):
        for name, column, value in (("gemm.csv", "chip", "no-such-chip"), ("steps.csv", "model", "no-such-model"), ("serving.csv", "machine", "nothing"), ("moe.csv", "ep", "0.5"),
                                    ("moe.csv", "ep", "1e300"), ("moe.csv", "ep", "4096"), ("moe.csv", "experts", "1e12"), ("moe.csv", "top", "9999"), ("moe.csv", "slots", "1"),
                                    ("gemm.csv", "k", "1e300"), ("gemm.csv", "m", "0.5"), ("gemm.csv", "us", "0"), ("gemm.csv", "us", "1e300"), ("serving.csv", "isl", "0"),
                                    ("serving.csv", "tensor", "1e300"), ("serving.csv", "expert", "0.5"), ("collective.csv", "chips", "0"), ("dispatch.csv", "nodes", "1e9"),
                                    ("attention.csv", "kv_heads", "0"), ("mla.csv", "batch", "nan"), ("steps.csv", "layers", "1e300")):
            with self.subTest(name, column=column, value=value):
                self.refused(self.evidence(name, column, value), column if value[0].isdigit() and (name, value) not in (("moe.csv", "4096"), ("moe.csv", "9999"), ("moe.csv", "1")) else "")

    def entry(self, kind, name, old, new, to=None):
        folder = self.folder / "mine" / kind
        shutil.rmtree(self.folder / "mine", ignore_errors=True)
        folder.mkdir(parents=True)
        text = (ROOT / "catalog" / kind / f"{name}.toml").read_text()
        changed = re.sub(old, lambda _: new, text, count=1, flags=re.M)
        self.assertNotEqual(text, changed)
        (folder / f"{to or name}.toml").write_text(changed)

    def test_laws_and_traffic_that_cannot_be(self):
        for key, value in (("alpha", "0"), ("alpha", "1e-30"), ("beta", "-1"), ("beta", "0"), ("A", "0"), ("B", "-5")):
            with self.subTest(key, value=value):
                self.entry("scaling_law", "besiroglu-2024", rf"^{key} = .*$", f"{key} = {value}")
                self.refused(["lifecycle", "--catalog", "mine"], f"number.{key}")
        for key, value in (("E_start", "0"), ("E_max", "1"), ("a", "0")):
            with self.subTest(key, value=value):
                self.entry("scaling_law", "clark-2022", rf"^{key} = .*$", f"{key} = {value}")
                self.refused(["lifecycle", "deepseek-v3", "--catalog", "mine"], f"number.{key}" if key != "E_max" else "number.E_start")
        self.entry("lifecycle", "frontier", r'^"mfu.decode".*$', '"mfu.decode" = 0')
        self.refused(["lifecycle", "--catalog", "mine"], "mfu.decode")
        for value in ("0 tok/d", "-3 tok/s", "5 GB"):
            with self.subTest(value):
                self.entry("traffic", "user", r'"10000 tok/d"', f'"{value}"')
                self.refused(["demand", "deepseek-v3", "--on", "hgx-h200", "--catalog", "mine"], "traffic/user.toml", "number.output")
        for given in ("loss.size_power=1e-30", "loss.data_power=0", "mfu.training=0", "loss.size=1e300"):
            with self.subTest(given):
                self.refused(["lifecycle", "--set", given], given.partition("=")[0])

    def test_numbers_that_are_too_much_together(self):
        """Each is allowed alone. Together they are refused, or have an answer; never inf or nan."""
        for more in (["--set", "served=1e30 tok/s", "--set", "life=1e30 s"], ["--set", "params=1e-30", "--set", "tokens=1e30"], ["--set", "price=1e30 $/s", "--set", "peak=1e-30 FLOP/s"],
                     ["--set", "loss.size=1e30", "--set", "loss.size_power=0.01"]):
            with self.subTest(more):
                run = ridge("lifecycle", *more)
                self.assertIn(run.code, (ANSWERED, BAD_INPUT), str(run))
                self.assertEqual(not_numbers(run.out), [])

    def test_keys_behind_ignored_ones_are_still_judged(self):
        many = {f"num_strange_{i}": i + 1 for i in range(12)}
        path = write_config(self.folder / "m", {**LLAMA, "zzz": many, "num_shadow_experts": 64})
        self.refused(["show", str(path), "--assume", "zzz=ignored"], "num_shadow_experts")

    def test_a_part_of_another_model_is_not_merged(self):
        """The model's file is changed between two parts."""
        (self.folder / "s.toml").write_text('machine = "hgx-h100"\nmodel = "m"\ncontext = 8\n[sweep]\nbatch = [1, 2]\n')
        for part, layers in ((1, 2), (2, 4)):
            write_config(self.folder / "m", {**LLAMA, "num_hidden_layers": layers})
            run = ridge("sweep", "s.toml", "--shard", f"{part}/2", "--out", f"{part}.csv", cwd=self.folder)
            self.assertEqual(run.code, ANSWERED, str(run))
        self.refused(["merge", "all.csv", "1.csv", "2.csv"], "another sweep")

    def sweep_rows(self, path):
        return sqlite3.connect(path).execute("SELECT count(*) FROM cases").fetchone()[0]

    def test_a_journal_of_another_database_harms_no_new_one(self):
        (self.folder / "s.toml").write_text('machine = "hgx-h100"\nmodel = "llama-3.1-8b"\ncontext = 8\n[sweep]\nbatch = [1, 2]\n')
        for part in (1, 2):
            ridge("sweep", "s.toml", "--shard", f"{part}/2", "--out", f"{part}.sqlite", cwd=self.folder)
        journal = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + struct.pack(">IIIII", 0, 1, 0, 512, 4096)  # "nothing was there before"
        for words, name in ((["merge", "all.sqlite", "1.sqlite", "2.sqlite"], "all.sqlite"), (["sweep", "s.toml", "--out", "new.sqlite"], "new.sqlite")):
            with self.subTest(name):
                (self.folder / (name + "-journal")).write_bytes(journal.ljust(512, b"\0"))
                run = ridge(*words, cwd=self.folder)
                self.assertEqual(run.code, ANSWERED, str(run))
                self.assertEqual(self.sweep_rows(self.folder / name), 2)

    def test_a_database_by_any_name_keeps_its_rows_and_rights(self):
        (self.folder / "s.toml").write_text('machine = "hgx-h100"\nmodel = "llama-3.1-8b"\ncontext = 8\n[sweep]\nbatch = [1, 2]\n')
        for name in (":memory:", "q.sqlite", "file:x?mode=ro.sqlite"):
            for _ in range(2):
                run = ridge("sweep", "s.toml", "--format", "sqlite", "--out", name, cwd=self.folder)
                self.assertEqual(run.code, ANSWERED, str(run))
                self.assertEqual(self.sweep_rows(self.folder / name), 2)
                (self.folder / name).chmod(0o600)
            self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o600)

    def test_an_entry_given_twice_is_said_to_be(self):
        source = '[mine]\ntitle = "t"\nkind = "datasheet"\nconfidence = "high"\ndate = "2026-01-01"\n'
        (self.folder / "mine/price").mkdir(parents=True)
        (self.folder / "mine/sources.toml").write_text(source)
        (self.folder / "mine/price/sources.toml").write_text(source)
        self.refused(["list", "--catalog", "mine"], "price/sources.toml:3", "kind is given a second time", "mine/sources.toml:3")

    def test_small_slips(self):
        for seed in ("0.5", "1e30", "-1", "nan"):
            with self.subTest(seed):
                self.refused(["infer", "openai/gpt-4o", "--samples", "1k", "--seed", seed], "--seed")
        self.refused(["infer", "openai/gpt-4o", "--samples", "1000.5"], "--samples")
        self.refused(["why", "--on", "hgx-h100", "--from", "@"], "--from", "names no file")
        for name in (" ", " s.toml"):  # a place that begins with what nobody sees stands in quotes
            (self.folder / name).write_text("a, b\n")
            self.refused(["sweep", name], f'"{name}:1": ')


if __name__ == "__main__":
    unittest.main()
