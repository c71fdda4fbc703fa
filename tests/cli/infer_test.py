"""Is every public price sheet answered, and does the sheet of `ridge price` come back through `ridge infer`?"""

import csv
import json
import os
import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, SANITIZED, not_numbers, ridge

FEW = ["--samples", "20k"] if SANITIZED else []  # a million random samples, asked of the release build


def litellm_map(rows):
    """Rows of api_prices.csv as LiteLLM's price map, which is where most of them come from."""
    fields = {
        "input_usd_per_mtok": "input_cost_per_token",
        "output_usd_per_mtok": "output_cost_per_token",
        "cached_input_usd_per_mtok": "cache_read_input_token_cost",
        "cache_write_5m_usd_per_mtok": "cache_creation_input_token_cost",
        "cache_write_1h_usd_per_mtok": "cache_creation_input_token_cost_above_1hr",
        "batch_input_usd_per_mtok": "input_cost_per_token_batches",
        "batch_output_usd_per_mtok": "output_cost_per_token_batches",
    }
    out = {}
    for index, row in enumerate(rows):
        entry = {"litellm_provider": row["provider"], "mode": "chat"}
        for column, key in fields.items():
            if row[column]:
                entry[key] = float(row[column]) / 1e6
        if row["long_ctx_threshold_tokens"] and row["long_input_usd_per_mtok"] and row["long_output_usd_per_mtok"]:
            above = f"above_{int(float(row['long_ctx_threshold_tokens'])) // 1000}k_tokens"
            entry["input_cost_per_token_" + above] = float(row["long_input_usd_per_mtok"]) / 1e6
            entry["output_cost_per_token_" + above] = float(row["long_output_usd_per_mtok"]) / 1e6
        # four rows charge by the request and nothing for input: the reader refuses those, in words
        if entry.get("input_cost_per_token") and "output_cost_per_token" in entry:
            out[f"{row['model']}-{index}"] = entry
    return out


def answers(test, *arguments):
    run = ridge("infer", *arguments, "--all", "--samples", "2000", "--json")
    test.assertEqual(run.code, ANSWERED, str(run)[:2000])
    test.assertEqual(not_numbers(run.out), [])
    return json.loads(run.out)


class Infer(unittest.TestCase):
    def check(self, all_answers):
        for answer in all_answers:
            with self.subTest(answer["model"]):
                self.assertTrue(answer["not_identifiable"])
                self.assertTrue(answer["identifiable"] or answer["contradictions"], "an empty answer")
                for quantity in answer["quantities"].values():
                    low, high = quantity["interval"]
                    self.assertLessEqual(low, high * (1 + 1e-9))

    @unittest.skipIf(SANITIZED, "thousands of sheets or samples, asked of the release build")
    def test_every_sheet_of_the_catalog_is_answered(self):
        all_answers = answers(self)
        self.assertGreater(len(all_answers), 500)
        self.check(all_answers)

    @unittest.skipUnless(os.environ.get("RIDGE_DATA"), "RIDGE_DATA is not set: the rows of api_prices.csv are not read")
    @unittest.skipIf(SANITIZED, "thousands of sheets or samples, asked of the release build")
    def test_every_public_row_is_answered(self):
        with open(Path(os.environ["RIDGE_DATA"]) / "api_prices.csv", newline="") as file:
            prices = litellm_map(csv.DictReader(file))
        self.assertGreater(len(prices), 1000)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "prices.json"
            path.write_text(json.dumps(prices))
            all_answers = answers(self, "--sheet", str(path))
        self.assertEqual(len(all_answers), len(prices))
        self.check(all_answers)

    def test_a_sheet_goes_out_and_comes_back(self):
        """The sheet of a real model: its prices are read, and the size behind them lies in the interval."""
        priced = ridge("price", "llama-3.1-70b", "--on", "hgx-h100", "--tp", "4", "--weights", "fp8", "--isl", "4k", "--osl", "500",
                       "--concurrency", "48", "--litellm")
        self.assertEqual(priced.code, ANSWERED, str(priced))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mine.json"
            path.write_text(priced.out)
            run = ridge("infer", "--sheet", str(path), "--json", *FEW)
        self.assertEqual(run.code, ANSWERED, str(run))
        low, high = run.json()["quantities"]["active"]["interval"]
        self.assertLess(low, 70e9)
        self.assertGreater(high, 70e9)

    @unittest.skipIf(SANITIZED, "thousands of sheets or samples, asked of the release build")
    def test_ten_times_the_samples_say_the_same(self):
        few, many = (ridge("infer", "openai/gpt-4o", "--samples", count, "--json").json() for count in ("100k", "1M"))
        for key, quantity in few["quantities"].items():
            with self.subTest(key):
                self.assertEqual(quantity["interval"], many["quantities"][key]["interval"])
                ratio = quantity["samples"]["median"] / many["quantities"][key]["samples"]["median"]
                self.assertLess(abs(ratio - 1), 0.1)


if __name__ == "__main__":
    unittest.main()
