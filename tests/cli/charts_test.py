"""Pictures of every command with --svg: what a reader has to find in them, asked of the file itself."""

import re
import tempfile
import unittest
import xml.etree.ElementTree as tree
from itertools import combinations
from pathlib import Path

from ridge_run import ANSWERED, ROOT, ridge

MOST_LINES = 6
PLAN = ["plan", "gpt-oss-120b", "--on", "hgx-b200", "--tpot", "20ms"]
CHARTS = {
    "plan": PLAN,
    "plan, chips": [*PLAN, "--objective", "chips"],
    "curve batch": ["curve", "batch", "deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8"],
    "curve cost": ["curve", "batch", "deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8", "--chart", "cost"],
    "curve context": ["curve", "context", "deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8"],
    "curve chips": ["curve", "chips", "deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8"],
    "curve experts": ["curve", "experts", "deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8"],
    "price": ["price", "deepseek-v3", "--on", "hgx-h200", "--isl", "8k", "--osl", "1k", "--concurrency", "64"],
    "price history": ["price", "history", "claude-opus"],
    "price history by class": ["price", "history", "gemini"],
    "host": ["host", "llama-3.3-70b", "--on", "hgx-h100", "--weights", "fp8", "--tokens-per-day", "2B"],
    "tier": ["tier", "deepseek-v3", "--on", "hgx-h100", "--context", "32k"],
    "tier map": ["tier", "deepseek-v3", "--on", "hgx-h100", "--context", "32k", "--chart", "map"],
    "tier fleet": ["tier", "deepseek-v3", "--on", "hgx-h100", "--context", "32k", "--chart", "fleet"],
    "context": ["context"],
    "demand": ["demand", "deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8"],
    "lifecycle": ["lifecycle", "--params", "100B", "--tokens", "200T", "--served", "50M tok/s", "--for", "60 days"],
    "goodput": ["goodput", "--chips", "16384", "--mtbf", "50700h", "--checkpoint", "6TB"],
    "chips": ["chips"],
    "infer": ["infer", "anthropic/claude-opus-4-6", "--fast-speed", "2.5", "--samples", "100k"],
    "layout": ["layout", "deepseek-v3", "gb200-nvl72", "--kv", "fp8", "--context", "8704"],
    "schedule": ["schedule", "1f1b", "--stages", "8", "--microbatches", "32"],
    "compare": ["compare", str(ROOT / "examples/09-your-results/sweep.jsonl"), "--on", "mi300x", "--tp", "1"],
    "simulate": ["simulate", "llama-3.1-8b", "--on", "hgx-h100", "--osl", "100", "--rate", "12", "--requests", "100"],
}


def spelled_width(text, size):
    """Narrow on purpose: what overlaps at this width overlaps in every font."""
    return size * sum(0.3 if letter in " .,:;'|!()[]ijlftr-" else 0.5 for letter in text)


class Picture:
    def __init__(self, path):
        self.root = tree.parse(path).getroot()
        _, _, self.width, self.height = map(float, self.root.get("viewBox").split())
        self.texts = [one for one in self.root.iter() if one.tag.endswith("}text")]

    def words(self):
        return ["".join(one.itertext()) for one in self.texts]

    def titles(self):
        return " ".join("".join(one.itertext()) for one in self.texts if "title" in (one.get("class") or ""))

    def boxes(self):
        """Left, top, right, bottom and words of every upright text."""
        for one in self.texts:
            if "rotate" in (one.get("transform") or ""):
                continue
            kind, words = one.get("class") or "", "".join(one.itertext())
            size = 18 if "title" in kind else 11 if "small" in kind else 13
            wide, x, y = spelled_width(words, size), float(one.get("x")), float(one.get("y"))
            left = {"middle": x - wide / 2, "end": x - wide}.get(one.get("text-anchor"), x)
            yield left, y - 0.7 * size, left + wide, y, words

    def curves(self):
        """Paths that a chart draws as lines: those with a name, drawn two pixels wide or more."""
        return [one for one in self.root.iter() if one.tag.endswith("}path") and float(one.get("stroke-width") or 0) in (2, 3.5)]


class Charts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.pictures = {}
        for name, words in CHARTS.items():
            path = Path(cls.folder.name) / "chart.svg"
            run = ridge(*words, "--svg", str(path))
            assert run.code == ANSWERED, (name, run.err)
            cls.pictures[name] = Picture(path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_word_is_inside_the_picture(self):
        for name, picture in self.pictures.items():
            for left, top, right, bottom, words in picture.boxes():
                with self.subTest(name, words=words):
                    self.assertGreaterEqual(left, 0)
                    self.assertGreaterEqual(top, 0)
                    self.assertLessEqual(right, picture.width)
                    self.assertLessEqual(bottom, picture.height)

    def test_no_words_lie_on_others(self):
        for name, picture in self.pictures.items():
            for (l1, t1, r1, b1, one), (l2, t2, r2, b2, other) in combinations(picture.boxes(), 2):
                apart = r1 <= l2 or r2 <= l1 or b1 <= t2 or b2 <= t1
                self.assertTrue(apart, f"{name}: \"{one}\" and \"{other}\"")

    def test_at_most_six_lines(self):
        for name, picture in self.pictures.items():
            with self.subTest(name):
                self.assertLessEqual(len(picture.curves()), 2 * 4 if name == "infer" else MOST_LINES)

    def test_no_words_are_cut(self):
        for name, picture in self.pictures.items():
            with self.subTest(name):
                self.assertTrue(picture.titles())
                self.assertEqual([words for words in picture.words() if "…" in words], [])

    def test_the_frontiers_axis_is_what_was_chosen_by(self):
        self.assertIn("cost of output, $/Mtok", self.pictures["plan"].words())
        self.assertIn("output tok/s/GPU", self.pictures["plan, chips"].words())
        self.assertNotIn("cost of output, $/Mtok", self.pictures["plan, chips"].words())

    def test_measured_runs_lie_on_the_frontier_where_they_exist(self):
        # catalog/evidence/serving.csv has runs of gpt-oss-120b in mxfp4 by vllm on hgx-b200 with ISL and OSL 1024
        rows = (ROOT / "catalog/evidence/serving.csv").read_text().splitlines()
        columns = rows[0].split(",")
        found = [dict(zip(columns, row.split(","))) for row in rows[1:]]
        wanted = {"model": "gpt-oss-120b", "machine": "hgx-b200", "format": "mxfp4", "engine": "vllm", "isl": "1024",
                  "osl": "1024", "mode": "aggregated", "speculative": "0", "wrong": ""}
        runs = [row for row in found if all(row[key] == value for key, value in wanted.items()) and row["tpot_ms"] and row["output_rate"]]
        self.assertTrue(runs)
        self.assertIn(f"{len(runs)} measured runs", self.pictures["plan"].words())
        path = next(one for one in self.pictures["plan"].root.iter()
                    if "".join(one.itertext()) == f"{len(runs)} measured runs" and one.tag.endswith("}path"))
        self.assertEqual(path.get("d").count("M"), len(runs))  # a diamond for each

    def test_runs_of_lengths_near_by_are_drawn_and_said(self):
        # runs with ISL and OSL 1024 stand beside a question of 1000, and none beside one of 900, which is further than a tenth
        for tokens, near in (("1000", True), ("900", False)):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "plan.svg"
                run = ridge("plan", "gpt-oss-120b", "--on", "hgx-b200", "--isl", tokens, "--osl", tokens, "--svg", str(file))
                self.assertEqual(run.code, ANSWERED, str(run))
                words = re.sub("<[^>]*>", " ", file.read_text())
            self.assertEqual("measured runs" in words and "near by: 1024/1024" in words, near, tokens)

    def test_prices_are_steps_with_dates(self):
        picture = self.pictures["price history"]
        for curve in picture.curves():
            points = [tuple(map(float, at.split())) for at in re.split("[ML]", curve.get("d")) if at]
            for (x1, y1), (x2, y2) in zip(points, points[1:]):
                self.assertTrue(x1 == x2 or y1 == y2, curve.get("d"))  # level, or straight up or down
        dated = [words for words in picture.words() if re.fullmatch(r"\$[\d.,]+, 20\d\d-\d\d", words)]
        self.assertGreaterEqual(len(dated), 2)

    def test_a_scale_up_domain_is_marked(self):
        self.assertTrue(any("scale-up domain, 72" in words for words in self.pictures["curve chips"].words()))
        self.assertTrue(any("72 chips of its scale-up domain" in words for words in self.pictures["layout"].words()))

    def test_infer_has_a_panel_for_each_quantity_in_its_unit(self):
        words = self.pictures["infer"].words()
        for quantity in ("Active parameters: median", "Total parameters: median", "KV bytes/token: median", "Sequences in a decode batch: median"):
            self.assertEqual(sum(one.startswith(quantity) for one in words), 1, quantity)
        self.assertTrue(any(re.fullmatch(r"\d+[BT]", one) for one in words))  # parameters are counted in B and T

    def test_lines_that_coincide_are_named_together(self):
        # asynchronous and in-memory checkpoints of 6 TB stall alike: one line
        self.assertTrue(any("asynchronous and in-memory" in one or "in-memory and asynchronous" in one
                            for one in self.pictures["goodput"].words()), self.pictures["goodput"].words())

    def test_resources_have_their_colors(self):
        css = tree.tostring(self.pictures["curve batch"].root, encoding="unicode")
        self.assertIn("--ridge-hbm:#0a5ca8", css)
        self.assertIn("--ridge-compute:#b5450b", css)
        self.assertIn("--ridge-network:#6c135b", css)
        self.assertIn("prefers-color-scheme:dark", css)
        for name, color in (("weights", "hbm"), ("KV cache", "hbm"), ("compute", "compute")):
            label = next(one for one in self.pictures["curve batch"].texts if "".join(one.itertext()) == name)
            self.assertIn(f"fill-{color}", label.get("class"))


class Screens(unittest.TestCase):
    def test_infer_answers_in_its_first_ten_lines(self):
        for sheet in ("anthropic/claude-opus-4-6", "google/gemini-3-pro-preview", "openai/gpt-4o"):
            lines = ridge("infer", sheet, "--samples", "100k").out.splitlines()
            first = "\n".join(lines[:10])
            for words in ("Fixed by the sheet", "Margin under the prior", "No price tells, one by one:"):
                with self.subTest(sheet, words=words):
                    self.assertIn(words, first)
            self.assertLessEqual(len(lines), 18)
            self.assertGreater(len(ridge("infer", sheet, "--samples", "100k", "-v").out.splitlines()), 60)


if __name__ == "__main__":
    unittest.main()
