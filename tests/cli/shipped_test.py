"""Is what the tests ship of the world small, sourced, and what the tool makes of the collections?"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

from ridge_run import ROOT

sys.path.insert(0, str(ROOT / "tests" / "shipped"))

import folded  # noqa: E402
import world  # noqa: E402

DATA = ROOT / "tests" / "data"
FACTS = ("model_shapes.toml", "result_files.toml", "traces/sources.toml")


def read_back(value):
    """Through the notation and TOML."""
    return folded.unfold(tomllib.loads("\n".join(folded.fact_lines({"x": folded.fold(value)})))["x"])


class Notation(unittest.TestCase):
    def test_what_is_folded_is_short_and_comes_back(self):
        for value, text in (([0, 1] * 30, "{ length = 60, of = [0, 1] }"),
                            (["dense"] * 3 + ["sparse"] * 58, '{ runs = [[3, "dense"], [58, "sparse"]] }'),
                            ([f"layers.{index}.mlp" for index in (0, 1, 2, 7)], '["layers.{0-2 7}.mlp"]'),
                            ({f"layers.{index}.mlp": {"bits": 4} for index in range(9)}, '{ "layers.{0-8}.mlp" = { bits = 4 } }'),
                            ([{"heads": 8, "no_op": False}, {"heads": None, "no_op": True}] * 3 + [{"heads": 8, "no_op": False}] * 2, None),
                            ({"window": None, "experts": [], "rope": {}}, None), (["lm_head", "model.layers.00.x"], None), ("{0-3}", None), ([float("inf")], None)):
            with self.subTest(value=str(value)[:60]):
                self.assertEqual(read_back(value), value)
                if text:
                    self.assertEqual(folded.value_text(folded.fold(value)), text)

    def test_what_looks_like_the_notation_is_refused(self):
        for value in (["re:.*layers.{2}.mlp"], ["null"]):
            with self.assertRaises(ValueError):
                folded.fold(value)

    def test_any_list_comes_back(self):
        draw = random.Random(20261117)
        for _ in range(500):
            kinds = draw.sample([0, 1, 4, 128, "full", "window", True, None, 2.5], draw.randint(1, 4))
            value = [draw.choice(kinds) for _ in range(draw.randint(0, 40))] * draw.randint(1, 3)
            self.assertEqual(read_back(value), value)


class Facts(unittest.TestCase):
    def test_each_says_where_it_is_from(self):
        for file in FACTS:
            entries = tomllib.loads((DATA / file).read_text())
            self.assertGreater(len(entries), 7)
            for name, entry in entries.items():
                with self.subTest(f"{file}: {name}"):
                    self.assertGreater(len(entry["source"]), 7)

    def test_they_are_few(self):
        size = sum(path.stat().st_size for file in FACTS for path in ([DATA / file] if "/" not in file else (DATA / "traces").iterdir()))
        self.assertLess(size, 150_000)

    def test_nothing_of_a_machine_is_in_them(self):
        for file in FACTS:
            self.assertIsNone(re.search(r"[\"\s]/(home|root|work|mnt|tmp)/|\b\d+\.\d+\.\d+\.\d+\b|localhost", (DATA / file).read_text()), file)


if world.has("models.csv") and world.has("traces"):

    class Renewed(unittest.TestCase):
        def test_the_tool_writes_what_is_shipped(self):
            with tempfile.TemporaryDirectory() as folder:
                root = Path(folder)
                shutil.copytree(DATA, root / "tests" / "data")
                shutil.copytree(ROOT / "tests" / "shipped", root / "tests" / "shipped")
                (root / "tools").mkdir()
                shutil.copy(ROOT / "tools" / "ship_facts.py", root / "tools")
                subprocess.run([sys.executable, root / "tools" / "ship_facts.py"], check=True, capture_output=True, env={**os.environ, "RIDGE_DATA": str(world.WHOLE)})
                for path in (root / "tests" / "data").rglob("*"):
                    if path.is_file():
                        with self.subTest(path.name):
                            self.assertEqual(path.read_text(), (DATA / path.relative_to(root / "tests" / "data")).read_text())


if __name__ == "__main__":
    unittest.main()
