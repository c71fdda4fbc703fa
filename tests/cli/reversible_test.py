"""Does examples/reversible keep its promises, and its README show what the program prints?"""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

PROGRAM = Path(os.environ["RIDGE_BUILD"]) / "reversible"
FOLDER = Path(os.environ["RIDGE_ROOT"]) / "examples" / "reversible"
ALL_HOLD, WRONG_USAGE = 0, 2


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300)


class Reversible(unittest.TestCase):
    def test_every_claim_holds_and_the_readme_shows_the_same_tables(self):
        done = run("--quick")
        self.assertEqual(done.returncode, ALL_HOLD, done.stdout[-3000:] + done.stderr)
        self.assertNotIn("FAILED", done.stdout)
        headings = re.findall(r"^  (?:\S.*)\n(?=  \S.*\d)", (FOLDER / "README.md").read_text(), flags=re.M)
        self.assertGreaterEqual(len(headings), 6)
        printed = {self.words(line) for line in done.stdout.splitlines()}
        for heading in headings:
            if not re.search(r"\d|:.*promised", heading):  # a heading, not a row or a claim
                with self.subTest(heading=heading):
                    self.assertIn(self.words(heading), printed)

    @staticmethod
    def words(line):
        return " ".join(line.split())  # widths follow the numbers

    def test_json_holds_the_tables_and_the_claims(self):
        done = run("--quick", "--json", "cipher", "memory", "--seed", "7")
        self.assertEqual(done.returncode, ALL_HOLD, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual(set(told), {"seed", "cipher", "memory"})
        self.assertEqual(told["seed"], 7)
        flat = [row["reversible_rebuilt"] for row in told["memory"]["peak"]]
        self.assertEqual(min(flat), max(flat))
        for chapter in ("cipher", "memory"):
            self.assertGreater(len(told[chapter]["claims"]), 3)
            for claim in told[chapter]["claims"]:
                self.assertTrue(claim["holds"], claim)

    def test_help_names_every_option_of_the_readme(self):
        done = run("--help")
        self.assertEqual(done.returncode, ALL_HOLD)
        used = set(re.findall(r"--(?:quick|json|seed|help)\b", (FOLDER / "README.md").read_text()))
        self.assertGreaterEqual(len(used), 2)
        for option in used:
            self.assertIn(option, done.stdout)

    def test_wrong_usage_says_what_is_wrong(self):
        for arguments, said in ((["--quik"], '"--quik"'), (["--seed"], "--seed needs"), (["--seed", "x"], "--seed needs"),
                                (["--peak-of-one-step", "9", "9", "9"], "three numbers")):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout), (WRONG_USAGE, ""))
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
