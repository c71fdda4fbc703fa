"""Does `ridge tier` say what an independent calculation says?

Costs are worked out again from the catalog's own files, the fleet's cost by adding up time in small steps.
"""

import bisect
import collections
import json
import math
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

from ridge_run import ANSWERED, ROOT, ridge

sys.path.insert(0, str(ROOT / "tests" / "shipped"))

import world  # noqa: E402

UNITS = {"TB": 1e12, "GB": 1e9, "MB": 1e6, "TB/s": 1e12, "GB/s": 1e9, "MB/s": 1e6, "kB": 1e3, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "day": 86400, "days": 86400,
         "year": 31557600, "W": 1, "%": 0.01}
YEAR = 365.25 * 86400


def reused_again(trace, limits):
    """Kaplan and Meier from the definition: S(t) is the product over the times of reuse u <= t of 1 - (reused after u) / (seen for u or longer)."""
    uses, now = {}, 0
    for line in trace.read_text().splitlines():
        request = json.loads(line)
        now = request["timestamp"]  # whole milliseconds: equal times are equal
        for block in request["hash_ids"]:
            uses.setdefault(block, []).append(now)
    reused = sorted(later - sooner for times in uses.values() for sooner, later in zip(times, times[1:]))
    seen = sorted(reused + [now - times[-1] for times in uses.values()])
    shares = []
    for limit in limits:
        still = 1.0
        for time, times in collections.Counter(reused).items():
            if time <= 1000 * limit:
                still *= 1 - times / (len(seen) - bisect.bisect_left(seen, time))
        shares.append(1 - still)
    return shares


def number(text):
    if not isinstance(text, str):
        return text
    if text.startswith("$"):
        value, _, unit = text[1:].partition("/")
        return float(value) / (3.6e6 if unit == "kWh" else 1)
    value, _, unit = text.partition(" ")
    return float(value) * UNITS[unit]


def device(name):
    entry = tomllib.loads((ROOT / "catalog" / "tier" / f"{name}.toml").read_text())
    own = {key: number(one["value"]) for key, one in entry["owned"].items()}
    out = {key: number(one["value"]) for key, one in entry["device"].items()}
    server = {key: number(one["value"]) for key, one in entry.get("server", {}).items()}
    energy = (own["power"] + server.get("power", 0)) * own["pue"] * own["electricity"]
    bought = own["capex"] + server.get("price", 0)
    out["price"] = bought / own["life"] + bought * own["cost_of_capital"] / 2 / YEAR + energy
    out["wear"] = own["capex"] / out["capacity"] / out["rewrites"] if "rewrites" in out else 0
    out["seeking"] = out["seek"] / out["piece"] if "seek" in out else 0
    out["work"] = out["price"] / out["utilization"]
    return out


def fetch_time(own, whole, chips):
    """Way, wait behind others (M/D/1), and the longer of one device's part and of all that the chips draw."""
    request = min(whole, own["piece"]) if "piece" in own else whole / chips
    service = own.get("seek", 0) + request / own["read"]
    wait = service * own["utilization"] / (2 * (1 - own["utilization"]))
    return own.get("latency", 0) + wait + max(service, whole / (chips * own["reach"]))


def curve(name):
    within = tomllib.loads((ROOT / "catalog" / "reuse" / f"{name}.toml").read_text())["within"]
    points = sorted((number(time), share) for time, share in within.items() if time != "source")
    return [(0, 0), *points]


def reused(points, time):
    for (t0, h0), (t1, h1) in zip(points, points[1:]):
        if time <= t1:
            return h0 + (h1 - h0) * (time - t0) / (t1 - t0)
    return points[-1][1]


class Tiers(unittest.TestCase):
    def close(self, a, b, tolerance=1e-9):
        self.assertTrue(math.isclose(a, b, rel_tol=tolerance), f"{a} is not {b}")

    def answer(self, *arguments):
        run = ridge("tier", *arguments, "--json")
        self.assertEqual(run.code, ANSWERED, str(run))
        return run.json()

    def test_costs_follow_from_the_catalog(self):
        answer = self.answer("llama-3.1-70b", "--on", "hgx-h100", "--fetch-stall", "0.25")
        kept, chip = answer["kv_bytes_per_token"], answer["chip_price"]
        self.assertEqual(kept, 327680)  # 80 layers x 8 heads x 128 x 2 x 2 B
        for tier in answer["tiers"]:
            if tier["name"] in ("hbm", "recompute"):
                continue
            with self.subTest(tier["name"]):
                own = device(tier["name"])
                self.close(tier["hold"], kept * own["price"] / own["capacity"])
                time = fetch_time(own, kept * 8192, 8)
                self.close(tier["fetch_time"], time)
                self.close(tier["fetch"], kept * (1 / own["read"] + own["seeking"]) * own["work"] + 0.25 * time * 8 * chip / 8192)
                self.close(tier["write"], kept * ((1 / own["write"] + own["seeking"]) * own["work"] + own["wear"]))
                self.close(tier["drain"], own["capacity"] / own["read"])

    def test_chips_that_wait_for_a_disk_wait_for_its_seek(self):
        """72 chips at $3.30 an hour for 66.2 ms over 8,192 tokens are $0.53 a million: no disk at full price of chips."""
        answer = self.answer("--active", "100B", "--kv-bytes", "2 kB/token", "--on", "gb200-nvl72", "--fetch-stall", "1")
        disk = next(tier for tier in answer["tiers"] if tier["name"] == "disk")
        own = device("disk")
        alone = own["seek"] + own["piece"] / own["read"]  # 8 ms + 16 MB / 275 MB/s
        self.close(alone, 66.18e-3, 1e-3)
        chips = 72 * answer["chip_price"] / 8192
        self.assertGreater(disk["fetch"], alone * chips)
        self.close(disk["fetch_time"], own["latency"] + alone * 1.75)  # at 60 % a request waits 0.75 of one
        self.close(disk["fetch"] - disk["fetch_time"] * chips, 2000 * (1 / own["read"] + own["seeking"]) * own["work"], 1e-6)
        again = next(tier for tier in answer["tiers"] if tier["name"] == "recompute")
        self.assertGreater(disk["fetch"], again["fetch"])  # waiting for it costs more than computing it again

    def test_recomputing_costs_what_the_host_says(self):
        for context in ("1024", "8192"):
            tier = self.answer("deepseek-v3", "--on", "hgx-h200", "--context", context)
            again = next(one for one in tier["tiers"] if one["name"] == "recompute")
            host = ridge("host", "deepseek-v3", "--on", "hgx-h200", "--isl", context, "--json").json()
            self.assertEqual(again["fetch"], host["cost"]["input_computed"]["value"])
            self.assertEqual(again["load"], host["input_load"])
            self.assertEqual(again["load"]["prefill_tokens_per_step"], float(context))

    def test_a_busier_device_is_slower_to_answer_and_cheaper(self):
        def disk(*more):
            answer = self.answer("deepseek-v3", "--on", "hgx-h100", *more)
            return next(one for one in answer["tiers"] if one["name"] == "disk")
        idle, busy = disk("--device-utilization", "0.1"), disk("--device-utilization", "0.9")
        self.assertGreater(busy["fetch_time"], idle["fetch_time"])
        self.assertLess(busy["fetch"], idle["fetch"])
        self.assertNotIn("utilization", busy["assumed_facts"])
        self.assertIn("utilization", disk()["assumed_facts"])
        for one in ("life", "power", "PUE"):
            self.assertIn(one, disk()["assumed_facts"])
        self.assertNotEqual(ridge("tier", "--device-utilization", "1").code, ANSWERED)

    def test_the_map_names_the_cheapest(self):
        answer = self.answer("deepseek-v3", "--on", "gb200-nvl72", "--context", "100k")
        for cell in answer["map"]:
            cost = {t["name"]: t["write"] + t["hold"] * cell["time"] + cell["reuse_probability"] * t["fetch"] for t in answer["tiers"]}
            self.close(cost[cell["tier"]], min(cost.values()))

    def test_a_fleet_pays_what_adding_up_gives(self):
        for name in ("mooncake-conversation", "agent"):
            answer = self.answer("deepseek-v3", "--on", "hgx-h100", "--reuse", name)
            tiers = {tier["name"]: tier for tier in answer["tiers"]}
            points = curve(name)
            for choice in answer["fleet"]["tiers"]:
                if choice["keep"] == 0:
                    continue
                with self.subTest(name, tier=choice["tier"]):
                    tier, steps = tiers[choice["tier"]], 20000
                    hits = reused(points, choice["keep"])
                    held = sum(1 - reused(points, choice["keep"] * (i + 0.5) / steps) for i in range(steps)) * choice["keep"] / steps
                    self.close(choice["hits"], hits)
                    self.close(choice["held"], held, 1e-4)
                    self.close(choice["cost"], (1 - hits) * (tiers["recompute"]["fetch"] + tier["write"]) + hits * tier["fetch"] + tier["hold"] * held, 1e-4)

    def test_the_tariff_of_the_claim(self):
        tariff = self.answer("deepseek-v3", "--on", "hgx-h100", "--tariff", "input=$5/Mtok,hit=$0.50/Mtok,5min=$6.25/Mtok,1h=$10/Mtok")["tariff"]
        self.close(tariff["hold"] * 3.6e9, 45 / 11)
        self.close(tariff["premium"] * 1e6, 10 / 11)
        self.assertEqual({row["tier"] for row in tariff["tiers"] if row["consistent_by_price"]}, {"hbm", "cxl", "dram", "flash", "flash-dense", "disk"})

    def test_a_sheet_of_the_catalog_is_read_as_its_prices_are(self):
        named = self.answer("--on", "hgx-h100", "--tariff", "anthropic/claude-opus-5")["tariff"]
        written = self.answer("--on", "hgx-h100", "--tariff", "input=$5/Mtok,hit=$0.50/Mtok,5min=$6.25/Mtok,1h=$10/Mtok")["tariff"]
        self.close(named["hold"], written["hold"])
        self.assertEqual([row["consistent_by_price"] for row in named["tiers"]], [row["consistent_by_price"] for row in written["tiers"]])

    def test_a_price_of_holding_needs_no_times(self):
        tariff = self.answer("deepseek-v3", "--on", "hgx-h100", "--tariff", "input=$2/Mtok,hit=$0.20/Mtok,hold=$4.50/Mtok/h")["tariff"]
        self.close(tariff["hold"] * 3.6e9, 4.5)
        self.assertEqual(tariff["premium"], 0)

    def test_the_measured_curve_is_what_the_tool_makes_of_the_trace(self):
        """Of a part of the trace, worked out again from the definition; of the whole, where it is here, the catalog's entry besides."""
        name = Path("traces") / "mooncake_fast25_conversation_trace.jsonl"
        entry = ROOT / "catalog" / "reuse" / "mooncake-conversation.toml"
        title = tomllib.loads(entry.read_text())["title"]
        for folder in world.both(name):
            made = subprocess.run([sys.executable, ROOT / "tools" / "reuse_curve.py", folder / name, "--title", title, "--source", "mooncake-trace"],
                                  capture_output=True, text=True, check=True).stdout
            within = tomllib.loads(made)["within"]
            self.assertEqual(within.pop("source"), "mooncake-trace")
            self.assertGreater(len(within), 14)
            for time, expected in zip(within, reused_again(folder / name, [number(time) for time in within]), strict=True):
                with self.subTest(folder=folder, time=time):
                    self.assertAlmostEqual(within[time], expected, delta=0.51e-4)  # written with four digits
            self.assertGreater(within["10 min"], 0.3)  # conversations go on
            if folder == world.WHOLE:
                self.assertEqual(made, entry.read_text())

    def test_a_tier_of_your_own_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "tier").mkdir()
            text = (ROOT / "catalog" / "tier" / "dram.toml").read_text().replace("$38500", "$3850")
            (Path(folder) / "tier" / "dram.toml").write_text(text)
            mine = self.answer("--on", "hgx-h100", "--catalog", folder)
        usual = self.answer("--on", "hgx-h100")
        hold = lambda answer: next(tier["hold"] for tier in answer["tiers"] if tier["name"] == "dram")
        self.assertLess(hold(mine), 0.15 * hold(usual))


class OddTariffs(unittest.TestCase):
    def reading(self, tariff):
        run = ridge("tier", "--on", "hgx-h100", "--tariff", tariff, "--json")
        self.assertEqual(run.code, ANSWERED, str(run))
        return json.loads(run.out)["tariff"]

    def test_a_longer_time_that_is_cheaper_is_a_finding_and_no_negative_bytes(self):
        odd = self.reading("input=$5/Mtok,hit=$6/Mtok,5min=$10/Mtok,1h=$6.25/Mtok")
        self.assertIn("cached input ($6.00/Mtok) is more expensive than fresh input ($5.00/Mtok)", odd["findings"])
        self.assertIn("a write kept 3,600 s ($6.25/Mtok) is cheaper than one kept 300 s ($10.00/Mtok)", odd["findings"])
        self.assertNotIn("hold", odd)
        for tier in odd["tiers"]:
            self.assertNotIn("most_bytes_by_hold", tier)
            self.assertFalse(tier["consistent_by_price"])
        text = ridge("tier", "--on", "hgx-h100", "--tariff", "input=$5/Mtok,5min=$10/Mtok,1h=$6.25/Mtok").out
        self.assertIn("odd: a write kept 3,600 s", text)
        self.assertNotRegex(text.split("The tariff")[1], r"\s-[0-9$]|\$-")

    def test_short_times_given_away_are_a_finding(self):
        # holding 5 $/Mtok for 55 min is $5.45/Mtok/h, so the five minutes that the write includes are worth $0.45
        given = self.reading("input=$5/Mtok,5min=$5/Mtok,1h=$10/Mtok")
        self.assertAlmostEqual(given["premium"] * 1e6, -5 * 5 / 55)
        self.assertIn("$0.4545/Mtok less than fresh input", given["findings"][0])
        self.assertEqual(self.reading("input=$5/Mtok,5min=$6.25/Mtok,1h=$10/Mtok")["findings"], [])


if __name__ == "__main__":
    unittest.main()
