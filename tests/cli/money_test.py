"""Do `ridge cost`, `ridge day`, `ridge host` and `ridge price history` say what an independent calculation says?

Everything is worked out again here from the inputs that the JSON names. Sheets come from the catalog, from files of one's own
in both formats, and from a catalog folder.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from ridge_run import ANSWERED, BAD_INPUT, ROOT, not_numbers, ridge

sys.path.insert(0, str(ROOT / "tests" / "shipped"))

import world  # noqa: E402

HOST = ["host", "llama-3.1-8b", "--on", "hgx-h100", "--isl", "4k", "--osl", "400"]
MAP = {"claude": {"litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 5e-06, "output_cost_per_token": 2.5e-05,
                  "cache_read_input_token_cost": 5e-07, "input_cost_per_token_above_2k_tokens": 1e-05,
                  "output_cost_per_token_above_2k_tokens": 3e-05, "supports_vision": True, "input_cost_per_image": 0.01}}


def answer(*arguments):
    run = ridge(*arguments, "--json")
    assert run.code == ANSWERED, str(run)
    assert not_numbers(run.out) == []
    return json.loads(run.out)


class Money(unittest.TestCase):
    def close(self, ours, theirs, tolerance=1e-9):
        self.assertAlmostEqual(ours / theirs, 1, delta=tolerance)

    def test_an_owned_hour_is_capital_interest_and_energy(self):
        for extra in ([], ["--capex", "$60000", "--life", "5 years", "--pue", "1.3", "--cost-of-capital", "12%", "--memory-cost-share", "0.3"]):
            cost = answer("cost", "gb200-nvl72", *extra)
            i = {key: one["value"] if isinstance(one, dict) else one for key, one in cost["inputs"].items()}
            capital = i["capex"] / i["life"] + i["capex"] * i["cost_of_capital"] / 2 / (365.25 * 86400)
            self.close(cost["owned"]["total"]["value"], capital + i["power"] * i["pue"] * i["electricity"])
            self.close(cost["owned"]["memory"]["value"], i["memory_share"] * capital)

    def test_deepseeks_day(self):
        day = answer("day")
        revenue = sum(day["tokens"][kind] * day["sheet"][price]
                      for kind, price in (("input_computed", "input"), ("input_cached", "cached"), ("output", "output")))
        cost = day["fleet"]["nodes"] * day["fleet"]["chips_per_node"] * day["fleet"]["time"]["value"] * day["fleet"]["rental"]["value"]
        self.close(day["revenue"]["total"], revenue)
        self.close(day["cost"], cost)
        self.close(day["cost"], 87072)
        self.close(day["revenue"]["total"], 562027, 1e-3)
        self.close(day["profit_over_cost"], 562027 / 87072 - 1, 1e-3)

    def test_hosting_against_the_sheets(self):
        host = answer(*HOST, "--cached", "0.25", "--tokens-per-day", "5G")
        tokens = host["request"]
        self.assertEqual(tokens, {"input_computed": 3000, "input_cached": 1000, "output": 400})
        mix = host["cost"]["mix"]["value"]
        self.close(mix, host["deployment"]["bill"]["value"] / host["deployment"]["capacity"]["value"])
        self.assertGreater(len(host["providers"]), 3)
        for row in host["providers"]:
            sheet = row["sheet"]
            price = (3000 * sheet["input"] + 1000 * sheet.get("cached", sheet["input"]) + 400 * sheet["output"]) / 4400
            self.close(row["mix"]["value"], price)
            self.close(1 - row["margin"], mix / price)
            self.close(row["break_even_tokens_per_day"] * price, host["deployment"]["bill"]["value"] * 86400)
            self.close(row["dollars_per_day"], 5e9 * price)
        parts = [one["value"] for name, one in host["step"].items() if name != "total"]
        self.close(sum(parts), host["step"]["total"]["value"])
        for kind, cost in host["cost"].items():
            if kind != "mix":
                self.close(sum(one["value"] for one in host["parts"][kind].values()), cost["value"])
        hit = {round(one["cached"], 2): one for one in host["margins"]}[0.25]
        self.close(hit["mix_cost"]["value"], mix)
        self.close(1 - hit["margin_by_provider"][0], 1 - host["providers"][0]["margin"])

    def test_no_fraction_of_a_gpu_is_bought(self):
        words = ("llama-3.3-70b", "--on", "hgx-h100", "--isl", "4k", "--osl", "500")  # prefill apart: 14.4 GPUs a replica
        shown = " ".join(ridge("host", *words, "--tokens-per-day", "19.44G").out.split())
        self.assertRegex(shown, r"^Llama 3.3 70B self-hosted on \d+ nodes of HGX H100: \d+ x TP8 decode, prefill as PP2 ")
        for command in ("host", "price"):
            first = ridge(command, *words).out.splitlines()[0]
            self.assertRegex(first, r" on HGX H100 \(\S+ prefill \+ \S+ decode\)")

    def test_every_tokens_cost_is_its_parts(self):
        for words in (["deepseek-v3", "--on", "hgx-h200", "--tp", "8", "--cached", "0.5"], ["llama-3.3-70b", "--on", "hgx-h100", "--disaggregated"],
                      ["llama-3.1-8b", "--on", "hgx-h100", "--tp", "2", "--pp", "2", "--engine", "trtllm"]):
            host = answer("host", *words, "--isl", "4k")
            self.assertEqual(set(host["parts"]), {"input_computed", "input_cached", "output"})
            for kind, parts in host["parts"].items():
                with self.subTest(f"{words[0]}: {kind}"):
                    self.close(sum(one["value"] for one in parts.values()), host["cost"][kind]["value"])
            fresh, cached = host["parts"]["input_computed"], host["parts"]["input_cached"]
            self.assertEqual(fresh["kv_cache"]["value"], 0)  # nothing of it is in the cache
            self.assertGreater(cached["kv_cache"]["value"], 0)
            self.assertGreater(fresh["compute"]["value"], 100 * cached["compute"]["value"])
            idle = 0.2 if "--disaggregated" in words else 0  # such chips are busy 80 % of the time
            self.assertAlmostEqual(fresh["idle"]["value"] / host["cost"]["input_computed"]["value"], idle)

    def test_a_deployment_is_the_one_that_why_answers(self):
        host = answer(*HOST, "--tp", "1", "--concurrency", "32")
        why = answer("why", *HOST[1:], "--tp", "1", "--concurrency", "32")
        self.close(host["cost"]["output"]["value"], why["output_cost"])
        self.close(host["cost"]["input_computed"]["value"], why["input_cost"])
        self.close(host["deployment"]["tpot"]["value"], why["tpot"])

    def test_sheets_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            toml, price_map = pathlib.Path(folder) / "mine.toml", pathlib.Path(folder) / "map.json"
            toml.write_text('input = "$1/Mtok"\noutput = "$2/Mtok"\n')
            price_map.write_text(json.dumps(MAP))
            self.assertEqual(answer(*HOST, "--sheet", str(toml))["providers"][0]["sheet"]["model"], "mine")
            host = answer(*HOST, "--sheet", str(price_map))
            row = host["providers"][0]
            self.assertIn("not read: input_cost_per_image (1)", host["notes"])
            self.close(row["mix"]["value"], (4000 * 1e-5 + 400 * 3e-5) / 4400)  # the long tier
            toml.write_text('input = "$1/Mtok"\noutput = "$2/Mtok"\ncached = "$3/Mtok"\n')
            self.assertIn("mine: cached input ($3.00/Mtok) is more expensive than fresh input ($1.00/Mtok)", answer(*HOST, "--sheet", str(toml))["notes"])
            for text, words in (('input = "$1/Mtok"\n', "output is missing"), ("{", "map.json"), ('currency = "EUR"\n', "input is missing"),
                                ('input = "1 EUR/Mtok"\noutput = "$1/Mtok"\n', "is in euros"), ("[]", "mine"), ("", "holds no prices")):
                file = price_map if text == "{" else toml
                file.write_text(text)
                run = ridge(*HOST, "--sheet", str(file))
                self.assertEqual(run.code, BAD_INPUT, str(run))
                self.assertIn(words, run.err)

    def test_a_folders_sheets_come_on_top(self):
        with tempfile.TemporaryDirectory() as folder:
            price = pathlib.Path(folder) / "price"
            price.mkdir()
            (price / "sources.toml").write_text('[me]\ntitle = "me"\nkind = "assumed"\n')
            sheet = '["acme/opus@2027"]\nsource = "{}"\nweights = "llama-3.1-8b"\ninput = "$0.001/Mtok"\noutput = "$0.002/Mtok"\n'
            (price / "acme.toml").write_text(sheet.format("me"))
            cheapest = answer(*HOST, "--catalog", folder)["providers"][0]
            self.assertEqual(cheapest["sheet"]["provider"], "acme")
            self.assertEqual(cheapest["sheet"]["source"], "me")
            (price / "acme.toml").write_text(sheet.format("you"))
            run = ridge("list", "prices", "--catalog", folder)
            self.assertEqual(run.code, BAD_INPUT)
            self.assertIn('unknown source "you"', run.err)

    def test_a_familys_changes_multiply_to_what_it_moved(self):
        history = answer("price", "history", "deepseek/deepseek-chat")
        changes = history["changes"]
        self.assertGreaterEqual(len(changes), 4)
        product = 1.0
        for one in changes[1:]:
            self.assertFalse(one["new"])
            product *= one["output_factor"]
        self.close(product, changes[-1]["sheet"]["output"] / changes[0]["sheet"]["output"])
        self.assertEqual([one["date"] for one in changes], sorted(one["date"] for one in changes))

    def test_what_nobody_said_is_said(self):
        taken = "not given, so taken: "
        for words, default in ((["demand"], "deepseek-v3 --on gb200-nvl72 --kv fp8"), (["demand", "--kv", "bf16"], "deepseek-v3 --on gb200-nvl72"),
                               (["context", "deepseek-v3"], "--on gb200-nvl72"), (HOST, "--cached 0 --engine vllm"),
                               (["tier", "--on", "hgx-h100"], "deepseek-v3 --context 8192 --fetch-stall 0 --reuse-probability 1 --reuse mooncake-conversation")):
            self.assertIn(taken + default, answer(*words)["notes"])
            self.assertIn(taken + default, " ".join(ridge(*words).out.split()))
        self.assertNotIn(taken, str(answer("demand", "deepseek-v3", "--on", "gb200-nvl72")["notes"]))
        # the words that it takes give the same answer
        said, unsaid = answer("demand", "deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8"), answer("demand")
        self.assertEqual(said["points"], unsaid["points"])

    def test_an_odd_sheet_is_said_wherever_it_is_read(self):
        odd = 'input = "$1/Mtok"\noutput = "$4/Mtok"\n[tier.200k]\ninput = "$0.5/Mtok"\noutput = "$5/Mtok"\n'
        finding = "above 200,000 tokens, input ($0.50/Mtok) is cheaper than below ($1.00/Mtok)"
        with tempfile.TemporaryDirectory() as folder:
            own = pathlib.Path(folder) / "own.toml"
            own.write_text(odd)
            self.assertIn("own: " + finding, answer(*HOST, "--sheet", str(own))["notes"])
            self.assertEqual(answer("infer", "--sheet", str(own), "--samples", "2k")["findings"], [finding])
            self.assertIn(finding, " ".join(ridge("infer", "--sheet", str(own), "--samples", "2k").out.split()))
            price = pathlib.Path(folder) / "catalog" / "price"
            price.mkdir(parents=True)
            (price / "sources.toml").write_text('[me]\ntitle = "me"\nkind = "assumed"\n')
            (price / "acme.toml").write_text('["acme/oddity@2027"]\nsource = "me"\n' + odd.replace("[tier", '["acme/oddity@2027".tier'))
            words = ["price", "history", "oddity", "--catalog", str(price.parent)]
            self.assertEqual(answer(*words)["changes"][0]["findings"], [finding])
            self.assertIn("odd: acme/oddity (2027): " + finding, " ".join(ridge(*words).out.split()))

    def test_a_map_with_a_bad_model_is_read_without_it(self):
        bad = dict(MAP["claude"], input_cost_per_token="€5")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "map.json"
            file.write_text(json.dumps({**MAP, "bad": bad}))
            reason = f'left out: {file}: bad: input_cost_per_token: "€5" is in euros (EUR), and only dollars are read'
            self.assertIn(reason, answer(*HOST, "--sheet", str(file))["notes"])
            self.assertIn(reason, answer("infer", "--sheet", str(file), "--samples", "2k")["notes"])
            run = ridge("infer", "--sheet", str(file), "--model", "bad", "--samples", "2k")
            self.assertEqual(run.code, BAD_INPUT)
            self.assertIn("is in euros", run.err)
            file.write_text(json.dumps({"bad": bad}))
            self.assertEqual(ridge("infer", "--sheet", str(file), "--samples", "2k").code, BAD_INPUT)

    def test_times_kept_are_told_apart(self):
        for keep, words in (("5min,300s", "--cache-ttl: 300 s appears twice"), ("5min,0s", '--cache-ttl: "0s" is out of range')):
            run = ridge("price", "llama-3.1-8b", "--on", "hgx-h100", "--cache-ttl", keep)
            self.assertEqual(run.code, BAD_INPUT, str(run))
            self.assertIn(words, run.err)

    def test_a_chip_that_costs_nothing_is_no_chip(self):
        for words in (["demand"], ["context"], ["tier"], HOST, ["price", "llama-3.1-8b", "--on", "hgx-h100"]):
            run = ridge(*words, "--price", "$0/h")
            self.assertEqual(run.code, BAD_INPUT, str(run))
            self.assertIn("--price: a chip costs nothing", run.err)


class Catalog(unittest.TestCase):
    def test_the_catalogs_prices_are_what_the_tool_writes(self):
        """From its own rows, which say what a sheet says (and nothing of what was left out), and from those that were collected, where they are here."""
        for rows in world.both("api_prices.csv"):
            with self.subTest(rows), tempfile.TemporaryDirectory() as folder:
                run = subprocess.run([sys.executable, ROOT / "tools/import_prices.py", rows, folder], capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stderr)
                written = {file.name: file.read_text() for file in pathlib.Path(folder).glob("*.toml")}
                self.assertEqual(written, {file.name: file.read_text() for file in (ROOT / "catalog/price").glob("*.toml")})


class AssumedPrices(unittest.TestCase):
    """A cost that stands on somebody's guess says so where it stands, not only in the notes."""

    QUESTION = ["llama-3.3-70b", "--isl", "4k", "--osl", "500"]
    FLEET = ["--rate", "3", "--slo", "ttft=5s,tpot=100ms", "--no-simulation"]
    COMMANDS = {"plan": ["--tpot", "80ms"], "plan, fleet": FLEET, "host": [], "host, fleet": FLEET, "price": [], "price, fleet": FLEET,
                "why": ["--tp", "8", "--concurrency", "8"]}

    def test_it_is_said_in_the_first_lines_and_beside_the_price(self):
        # hgx-a100 has an on-demand price alone: what it costs reserved is taken by a usual discount
        for name, more in self.COMMANDS.items():
            for machine, extra, assumed in (("hgx-a100", [], True), ("hgx-a100", ["--price", "$1.50/h"], False), ("hgx-h100", [], False)):
                words = [name.split(",")[0], *self.QUESTION, "--on", machine, *more, *extra]
                with self.subTest(" ".join(words)):
                    text, answer = ridge(*words), ridge(*words, "--json")
                    self.assertEqual(text.code, ANSWERED, str(text))
                    head = " ".join(" ".join(text.out.splitlines()[:9]).split())
                    self.assertEqual("assumed price" in head, assumed, text.out)
                    answer = answer.json()
                    priced = answer.get("deployment") or answer.get("best") or answer
                    self.assertEqual(priced["assumed_price"], assumed)
                    if answer.get("fleet"):
                        self.assertEqual(answer["fleet"]["assumed_price"], assumed)


if __name__ == "__main__":
    unittest.main()
