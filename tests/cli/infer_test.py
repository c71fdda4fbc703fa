"""Is every public price sheet answered, and does the sheet of `ridge price` come back through `ridge infer`?"""

import csv
import functools
import json
import os
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

from ridge_run import ANSWERED, ROOT, SANITIZED, not_numbers, ridge

sys.path.insert(0, str(ROOT / "tests" / "shipped"))

import prices  # noqa: E402
import world  # noqa: E402

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


def sheet_weights():
    """The catalog's model behind each sheet, where somebody said which."""
    found = {}
    for path in (Path(os.environ["RIDGE_ROOT"]) / "catalog" / "price").glob("*.toml"):
        for name, entry in tomllib.loads(path.read_text()).items():
            if isinstance(entry, dict) and entry.get("weights"):
                found[name] = entry["weights"]
    return found


def catalog_models():
    return sorted(path.stem for path in (Path(os.environ["RIDGE_ROOT"]) / "catalog" / "model").glob("*.toml"))


def answers(test, *arguments):
    run = ridge("infer", *arguments, "--all", "--samples", "2000", "--json")
    test.assertEqual(run.code, ANSWERED, str(run)[:2000])
    test.assertEqual(not_numbers(run.out), [])
    return json.loads(run.out)


@functools.cache
def catalog_answers():
    """Of every sheet of the catalog, asked once."""
    return answers(unittest.TestCase())


class Infer(unittest.TestCase):
    def check(self, all_answers):
        for answer in all_answers:
            with self.subTest(answer["model"]):
                self.assertTrue(answer["not_identifiable"])
                self.assertTrue(answer["identifiable"] or answer["contradictions"], "an empty answer")
                for quantity in answer["quantities"].values():
                    low, high = quantity["interval"]
                    self.assertLessEqual(low, high * (1 + 1e-9))

    def test_several_sheets_are_what_each_is_alone(self):
        """Every thread takes a sheet where there are several, and a part of the samples where there is one."""
        several = answers(self, "--provider", "xai")
        self.assertGreater(len(several), 3)
        alone = ridge("infer", f"xai/{several[2]['model']}@{several[2]['date']}", "--samples", "2000", "--json")
        self.assertEqual(json.loads(alone.out), several[2])
        lines = ridge("infer", "--provider", "xai", "--all", "--samples", "2000").out.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["xai/" + one["model"] for one in several])

    @unittest.skipIf(SANITIZED, "thousands of sheets or samples, asked of the release build")
    def test_every_sheet_of_the_catalog_is_answered(self):
        all_answers = catalog_answers()
        self.assertGreater(len(all_answers), 500)
        self.check(all_answers)
        self.check_known_sizes(all_answers)

    def check_known_sizes(self, all_answers):
        """Sheets of open models, whose sizes are known: the prices are somebody else's, and so are the models."""
        weights = sheet_weights()
        shapes = {}
        judged = held = 0
        ratios = []
        for answer in all_answers:
            model = weights.get(f"{answer['provider']}/{answer['model']}@{answer['date']}")
            if model is None:
                continue
            if model not in shapes:
                shapes[model] = ridge("show", "model", model, "--json").json()
            shape, quantities = shapes[model], answer["quantities"]
            judged += 1
            for key, value in (("active", shape["parameters_active_without_embedding"]), ("total", shape["parameters_total"])):
                low, high = quantities[key]["interval"]
                with self.subTest(f"{answer['model']} {key}"):
                    self.assertLess(low, value)
                    self.assertGreater(high, value)
            active, samples = shape["parameters_active_without_embedding"], quantities["active"]["posterior"]
            held += samples["low"] <= active <= samples["high"]
            ratios.append(samples["median"] / active)
        ratios.sort()
        print(f"{judged} sheets of models with known sizes: 95 % of samples hold the active parameters of {held}; "
              f"median over truth {ratios[len(ratios) // 10]:.2f}, {ratios[len(ratios) // 2]:.2f}, {ratios[len(ratios) * 9 // 10]:.2f} "
              "(first tenth, middle, last tenth)")
        self.assertGreater(judged, 250)
        self.assertGreater(held, 0.95 * judged)

    @unittest.skipIf(SANITIZED, "thousands of sheets or samples, asked of the release build")
    def test_every_public_row_is_answered(self):
        """All that were collected, where they are here; else a third of those that the catalog has."""
        folder = world.best("api_prices.csv")
        with open(folder / "api_prices.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        sheets = litellm_map(rows if folder == world.WHOLE else rows[::3])
        self.assertGreater(len(sheets), 1000 if folder == world.WHOLE else 200)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "prices.json"
            path.write_text(json.dumps(sheets))
            all_answers = answers(self, "--sheet", str(path))
        self.assertEqual(len(all_answers), len(sheets))
        self.check(all_answers)

    @unittest.skipIf(SANITIZED, "thousands of sheets or samples, asked of the release build")
    def test_a_sheet_in_litellms_form_is_answered_as_the_catalogs_own(self):
        """Those without modes and tiers, which the map above leaves out; a price a token rounds in its last digit."""
        with open(world.SHIPPED / "api_prices.csv", newline="") as file:
            rows = [row for row in csv.DictReader(file) if not any(row[key] for key in ("long_input_usd_per_mtok", "priority_input_usd_per_mtok", "flex_input_usd_per_mtok", "fast_mode_multiplier"))]
        rows = [row for row in rows if not row["date"].startswith("..")][::12]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "prices.json"
            path.write_text(json.dumps(litellm_map(rows)))
            found = {answer["model"]: answer for answer in answers(self, "--sheet", str(path))}
        self.assertGreater(len(found), 40)
        own = {(answer["provider"], answer["model"], answer["date"]): answer for answer in catalog_answers()}
        tool = prices.importer()
        providers = tool.MAKERS | tool.HOSTS | tool.SIMONW
        for index, row in enumerate(rows):
            if answer := found.get(f"{row['model']}-{index}"):
                with self.subTest(row["model"]):
                    expected = own[providers[row["provider"]], row["model"], row["date"]]
                    self.assertEqual(len(answer["contradictions"]), len(expected["contradictions"]))
                    for key, quantity in expected["quantities"].items():
                        for one, other in zip(answer["quantities"][key]["interval"], quantity["interval"], strict=True):
                            self.assertAlmostEqual(one, other, delta=1e-9 * abs(other), msg=key)

    def read_back(self, name, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_text(text)
            return ridge("infer", "--sheet", str(path), *arguments)

    def test_sheets_of_real_models_go_out_and_come_back(self):
        """What is known of the model and its load, from the price's own inputs, lies in every interval."""
        cases = [("llama-3.1-70b", "hgx-h100", "--weights", "fp8"), ("llama-3.1-8b", "hgx-h200"), ("llama-3.1-70b", "hgx-a100")]
        if not SANITIZED:
            cases += [(model, "gb300-nvl72") for model in catalog_models() if not model.endswith("-sqrt")]  # its context takes no bytes a token
        for model, machine, *more in cases:
            with self.subTest(model):
                priced = ridge("price", model, "--on", machine, *more, "--json")
                self.assertEqual(priced.code, ANSWERED, str(priced))
                given = {key: entry["value"] for key, entry in priced.json()["inputs"].items()}
                routed = given.get("params.routed", 0)
                used = routed * given.get("experts.per_token", 0) / given.get("experts.count", 1)
                truth = {
                    "active": given["params.dense"] + used,
                    "total": given["params.dense"] + routed,
                    "kv": given["kv.read"],
                    "kv_per_active": given["kv.read"] / (given["params.dense"] + used),
                    "batch": given["batch"],
                    "context": given["context"],
                    "utilization": given["utilization"],
                    "markup": given["markup"],
                    "fetch": given["cache.fetch"] / given["hbm.bandwidth"],
                }
                run = self.read_back("mine.json", priced.out, "--json", "--samples", "20k")
                self.assertEqual(run.code, ANSWERED, str(run))
                answer = run.json()
                self.assertEqual([line for line in answer["contradictions"] if "left out" in line], [])
                for key, value in truth.items():
                    low, high = answer["quantities"][key]["interval"]
                    slack = 1.01 if key == "fetch" else 1 + 1e-9  # what is read once more goes at another share
                    self.assertLessEqual(low, value * slack, key)
                    self.assertGreaterEqual(high * slack, value, key)

    def test_a_price_map_comes_back_too(self):
        priced = ridge("price", "llama-3.1-70b", "--on", "hgx-h100", "--litellm")
        self.assertEqual(priced.code, ANSWERED, str(priced))
        run = self.read_back("map.json", priced.out, "--json", *FEW)
        self.assertEqual(run.code, ANSWERED, str(run))
        low, high = run.json()["quantities"]["active"]["interval"]
        self.assertLess(low, 70e9)
        self.assertGreater(high, 70e9)

    def test_an_answer_that_was_changed_is_refused_by_name(self):
        priced = ridge("price", "llama-3.1-8b", "--on", "hgx-h100", "--json").json()
        for change, words in (({"inpt": 1e-6}, 'unknown key "inpt"'), ({"output": "dear"}, "output is a text"), ({"input": -1e-6}, "input")):
            with self.subTest(words):
                changed = dict(priced, sheet=dict(priced["sheet"], **change))
                run = self.read_back("changed.json", json.dumps(changed))
                self.assertNotEqual(run.code, ANSWERED)
                self.assertIn(words, run.err)
        run = self.read_back("empty.json", '{"schema": "ridge.price/1"}')
        self.assertNotEqual(run.code, ANSWERED)
        self.assertIn("holds no sheet", run.err)

    @unittest.skipIf(SANITIZED, "thousands of sheets or samples, asked of the release build")
    def test_ten_times_the_samples_say_the_same(self):
        few, many = (ridge("infer", "openai/gpt-4o", "--samples", count, "--json").json() for count in ("100k", "1M"))
        for key, quantity in few["quantities"].items():
            with self.subTest(key):
                self.assertEqual(quantity["interval"], many["quantities"][key]["interval"])
                ratio = quantity["posterior"]["median"] / many["quantities"][key]["posterior"]["median"]
                self.assertLess(abs(ratio - 1), 0.1)


if __name__ == "__main__":
    unittest.main()
