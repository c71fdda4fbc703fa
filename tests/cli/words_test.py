"""Do the screens speak as the field speaks, and do they hold 80 columns?

Every text screen of tests/golden is read: no word of BANNED may stand on it, and no line may be longer than a terminal
of 80 columns. Tables of the catalog (ridge list) hold them with any name; commands to paste are as wide as what they hold.
"""

import re
import tempfile
import unittest
from pathlib import Path

from golden_test import goldens
from ridge_run import ROOT, ridge

COLUMNS = 80
LONGEST_WORD = 50  # addresses and paths of sources cannot be broken

# a coined word, and what the field says instead
BANNED = {
    r"dearer|dearest": "more expensive",
    r"chalk": "roofline",
    r"guess(es|ed|ing)?": "speculative (draft) tokens",
    r"promis(e|es|ed)": "SLO",
    r"prompts (apart|together|of others|between)": "disaggregated, aggregated, prefill interference",
    r"reading prompts|reads prompts": "prefill",
    r"[kMGT]param": "671B params",
    r"utilis(ation|ed)": "utilization",
    r"for the house": "system throughput",
    r"the engine around it": "CPU/engine overhead",
    r"attention's matrices": "QKV and output projections",
    r"dense and shared networks": "dense FFN, shared experts",
    r"output head": "LM head",
    r"strict bound": "best-case routing bound",
    r"took turns": "no overlap",
    r"over_cost": "markup",
    r"even at": "break-even",
    r"in flight": "concurrency",
    r"(is|are|was|what is) believed|believed before": "prior",
    r"class: bound": "roofline bound",
    r"narrower": "lower precision",
    r"held twice": "redundant experts",
    r"time per token|a token's time": "TPOT",
    r"time to (the )?first token": "TTFT",
    r"long (step|tier)": "price break",
    r"(dp|tp|ep|pp)\d+ (dp|tp|ep|pp)\d+": "TP2·PP4, DEP32",
}


def is_screen(golden):
    other = {"--json", "--csv", "--litellm", "--commands"}
    return golden.arguments[:1] != ["list"] and not other.intersection(golden.arguments) and not golden.file


def screens():
    for golden in goldens():
        if is_screen(golden):
            yield golden.name, golden.answer()[0].out


class Words(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.screens = dict(screens())
        sweep = ridge("sweep", str(ROOT / "examples" / "07-sweep.toml"), "--dry-run")
        cls.screens["sweep_dry_run"] = sweep.out

    def test_no_screen_speaks_a_language_of_its_own(self):
        for name, text in self.screens.items():
            flat = " ".join(text.split())
            for word, better in BANNED.items():
                found = re.search(rf"(?i)(?<![\w-]){word}(?![\w-])", flat)
                if found:
                    around = flat[max(0, found.start() - 40):found.end() + 40]
                    with self.subTest(screen=name, word=found[0]):
                        self.fail(f"say {better}: ...{around}...")

    def test_eighty_columns_hold_every_screen(self):
        for name, text in self.screens.items():
            wide = [line for line in text.splitlines()
                    if len(line) > COLUMNS and max(map(len, line.split())) < LONGEST_WORD
                    and not line.lstrip().startswith("= ")]  # a formula is one line
            with self.subTest(screen=name):
                self.assertEqual(wide, [], f"{max(map(len, wide), default=0)} columns")


class Lists(unittest.TestCase):
    def assert_narrow(self, *words):
        text = ridge("list", *words).out
        self.assertGreater(len(text.splitlines()), 1)
        self.assertEqual([line for line in text.splitlines() if len(line) > COLUMNS], [])
        return text

    def test_eighty_columns_hold_every_list(self):
        names = [row["name"] for row in ridge("list", "--json").json()["rows"]]
        self.assertGreater(len(names), 10)
        for name in ("", *names):
            for more in ([], ["--plain"]):
                with self.subTest(name, more=more):
                    self.assert_narrow(*([name] if name else []), *more)

    def test_a_long_name_is_listed_whole(self):
        name = "a-" + "very-" * 12 + "long-name"
        with tempfile.TemporaryDirectory() as folder:
            for kind, like in (("model", "llama-3.1-8b"), ("chip", "h100-sxm"), ("machine", "hgx-h100")):
                (Path(folder) / kind).mkdir()
                text = (ROOT / "catalog" / kind / f"{like}.toml").read_text()
                (Path(folder) / kind / f"{name}.toml").write_text(re.sub(r'(?m)^title = "', f'title = "{"x" * 100} ', text, count=1))
            for kind in ("models", "chips", "machines"):
                with self.subTest(kind):
                    self.assertIn(name, self.assert_narrow(kind, "--catalog", folder))


if __name__ == "__main__":
    unittest.main()
