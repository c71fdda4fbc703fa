"""The rows that nothing was fitted to: a part of them (tests/data/held_out), and everything in RIDGE_DATA that catalog/evidence does not hold."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RIDGE = os.environ["RIDGE"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("RIDGE_DATA", "/nonexistent"))


# what was set out to be reached on all rows of single kernels; runs have a little room beside those that were fitted
KERNELS = {"matrix products": 0.12, "all-reduce": 0.12, "decode attention": 0.18, "prefill attention": 0.20, "latent decode": 0.20, "latent prefill": 0.20,
           "expert layers": 0.25}
TPOT = {"inferencex": 0.09, "inferencemax": 0.09, "dynamo": 0.09}


def judged(folder):
    """The errors of every class of rows, printed and by (group, name)."""
    found = json.loads(subprocess.run([RIDGE, "validate", "--evidence", folder, "--json"], check=True, capture_output=True).stdout)
    print("\nrows that nothing was fitted to")
    for line in found["lines"]:
        print(f"  {line['group']:28} {line['name']:44} {line['rows']:6} rows  bias {line['bias']:+7.1%}  mean {line['mean_error']:6.1%}"
              f"  p90 {line['p90_error']:6.1%}")
    print(f"  {len(found['suspects'])} of {found['bounded']} runs beat the bound")
    return {(line["group"], line["name"]): line for line in found["lines"]}, found


class ShippedPart(unittest.TestCase):
    def test_rows_nobody_fitted(self):
        """Of a part the mean is unsure: errors spread about as wide as they are large, so two standard errors are 2 / sqrt(rows) of it."""
        lines, found = judged(ROOT / "tests" / "data" / "held_out")
        for group, limits in (("kernels", KERNELS), ("TPOT", TPOT)):
            for name, most in limits.items():
                with self.subTest(name):
                    line = lines[group, name]
                    self.assertGreater(line["rows"], 20)
                    self.assertLessEqual(line["mean_error"], most * (1 + 2 / line["rows"] ** 0.5))
        self.assertGreater(found["bounded"], 100)
        self.assertEqual(found["suspects"], [])


if (DATA / "op_level").is_dir():

    class HeldOut(unittest.TestCase):
        def test_rows_nobody_fitted(self):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([sys.executable, ROOT / "tools" / "import_evidence.py", "--rest", folder], check=True, stdout=subprocess.DEVNULL,
                               env={**os.environ, "RIDGE_DATA": str(DATA)})
                lines, found = judged(folder)
            for name, most in KERNELS.items():
                self.assertLessEqual(lines["kernels", name]["mean_error"], most, name)
            for name, most in TPOT.items():
                self.assertLessEqual(lines["TPOT", name]["mean_error"], most, name)
            self.assertLessEqual(lines["throughput", "inferencemax"]["mean_error"], 0.10)
            self.assertLessEqual(len(found["suspects"]), 0.01 * found["bounded"])


if __name__ == "__main__":
    unittest.main()
