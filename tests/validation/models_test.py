"""Is every published model file read, and counted to the parameter that was published?

RIDGE_DATA names the folder of models/ and models.csv; without it the shapes that are shipped (tests/data/model_shapes.toml, written out as configs
by the build) are asked the same, and with it those must give what the whole files give. A published number of more than four digits is a count and must be met: to the last parameter by a dense model,
within 0.1% by one with experts. A rounded one must be met within its own rounding, by the language model or by
everything stored. What is not met is listed with its reason; where a rule is known that gives the number it is checked,
and where none is the list says so. Active counts are rounder and their definition differs by vendor: one passes when any
of three readings fits, which says less than a total that is met.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shipped"))

import world  # noqa: E402

RIDGE = os.environ["RIDGE"]
DATA = world.best("models.csv")
MODELS, EXACT = (90, 30) if DATA == world.WHOLE else (70, 20)  # at least so many, and so many with an exact count

BILLION = 10**9

# Counts known to the last unit, with where the number stands. [HF] is the Hub's count of elements in the safetensors
# files, as quoted by others. Mostly only the sum ("stored", or "total" where that is all) was published: its split into
# text, MTP and vision is from independent scripts over the same configs, except where "by part" says otherwise.
KNOWN = {
    # F8 680,571,043,840 + BF16 3,918,786,560 + F32 41,555,600, less the 41,540,496 scales [HF]; README_WEIGHTS.md: 671B
    # and 36.7B without the embedding; 61 layers of 576 elements of bf16 a token
    "deepseek-ai/DeepSeek-V3": {"total": 671_026_419_200, "stored": 684_489_845_504, "mtp": 13_463_426_304,
                                "active": 37_552_297_472, "active_without_embedding": 36_625_618_432,
                                "kv_bytes_per_token": 70_272, "bytes_stored": 688_574_839_360},
    "deepseek-ai/DeepSeek-R1": {"total": 671_026_419_200, "stored": 684_489_845_504},
    # [HF] without scales
    "deepseek-ai/DeepSeek-V3.2": {"total": 671_877_944_064, "stored": 685_355_329_792},
    "deepseek-ai/DeepSeek-V2-Lite": {"total": 15_706_484_224, "stored": 15_706_484_224},  # [HF]
    # total_size of the index; elements: 284,332,240,471 and the three tables of the hash layers
    "deepseek-ai/DeepSeek-V4-Flash": {"total": 284_334_567_511, "mtp": 6_610_048_891, "bytes_stored": 159_609_485_896},
    "nvidia/DeepSeek-V4-Flash-NVFP4": {"bytes_stored": 168_266_793_544},  # total_size of the index
    "zai-org/GLM-4.5_rtpllm-testdata": {"total": 352_797_829_024, "mtp": 5_539_962_272, "stored": 358_337_791_296},  # [HF]
    "zai-org/GLM-5": {"total": 743_911_218_432, "mtp": 9_952_920_576, "stored": 753_864_139_008},  # [HF]
    "zai-org/GLM-5.1": {"stored": 753_864_139_008},  # [HF]
    "zai-org/GLM-5.1-FP8": {"stored": 753_864_139_008},  # [HF] 753,910,024,032 with its scales
    "Qwen/Qwen3-Next-80B-A3B-Instruct": {"total": 79_674_391_296, "mtp": 1_650_471_424, "stored": 81_324_862_720},  # [HF]
    "Qwen/Qwen3.5-27B": {"total": 26_895_998_464, "mtp": 424_699_392, "vision": 460_730_096, "stored": 27_781_427_952},  # [HF] of Qwen3.8-27B, same shape
    "Qwen/Qwen3.5-35B-A3B": {"total": 34_660_610_688, "mtp": 844_640_768, "vision": 446_571_248, "stored": 35_951_822_704},  # [HF]
    # index of the bf16 release: BF16 125,086,490,096 + F32 6,912
    "nvidia/Qwen3.5-122B-A10B-NVFP4": {"total": 122_111_526_912, "mtp": 2_523_679_232, "vision": 451_290_864,
                                       "stored": 125_086_497_008},
    # [HF] by part
    "Qwen/Qwen3.5-397B-A17B": {"total": 396_346_350_336, "mtp": 6_595_568_128, "vision": 456_010_480,
                               "stored": 403_397_928_944},
    "Qwen/Qwen2.5-VL-3B-Instruct": {"vision": 668_684_288, "stored": 3_754_622_976},  # the loaded model's count
    "Qwen/Qwen2.5-VL-32B-Instruct": {"vision": 688_841_984, "stored": 33_452_718_336},  # [HF]
    "Qwen/Qwen3-VL-2B-Instruct": {"vision": 406_957_056, "stored": 2_127_532_032},  # [HF]
    "Qwen/Qwen3-VL-4B-Instruct": {"vision": 415_347_712, "stored": 4_437_815_808},  # the loaded model's count
    "Qwen/Qwen3-VL-8B-Instruct": {"vision": 576_388_336, "stored": 8_767_123_696},  # [HF]
    "Qwen/Qwen3-VL-30B-A3B-Instruct": {"vision": 538_631_408, "stored": 31_070_754_032},  # [HF]
    "Qwen/Qwen3-235B-A22B": {"total": 235_093_634_560},  # [HF]
    "Qwen/Qwen3-30B-A3B": {"total": 30_532_122_624},  # [HF]
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": {"total": 31_577_940_288},  # llama.cpp's n_params
    # Megatron-Bridge's count of the checkpoint
    "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4": {"mtp": 1_335_325_952, "stored": 32_913_266_240},
    # [HF] 123,611,012,096 in bf16 and 41 * 512 router biases in fp32
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-FP8": {"mtp": 2_942_325_248, "stored": 123_611_033_088},
    "nvidia/Llama-3_3-Nemotron-Super-49B-v1": {"total": 49_867_145_216},  # [HF]
    "MiniMaxAI/MiniMax-M2.5": {"total": 228_689_764_864, "stored": 228_689_764_864},  # [HF] of M2, M2.1 and M2.7
    "MiniMaxAI/MiniMax-M2.7": {"total": 228_689_764_864, "stored": 228_689_764_864},
    # [HF] 5,123,178,051: the Hub counts the 928 clipping bounds, which have no dimension, as nothing
    "google/gemma-4-E2B-it": {"stored": 5_123_178_051 + 928},
    "google/gemma-4-26B-A4B": {"total": 25_233_141_790, "stored": 25_805_936_206},  # [HF]
    "nvidia/Gemma-4-31B-IT-NVFP4": {"total": 30_697_345_340, "stored": 31_273_088_876},  # [HF] of the bf16 release
    "google/gemma-2-2b-it": {"total": 2_614_341_888},  # [HF]
    "google/gemma-3-1b-it": {"total": 999_885_952},  # [HF]
    # [HF]
    "RedHatAI/Llama-4-Scout-17B-16E-Instruct-FP8-dynamic": {"total": 107_769_861_120, "vision": 871_932_416,
                                                            "stored": 108_641_793_536},
    "meta-llama/Llama-3.2-11B-Vision-Instruct": {"total": 9_775_192_080, "stored": 10_670_220_835},  # [HF]
    "openai/gpt-oss-120b": {"total": 116_829_156_672, "active_without_embedding": 5_132_849_472},  # [HF]; card 5.13B
    "openai/gpt-oss-20b": {"total": 20_914_757_184, "active_without_embedding": 3_608_307_264},  # [HF]; card 3.61B
}

# Published totals that are not met. A rule that was found elsewhere is checked: the count by the rule and what it must
# give. No rule (None): the difference is not explained, or the number is a name too coarse to check; the reason says which.
EXCEPTIONS = {
    "meta-llama/Llama-4-Scout-17B-16E-Instruct": (
        "109B includes the vision tower, which this file does not describe; RedHatAI's file of the same model does",
        lambda counts: counts["total"] + 871_932_416, 109 * BILLION),
    "zai-org/GLM-4.5_rtpllm-testdata": (
        "355B = everything stored without the four embedding and head tables (the module's copies among them)",
        lambda counts: counts["stored"] - 2 * (counts["embedding"] + counts["head"]), 355 * BILLION),
    "MiniMaxAI/MiniMax-M2.5": ("the card says 230B; the Hub counts 228,689,764,864",
                               lambda counts: counts["stored"], 228_689_764_864),
    # an indexer by its published shapes: wq_b 64 * 128 * 1536, wk 128 * 7168, k_norm 2 * 128, weights_proj 64 * 7168
    "deepseek-ai/DeepSeek-V3.2": ("671B is V3's count: the indexers of 61 layers come on top",
                                  lambda counts: counts["total"] - 61 * 13_959_424, 671_026_419_200),
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-FP8": ("120B is a name; the Hub counts 123,611,012,096 and 41 * 512 fp32 biases",
                                                     lambda counts: counts["stored"], 123_611_012_096 + 41 * 512),
    "moonshotai/Kimi-K2-Instruct": (
        "UNEXPLAINED: the report says 1.04T; the Hub counts 1,026,408,235,864, which is 3,416 more than we do", None, None),
    "moonshotai/Kimi-K2.5": ("not checkable: 1T is a name", None, None),
    # text and vision give 396.80B, which would round to 397B, but the same rule makes the 122B model 123B
    "Qwen/Qwen3.5-397B-A17B": (
        "UNEXPLAINED name: 396.35B of text; no one rule gives the names of all four sizes. The Hub's count is met", None, None),
}

# Published active counts that none of the three readings meets. "Cut off" is our guess: no vendor says so.
ACTIVE_EXCEPTIONS = {
    "Qwen/Qwen3-30B-A3B": "3.353B rounds to 3.4B; perhaps cut off",
    "Qwen/Qwen3-30B-A3B-Instruct-2507": "3.353B rounds to 3.4B; perhaps cut off",
    "deepseek-ai/DeepSeek-V2-Lite": "2.451B without the input embedding rounds to 2.5B; perhaps cut off",
    "moonshotai/Kimi-K2-Instruct": "UNEXPLAINED: the report's 32.6B; the card's 32B is 31.69B without the input embedding",
}


def significant(number):
    return len(str(int(number)).rstrip("0"))


def agrees(count, published):
    """Within the rounding of the published number; whole billions are written without their trailing zeros."""
    text = str(int(published))
    unit = min(10 ** (len(text) - significant(published)), BILLION)
    return abs(count - published) <= unit / 2


def shown(file):
    return subprocess.run([RIDGE, "show", "model", str(file), "--json"], capture_output=True, text=True, timeout=60)


def counted(file):
    run = shown(file)
    if run.returncode != 0:
        return None, " ".join(run.stderr.split())[:200]
    answer = json.loads(run.stdout)
    parts = answer["parts"]
    counts = {key.removeprefix("parameters_"): answer[key] for key in
              ("parameters_total", "parameters_stored", "parameters_active", "parameters_active_without_embedding",
               "bytes_stored", "kv_bytes_per_token")}
    return {**parts, **counts, "experts": parts["routed_experts"] > 0, "tied": answer["tied_embeddings"]}, ""


def verdict(name, counts, published):
    """One of: exact, within ..., exception (its rule holds), not met (listed, no rule), off; - where nothing is published."""
    if not published:
        return "exact by part" if name in KNOWN else "-"
    if significant(published) > 4:
        if counts["total"] == published:
            return "exact"
        close = counts["experts"] and abs(counts["total"] - published) <= 1e-3 * published
        return "within 0.1%" if close else "off"
    if agrees(counts["total"], published):
        return "within rounding"
    if agrees(counts["stored"], published):
        return "within rounding, all stored"
    if name in EXCEPTIONS:
        reason, rule, target = EXCEPTIONS[name]
        if rule is None:
            return f"not met: {reason}"
        value = rule(counts)
        met = value == target or (significant(target) <= 4 and agrees(value, target))
        return f"exception: {reason}" if met else "off"
    return "off"


def active_reading(counts, published):
    """Which reading of "active" a published count fits; nothing where none does."""
    without = counts["active_without_embedding"]
    both = without - (0 if counts["tied"] else counts["head"])
    for reading, count in (("all", counts["active"]), ("no embedding", without), ("no tables", both)):
        if agrees(count, published):
            return reading
    return ""


class ShippedCounts(unittest.TestCase):
    """The same of the catalog's own models: what their makers published is shipped with the tests."""

    @classmethod
    def setUpClass(cls):
        shipped = pathlib.Path(__file__).resolve().parents[1] / "data" / "published_counts.csv"
        with open(shipped, newline="") as file:
            cls.rows = [{**row, "counts": counted(row["model"])[0]} for row in csv.DictReader(file)]

    def test_every_published_total_is_met(self):
        self.assertGreaterEqual(len(self.rows), 30)
        words = {}
        for row in self.rows:
            with self.subTest(row["repository"]):
                word = verdict(row["repository"], row["counts"], int(row["published_total"]))
                words[word.split(":")[0]] = words.get(word.split(":")[0], 0) + 1
                self.assertNotEqual(word, "off", f"{row['counts']['total']:,.0f} against {row['published_total']} ({row['source']})")
        print(f"\n{len(self.rows)} models of the catalog:", ", ".join(f"{count} {word}" for word, count in sorted(words.items())))

    def test_every_published_active_count_is_met_by_some_reading(self):
        for row in self.rows:
            if row["published_active"]:
                with self.subTest(row["repository"]):
                    self.assertTrue(active_reading(row["counts"], int(row["published_active"])) or row["repository"] in ACTIVE_EXCEPTIONS)


class PublishedModels(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        with open(DATA / "models.csv", newline="") as file:
            published = {row["file"]: row for row in csv.DictReader(file)}
        cls.rows = []
        for path in sorted((DATA / "models").glob("*.json")):
            row = published.get(f"models/{path.name}", {})
            name = row.get("name") or path.stem.replace("--", "/", 1)
            counts, refusal = counted(path)
            cls.rows.append({"name": name, "counts": counts, "refusal": refusal,
                             "total": int(row.get("published_total_params") or 0),
                             "active": int(row.get("published_active_params") or 0)})

    def test_the_table_of_outcomes(self):
        print(f"\n{'model':52} {'total':>17} {'active':>15} {'stored':>17} {'published':>17}  verdict")
        tally = {}
        for row in self.rows:
            if row["counts"] is None:
                word = "refused: " + row["refusal"]
                print(f"{row['name']:52} {'-':>17} {'-':>15} {'-':>17} {row['total'] or '-':>17}  {word}")
            else:
                counts = row["counts"]
                word = verdict(row["name"], counts, row["total"])
                print(f"{row['name']:52} {counts['total']:17,.0f} {counts['active']:15,.0f} {counts['stored']:17,.0f} "
                      f"{row['total'] or '-':>17,}  {word}" if row["total"] else
                      f"{row['name']:52} {counts['total']:17,.0f} {counts['active']:15,.0f} {counts['stored']:17,.0f} "
                      f"{'-':>17}  {word}")
            short = word.split(":")[0]
            tally[short] = tally.get(short, 0) + 1
        print(f"{len(self.rows)} models:", ", ".join(f"{count} {word}" for word, count in sorted(tally.items())))
        self.assertGreaterEqual(len(self.rows), MODELS)

    def test_no_model_is_refused(self):
        self.assertEqual([(row["name"], row["refusal"]) for row in self.rows if row["counts"] is None], [])

    def test_every_published_total_is_met(self):
        off = [(row["name"], row["counts"]["total"], row["counts"]["stored"], row["total"]) for row in self.rows
               if row["counts"] and verdict(row["name"], row["counts"], row["total"]) == "off"]
        self.assertEqual(off, [])

    def test_a_dense_model_is_met_to_the_last_parameter(self):
        exact = [row for row in self.rows if row["counts"] and significant(row["total"]) > 4]
        self.assertGreater(len(exact), EXACT)
        for row in exact:
            with self.subTest(row["name"]):
                if not row["counts"]["experts"]:
                    self.assertEqual(row["counts"]["total"], row["total"])

    def test_known_counts_are_met_part_by_part(self):
        by_name = {row["name"]: row["counts"] for row in self.rows}
        for name, known in KNOWN.items():
            with self.subTest(name):
                self.assertIsNotNone(by_name.get(name), "no such model here")
                self.assertEqual({key: by_name[name][key] for key in known}, known)

    def test_every_exception_is_still_one(self):
        # what is met without its exception needs none
        for row in self.rows:
            if row["counts"] and row["name"] in EXCEPTIONS:
                with self.subTest(row["name"]):
                    self.assertRegex(verdict(row["name"], row["counts"], row["total"]), "^(exception|not met):")
            if row["counts"] and row["name"] in ACTIVE_EXCEPTIONS:
                with self.subTest(row["name"] + ", active"):
                    self.assertEqual(active_reading(row["counts"], row["active"]), "")

    def test_every_published_active_count_is_met_by_some_reading(self):
        print("\npublished active parameters, and the reading of \"active\" that gives them")
        readings = {}
        for row in self.rows:
            if not row["active"] or not row["counts"]:
                continue
            counts, name = row["counts"], row["name"]
            reading = active_reading(counts, row["active"])
            readings[reading] = readings.get(reading, 0) + 1
            said = reading or "none: " + ACTIVE_EXCEPTIONS.get(name, "?")
            print(f"  {name:52} {row['active'] / 1e9:7.4g}B  all {counts['active'] / 1e9:7.3f}B  no embedding "
                  f"{counts['active_without_embedding'] / 1e9:7.3f}B  fits: {said}")
            with self.subTest(name):
                self.assertTrue(reading or name in ACTIVE_EXCEPTIONS)
        print("  " + ", ".join(f"{count} {word or 'none'}" for word, count in readings.items()))

    def test_quantized_copies_count_the_same(self):
        by_name = {row["name"]: row["counts"] for row in self.rows if row["counts"]}
        for base, copy in (("Qwen/Qwen3-32B", "Qwen/Qwen3-32B-FP8"), ("Qwen/Qwen3-235B-A22B", "nvidia/Qwen3-235B-A22B-NVFP4"),
                           ("zai-org/GLM-5.1", "zai-org/GLM-5.1-FP8"), ("moonshotai/Kimi-K2.5", "nvidia/Kimi-K2.5-NVFP4"),
                           ("deepseek-ai/DeepSeek-V4-Flash", "sgl-project/DeepSeek-V4-Flash-FP8"),
                           ("MiniMaxAI/MiniMax-M2.5", "nvidia/MiniMax-M2.5-NVFP4"),
                           ("google/gemma-4-26B-A4B", "nvidia/Gemma-4-26B-A4B-NVFP4")):
            with self.subTest(copy):
                for key in ("total", "active", "stored"):
                    self.assertEqual(by_name[copy][key], by_name[base][key], key)


if world.has("models"):

    class ShippedShapes(unittest.TestCase):
        def test_a_shipped_shape_says_what_its_whole_file_says(self):
            """But for the keys that nobody reads, and where the file is."""
            files = sorted((world.SHIPPED / "models").glob("*.json"))
            self.assertGreaterEqual(len(files), 70)
            for file in files:
                with self.subTest(file.stem):
                    here, there = (json.loads(shown(path).stdout.replace(str(path), file.name)) for path in (file, world.WHOLE / "models" / file.name))
                    self.assertEqual({**here, "unread_keys": []}, {**there, "unread_keys": []})


if __name__ == "__main__":
    unittest.main(verbosity=2)
