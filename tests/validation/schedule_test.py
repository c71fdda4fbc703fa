"""Do the schedules agree with independent simulations of the published orders? Every row of schedule_truth.csv, through the command line."""

import csv
import json
import os
import pathlib
import subprocess
import unittest

RIDGE = os.environ["RIDGE"]
DATA = os.environ.get("RIDGE_DATA")
ALL = pathlib.Path(DATA, "training", "schedule_truth.csv") if DATA else None
SHIPPED = pathlib.Path(__file__).resolve().parents[1] / "data" / "schedule_truth.csv"  # four rows of each schedule
TRUTH = ALL if ALL and ALL.exists() else SHIPPED


def asked(row):
    """The file's times are of a chunk; --forward is what all chunks of a rank take, and DualPipe's two are the same stage twice."""
    parts = 1 if row["schedule"] == "DualPipe" else int(row["chunks_per_rank"])
    times = {key: float(row[key]) for key in ("F", "I", "W")}
    pair = float(row["F_and_B"]) / sum(times.values())
    words = ["--stages", row["ranks"], "--microbatches", row["microbatches"], "--pair", f"{pair:.6f}"]
    for flag, key in (("--forward", "F"), ("--input-gradient", "I"), ("--weight-gradient", "W")):
        words += [flag, f"{times[key] * parts:.6f} ms"]
    if row["schedule"] == "interleaved":
        words += ["--chunks", row["chunks_per_rank"]]
    return [RIDGE, "schedule", row["schedule"], *words, "--json"]


class Truth(unittest.TestCase):
    def test_every_row_comes_out(self):
        rows = list(csv.DictReader(TRUTH.open()))
        self.assertGreater(len(rows), 100 if TRUTH == ALL else 25)
        worst = 0.0
        for row in rows:
            with self.subTest(row=list(row.values())[:9]):
                run = subprocess.run(asked(row), capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stderr)
                found = json.loads(run.stdout)
                for column, key in (("makespan", "makespan"), ("bubble_in_own_span_max", "bubble_in_own_span"), ("bubble_of_makespan", "bubble_of_makespan")):
                    self.assertAlmostEqual(found[key] * 1e3, float(row[column]), places=9, msg=column)
                    worst = max(worst, abs(found[key] * 1e3 - float(row[column])))
                self.assertEqual(" ".join(str(rank["peak_live_chunks"]) for rank in found["ranks"]), row["peak_live_chunks_by_rank"])
        print(f"\n{len(rows)} simulated schedules, worst difference {worst:.1e} of a stage's time")


if __name__ == "__main__":
    unittest.main()
