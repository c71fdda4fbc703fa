"""Two commands that print the same figure print the same number: 200 random cases, to 1e-9.

What is compared: the figures of ridge why with those of fit, price, host, plan, layout and sweep for the same deployment
and load, and of ridge curve with a bound. Then what physics says of all of them: parts sum to wholes, more bandwidth is
never slower, a longer prompt never cheaper, more utilization never more expensive, more chips never serve less.
"""

import math
import os
import random
import shlex
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import through_the_door  # noqa: E402
from ridge_run import ANSWERED, BAD_INPUT, DOES_NOT_FIT, ridge  # noqa: E402

CASES = 200
SEED = 17
WORKERS = min(4, os.cpu_count() or 1)

# model, weights, machine, layouts as flags: (tp, dp, ep, pp)
DENSE = [(1, 1, 1, 1), (2, 1, 1, 1), (4, 1, 1, 1), (8, 1, 1, 1), (2, 1, 1, 2), (4, 1, 1, 2)]
SPARSE = [(8, 1, 1, 1), (8, 1, 8, 1), (1, 8, 8, 1), (2, 4, 8, 1), (1, 16, 16, 1), (4, 4, 16, 1), (1, 8, 8, 2)]
MODELS = [("llama-3.1-8b", None, DENSE), ("llama-3.1-70b", "fp8", DENSE), ("qwen3-32b", "fp8", DENSE),
          ("deepseek-v3", None, SPARSE), ("gpt-oss-120b", None, SPARSE[:4] + DENSE[:2]), ("mixtral-8x22b", "fp8", SPARSE[:4]),
          ("gemma-2-2b", None, DENSE[:3])]
MACHINES = ["hgx-h100", "hgx-h200", "hgx-b200", "gb200-nvl72", "mi355x-8", "tpu-v6e-pod"]


def cases():
    rng = random.Random(SEED)
    while True:
        model, weights, layouts = rng.choice(MODELS)
        tp, dp, ep, pp = rng.choice(layouts)
        isl, osl = (int(round(10 ** rng.uniform(2, 4))), int(round(10 ** rng.uniform(1.5, 3.3))))
        concurrency = dp * pp * int(round(2 ** rng.uniform(0, 6)))
        flags = ["--on", rng.choice(MACHINES), "--tp", tp, "--dp", dp, "--ep", ep, "--pp", pp, "--cp", 1]
        flags += ["--weights", weights] if weights else []
        flags += ["--price", f"${rng.uniform(1, 5):.2f}/h"] if rng.random() < 0.3 else ["--price-basis", rng.choice(["on-demand", "reserved-3y", "owned"])]
        flags += ["--engine", "sglang"] if rng.random() < 0.3 else []
        yield model, [str(one) for one in flags], isl, osl, concurrency


def ask(*arguments):
    """JSON of an answer; nothing where a request does not fit, or the layout cannot be."""
    answer = through_the_door.ask(through_the_door.request_of([one for one in arguments if one != "--quiet"]))
    if answer["exit"] not in (ANSWERED, DOES_NOT_FIT, BAD_INPUT) or "unknown" in str(answer.get("errors")):
        raise AssertionError(f"{arguments}: {answer}")
    asked = answer.get("json", {})
    return asked if "tpot" in asked or answer["exit"] == ANSWERED else None


class Differences:
    def __init__(self, name):
        self.name, self.found, self.compared = name, [], 0

    def same(self, what, one, other, tolerance=1e-9):
        self.compared += 1
        if one is None or other is None or not math.isclose(one, other, rel_tol=tolerance, abs_tol=1e-300):
            self.found.append(f"{self.name}: {what}: {one!r} and {other!r}")

    def at_most(self, what, low, high):
        self.compared += 1
        if not low <= high * (1 + 1e-9):
            self.found.append(f"{self.name}: {what}: {low!r} is more than {high!r}")


def compare(case):
    model, flags, isl, osl, concurrency = case
    question = [model, *flags, "--isl", isl, "--osl", osl]
    load = ["--concurrency", concurrency]
    why = ask("why", *question, *load)
    if why is None:
        return None
    d = Differences(" ".join(map(str, question + load)))
    price, fit = ask("price", *question, *load, "--margin", 0, "--utilization", 1), ask("fit", *question, *load)
    host = ask("host", *question, *load)
    for key in ("tpot", "output_cost", "input_cost", "output_tok_s", "requests_per_s"):
        d.same(f"{key} of why and fit", why[key], fit[key])
    for key in why["memory"]:
        d.same(f"memory.{key} of why and fit", why["memory"][key], fit["memory"][key])
    if price is not None:
        d.same("cost of output, price and why", price["standard"]["output_cost"], why["output_cost"])
        d.same("cost of input, price and why", price["standard"]["input_cost"], why["input_cost"])
        d.same("price of output without a margin", price["sheet"]["output"], why["output_cost"])
        d.same("price of input without a margin", price["sheet"]["input"], why["input_cost"])
        d.same("tokens/s of a user, price and why", price["standard"]["tok_s_per_user"], why["tok_s_per_user"])
        batch = next(mode for mode in price["sheet"]["modes"] if mode["name"] == "batch")
        d.at_most("batch output over usual", batch["output"], price["sheet"]["output"])
        d.at_most("batch input over usual", batch["input"], price["sheet"]["input"])
    hosted = host["deployment"]
    d.same("TPOT of host and why", hosted["tpot"]["value"], why["tpot"])
    d.same("chips of host and why", hosted["chips"], why["chips"])
    d.same("bill is price times chips", hosted["bill"]["value"], hosted["price"]["value"] * hosted["chips"])
    d.same("capacity of host and why", hosted["capacity"]["value"], why["total_tok_s_per_chip"] * why["chips"])
    d.same("cost of output, host and why", host["cost"]["output"]["value"], why["output_cost"])
    d.same("cost of input, host and why", host["cost"]["input_computed"]["value"], why["input_cost"])
    # money in is money out: the kinds of tokens make up the mix, the parts each kind, the bill all tokens
    d.same("tokens by kind make up the mix", isl * why["input_cost"] + osl * why["output_cost"], (isl + osl) * host["cost"]["mix"]["value"])
    d.same("the bill over all tokens", hosted["bill"]["value"] / hosted["capacity"]["value"], host["cost"]["mix"]["value"])
    for kind, cost in (("output", why["output_cost"]), ("input_computed", why["input_cost"])):
        d.same(f"parts of {kind}", math.fsum(part["value"] for part in host["parts"][kind].values()), cost)
    d.same("rate of a user is one over TPOT", why["tok_s_per_user"], 1 / why["tpot"])
    d.same("output is requests times OSL", why["output_tok_s"], why["requests_per_s"] * osl)
    d.at_most("the bound over the step", why["decode_step"]["bound"], why["decode_step"]["step_time"])
    # the layout's own network is the step's bound
    degrees = dict(zip(flags[2:12:2], flags[3:12:2]))
    laid = ask("layout", model, flags[1], *sum(([k, degrees[k]] for k in ("--tp", "--dp", "--ep", "--pp", "--cp")), []),
               *sum(([flag, flags[flags.index(flag) + 1]] for flag in ("--weights",) if flag in flags), []),
               "--batch", why["decode_step"]["batch"], "--context", isl + osl / 2)
    if laid is not None and float(why["decode_step"]["batch"]).is_integer():
        d.same("network of layout and why", laid["network_time"], why["decode_step"]["bound_network"])
    # a plan of this layout alone chooses a load; at that load it says what why says
    plan = ask("plan", *question, "--aggregated", "--redundant-experts", 0, "--overlap", "none", "--max-chips", why["layout"]["chips"])
    if plan is not None:
        best = plan["best"]
        there = ask("why", *question, "--concurrency", best["concurrency"])
        d.same("TPOT of plan and why", best["tpot"], there["tpot"])
        d.same("cost of plan and why", best["cost"] * osl, isl * there["input_cost"] + osl * there["output_cost"])
        d.same("output of plan and why", best["output_tok_s_per_chip"], there["output_tok_s_per_chip"])
        d.same("energy of plan and why", best["energy_per_output_token"], there["energy_per_output_token"])
        d.at_most("the plan's cost over this load's", best["cost"] * osl, isl * why["input_cost"] + osl * why["output_cost"])
    # physics
    faster = ask("why", *question, *load, "--set", "hbm.bandwidth=20 TB/s")
    d.at_most("TPOT with 20 TB/s of memory", faster["tpot"], why["tpot"])
    longer = ask("why", model, *flags, "--isl", 2 * isl, "--osl", osl, *load)
    if longer is not None:
        d.at_most("a request of twice the prompt is no cheaper", isl * why["input_cost"] + osl * why["output_cost"],
                  2 * isl * longer["input_cost"] + osl * longer["output_cost"])
    more = ask("why", *question, "--concurrency", 2 * concurrency, "--replicas", 2)
    if more is not None:
        d.same("twice the chips serve twice as much", more["output_tok_s"], 2 * why["output_tok_s"])
    return d


class TwoCommands(unittest.TestCase):
    longMessage = False

    def check(self, differences):
        self.assertEqual([text for one in differences for text in one.found], [])

    def test_random_deployments_are_the_same_in_every_command(self):
        everything, found = cases(), []
        with ThreadPoolExecutor(WORKERS) as pool:
            while len(found) < CASES:
                some = [next(everything) for _ in range(40)]
                found += [one for one in pool.map(compare, some) if one is not None]
        found = found[:CASES]
        self.assertGreater(sum(one.compared for one in found), 30 * CASES)
        self.check(found)

    def test_host_and_price_choose_what_plan_chooses(self):
        found = []
        for model, machine, isl, osl, tpot in (("llama-3.1-8b", "hgx-h100", 1024, 1024, 50), ("llama-3.1-70b", "hgx-h200", 4096, 512, 30),
                                               ("gpt-oss-120b", "hgx-b200", 8192, 1024, 20), ("deepseek-v3", "hgx-h200", 1024, 1024, 50),
                                               ("deepseek-v3", "gb200-nvl72", 4096, 1024, 40), ("qwen3-235b-a22b", "hgx-h200", 2048, 400, 60)):
            question = [model, "--on", machine, "--isl", isl, "--osl", osl, "--tpot", f"{tpot}ms"]
            d = Differences(" ".join(map(str, question)))
            plan, host = ask("plan", *question)["best"], ask("host", *question)
            price = ask("price", *question, "--margin", 0, "--utilization", 1)
            mix = plan["cost"] * osl / (isl + osl)
            d.same("cost of plan and host", mix, host["cost"]["mix"]["value"])
            d.same("concurrency of plan and host", plan["concurrency"], host["deployment"]["concurrency"])
            d.same("chips of plan and host", plan["chips"], host["deployment"]["chips"])
            d.same("cost of plan and price", mix, (isl * price["standard"]["input_cost"] + osl * price["standard"]["output_cost"]) / (isl + osl))
            d.at_most("TPOT of the choice", plan["tpot"], tpot / 1000)
            held = ask("host", model, "--on", machine, "--isl", isl, "--osl", osl, "--tpot", f"{tpot}ms", "--tp", 8)
            if held is not None:
                d.at_most("the best over tensor parallelism", host["cost"]["mix"]["value"], held["cost"]["mix"]["value"])
            found.append(d)
        self.check(found)

    def test_a_fleet_is_one_answer_in_plan_host_and_price(self):
        # the lines that a plan prints ask the others the same; what is bought is then the same to the last bit
        found = []
        for words in (["llama-3.1-8b", "--on", "hgx-h100", "--rate", "150", "--isl", "1k", "--osl", "300", "--slo", "ttft=500ms,tpot=20ms"],
                      ["llama-3.3-70b", "--on", "hgx-h200", "--rate", "7", "--isl", "4k", "--osl", "500", "--slo", "ttft=3s,tpot=50ms", "--headroom", "20%"],
                      ["llama-3.3-70b", "--on", "hgx-h100", "--rate", "20", "--isl", "4k", "--osl", "500", "--slo", "ttft.p90=2s,tpot.mean=40ms",
                       "--spare", "1", "--confidence", "80%", "--disaggregated", "--no-simulation"],
                      ["gpt-oss-120b", "--on", "hgx-b200", "--rate", "0.02", "--slo", "ttft=2s,tpot=20ms", "--price", "$3/h"]):
            plan = ask("plan", *words, "--quiet")
            best, d = plan["best"], Differences(" ".join(words))
            for command in ("host", "price"):
                line = shlex.split(plan[command])
                self.assertEqual(line[:2], ["ridge", command])
                other = ask(*line[1:], "--quiet", *(["--margin", "0"] if command == "price" else []))
                self.assertEqual(other["fleet"], {key: value for key, value in best.items() if key != "power"}, d.name)
                for key in ("nodes", "replicas", "dollars_per_hour", "cost"):
                    self.assertEqual(other["fleet"][key], best[key], key)
                self.assertTrue(all(one["interval"] is not None for one in other["fleet"]["slo"] if one["value"]))
                tokens = best["requests_per_s"] * 3600
                if command == "host":
                    self.assertEqual(other["demand"]["nodes"], best["nodes"])
                    d.same("bill of plan and host", other["demand"]["dollars_per_day"], 24 * best["dollars_per_hour"])
                    request = sum(other["request"].values())
                    d.same("tokens of the rate", other["demand"]["tokens_per_day"], 24 * tokens * request)
                    d.same("cost at full utilization over utilization is the bill", other["cost"]["mix"]["value"] * tokens * request / other["demand"]["utilization"],
                           best["dollars_per_hour"])
                else:
                    standard = other["standard"]
                    d.same("the sheet at cost brings the bill", tokens * (standard["isl"] * other["sheet"]["input"] + standard["osl"] * other["sheet"]["output"]),
                           best["dollars_per_hour"])
            found.append(d)
        self.check(found)

    def test_demand_and_tier_stand_on_the_fleet_of_a_plan(self):
        found = []
        for words in (["llama-3.1-8b", "--on", "hgx-h100", "--rate", "150", "--isl", "1k", "--osl", "300", "--slo", "ttft=500ms,tpot=20ms"],
                      ["gpt-oss-120b", "--on", "hgx-b200", "--rate", "40", "--isl", "2k", "--osl", "200", "--slo", "ttft=2s,tpot=20ms", "--no-simulation", "--spare", "1"]):
            plan = ask("plan", *words, "--quiet")
            best, d = plan["best"], Differences(" ".join(words))
            demand = ask(*shlex.split(plan["demand"])[1:], "--per-user", "10k tok/d", "--quiet")
            self.assertEqual(demand["fleet"], {key: value for key, value in best.items() if key != "power"}, d.name)
            self.assertEqual(demand["deployed"]["nodes"], best["nodes"])
            d.same("users are those who ask for the rate", demand["deployed"]["users"],
                   best["requests_per_s"] * demand["deployed"]["osl"] / (10_000 / 86400))
            d.same("their tokens pay the bill", demand["deployed"]["cost"], best["cost"])
            host = ask(*shlex.split(plan["host"])[1:], "--quiet")
            tier = next(one for one in ask(*shlex.split(plan["tier"])[1:], "--quiet")["tiers"] if one["name"] == "recompute")
            d.same("recomputing is the fresh input of the fleet's replicas", tier["fetch"], host["cost"]["input_computed"]["value"])
            found.append(d)
        self.check(found)

    def test_what_stands_beside_a_fleet_is_refused(self):
        asked = ["llama-3.1-8b", "--on", "hgx-h100", "--rate", "5", "--slo", "tpot=30ms"]
        for command, more in (("host", ["--tokens-per-day", "1B"]), ("host", ["--concurrency", "8"]), ("price", ["--utilization", "0.5"]), ("price", ["--replicas", "2"]),
                              ("demand", ["--batch", "8"]), ("tier", ["--chips", "4"])):
            done = ridge(command, *asked, *more)
            self.assertEqual(done.code, BAD_INPUT, str(done))
            self.assertIn(more[0], done.err)
        done = ridge("host", *asked[:-1], "tpot=100us")
        self.assertEqual(done.code, DOES_NOT_FIT, str(done))
        self.assertIn("Nothing keeps the SLO", done.out)
        self.assertIn("how many requests a second", ridge("host", *asked[:3], *asked[5:]).err)
        self.assertIn("what do users have to see", ridge("host", *asked[:5]).err)
        for more in (["--headroom", "20%"], ["--spare", "1"]):
            for command in ("host", "price", "demand", "tier"):
                done = ridge(command, *asked[:3], *more)
                self.assertEqual(done.code, BAD_INPUT, str(done))
                self.assertIn(more[0], done.err)

    def test_a_plan_of_one_layout_is_its_host(self):
        found = []
        for model, machine, tp in (("llama-3.1-8b", "hgx-h100", 1), ("llama-3.1-70b", "hgx-h200", 4), ("gemma-2-2b", "hgx-b200", 2)):
            question = [model, "--on", machine, "--tp", tp, "--isl", 2048, "--osl", 512, "--tpot", "40ms"]
            d = Differences(" ".join(map(str, question)))
            plan = ask("plan", *question, "--pp", 1, "--cp", 1, "--aggregated")["best"]
            host = ask("host", *question)
            d.same("cost of plan and host", plan["cost"] * 512 / 2560, host["cost"]["mix"]["value"])
            d.same("load of plan and host", plan["concurrency"], host["deployment"]["concurrency"])
            found.append(d)
        self.check(found)

    def test_a_plan_takes_the_price_that_is_given(self):
        cost = {price: ask("plan", "llama-3.1-8b", "--on", "hgx-h100", "--price", price)["best"]["cost"] for price in ("$1/h", "$3/h")}
        self.assertTrue(math.isclose(3 * cost["$1/h"], cost["$3/h"], rel_tol=1e-9), cost)

    def test_a_sweep_has_the_rows_of_why(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "loads.toml"
            file.write_text('scenario = 1\nmodel = "llama-3.1-70b"\nmachine = "hgx-h100"\nweights = "fp8"\ntp = 4\nisl = 2000\nosl = 300\n'
                            'columns = ["concurrency", "tpot", "output_cost"]\n[sweep]\nconcurrency = [1, 7, 32, 64]\n')
            done = ridge("sweep", str(file), "--quiet")
            if done.code != ANSWERED:
                self.fail(str(done))
            rows = [line.split(",") for line in done.out.strip().splitlines()]
        found = []
        for row in rows[1:]:
            got = dict(zip(rows[0], row))
            why = ask("why", "llama-3.1-70b", "--on", "hgx-h100", "--weights", "fp8", "--tp", 4, "--isl", 2000, "--osl", 300, "--concurrency", got["concurrency"])
            d = Differences("sweep at " + got["concurrency"])
            d.same("TPOT", float(got["tpot"]), why["tpot"])
            d.same("cost of output", float(got["output_cost"]), why["output_cost"])
            found.append(d)
        self.assertEqual(len(found), 4)
        self.check(found)

    def test_recomputing_in_a_tier_is_the_input_of_host(self):
        found = []
        for model, machine in (("deepseek-v3", "hgx-h200"), ("llama-3.1-70b", "hgx-h100"), ("gpt-oss-120b", "gb200-nvl72"), ("qwen3-32b", "hgx-b200")):
            for context in (2000, 16000):
                tier = next(one for one in ask("tier", model, "--on", machine, "--context", context)["tiers"] if one["name"] == "recompute")
                host = ask("host", model, "--on", machine, "--isl", context)
                d = Differences(f"{model} on {machine}, {context} tokens")
                d.same("recomputing in tier and fresh input of host", tier["fetch"], host["cost"]["input_computed"]["value"])
                found.append(d)
        self.check(found)

    def test_demand_fills_the_deployment_of_host(self):
        found = []
        for model, machine, context in (("llama-3.1-8b", "hgx-h100", 2000), ("deepseek-v3", "hgx-h200", 4096), ("gpt-oss-120b", "gb200-nvl72", 8192)):
            demand = ask("demand", model, "--on", machine, "--context", context, "--per-user", "10k tok/d")
            host = ask("host", model, "--on", machine, "--isl", context)
            d, deployed = Differences(f"{model} on {machine}, {context} tokens"), demand["deployed"]
            self.assertEqual(deployed["layout"], host["deployment"]["layout"])
            d.same("TPOT of demand and host", deployed["tpot"], host["deployment"]["tpot"]["value"])
            d.same("concurrency of demand and host", deployed["concurrency"], host["deployment"]["concurrency"])
            d.same("users are the output over what one asks for", deployed["users"], deployed["output_tok_s"] / (10_000 / 86400))
            # whole nodes cost no less than the chips that work
            total = host["cost"]["mix"]["value"] * (deployed["isl"] + deployed["osl"])
            d.at_most("the mix of host over the bill of whole nodes", total, deployed["cost"] * deployed["osl"])
            for key in ("users", "cost"):
                d.at_most(f"low end of {key}", deployed["intervals"][key]["80"][0], deployed[key])
                d.at_most(f"{key} over its high end", deployed[key], deployed["intervals"][key]["80"][1])
            found.append(d)
        self.check(found)

    def test_host_breaks_even_in_whole_nodes(self):
        found = []
        for model, machine in (("llama-3.3-70b", "hgx-h100"), ("deepseek-v3", "hgx-h200"), ("gpt-oss-120b", "hgx-h100")):
            host = ask("host", model, "--on", machine, "--tp", 8, "--isl", 2000, "--osl", 500)
            d = Differences(f"{model} on {machine}")
            for seller in host["providers"]:
                whole = seller["break_even_nodes"]
                if whole is None:
                    d.at_most("what never breaks even, by cost", seller["mix"]["value"], host["cost"]["mix"]["value"] * (1 + 1e-3))
                    continue
                # there the nodes cost what the tokens do; a node of 8 holds one deployment of 8
                at = ask("host", model, "--on", machine, "--tp", 8, "--isl", 2000, "--osl", 500, "--concurrency", host["deployment"]["concurrency"],
                         "--tokens-per-day", whole["tokens_per_day"] * (1 - 1e-9))
                d.same("nodes", at["demand"]["nodes"], whole["nodes"])
                d.at_most("their bill over buying", at["demand"]["dollars_per_day"], seller["mix"]["value"] * whole["tokens_per_day"] * (1 + 1e-6))
                d.at_most("one deployment's break-even over whole nodes'", seller["break_even_tokens_per_day"], whole["tokens_per_day"])
            found.append(d)
        self.assertGreater(sum(one.compared for one in found), 0)
        self.check(found)

    def test_host_ends_with_one_headline(self):
        for model, machine, more in (("llama-3.3-70b", "hgx-h100", []), ("deepseek-v3", "hgx-h200", ["--tokens-per-day", "2B"]), ("llama-3.1-8b", "hgx-h100", [])):
            done = ridge("host", model, "--on", machine, *more)
            self.assertEqual(done.code, ANSWERED, str(done))
            last = " ".join(done.out.strip().split("\n\n")[-1].split())
            self.assertRegex(last, r"^(Self-host|Buy|Self-hosting is cheaper|Buying is cheaper)", last)
            self.assertRegex(last, r"tokens/day|at any utilization", last)
            self.assertIn("Margin on such chips", last)

    def test_a_diff_at_a_rate_buys_whole_nodes(self):
        answer = ask("diff", "llama-3.1-8b", "qwen3-8b", "--on", "hgx-h100", "--rate", 40, "--isl", 2000, "--osl", 300)
        figures = answer["served"]["figures"]
        for key in ("chips", "nodes", "replicas"):
            for side in ("a", "b"):
                self.assertEqual(figures[key][side], round(figures[key][side]), key)
        for side in ("a", "b"):
            self.assertLessEqual(figures["chips"][side], 8 * figures["nodes"][side])

    def test_a_curve_goes_through_the_bounds_of_why(self):
        found = []
        for model, machine in (("deepseek-v3", "gb200-nvl72"), ("llama-3.1-70b", "hgx-h100")):
            curve = ask("curve", "batch", model, "--on", machine, "--context", 4000)
            for i in range(0, len(curve["x"]), 4):
                why = ask("why", model, "--on", machine, "--context", 4000, "--batch", curve["x"][i])
                if why is None:
                    continue
                d = Differences(f"{model} at batch {curve['x'][i]}")
                for key, figure in curve["figures"].items():
                    if figure["values"][i] is not None and why["figures"][key]["value"] is not None:
                        d.same(key, figure["values"][i], why["figures"][key]["value"])
                found.append(d)
        self.assertGreater(sum(one.compared for one in found), 100)
        self.check(found)

    def test_more_utilization_is_never_more_expensive(self):
        for model, tp in (("llama-3.1-70b", 2), ("llama-3.1-8b", 1), ("qwen3-32b", 2)):
            before = None
            for utilization in (0.5, 0.8, 0.85, 0.89, 0.9, 0.95, 1):
                sheet = ask("price", model, "--on", "hgx-h100", "--weights", "fp8", "--tp", tp, "--isl", 1000, "--osl", 1000,
                            "--concurrency", 8, "--utilization", utilization)["sheet"]
                prices = [sheet["input"], sheet["output"], *(mode[kind] for mode in sheet["modes"] for kind in ("input", "output"))]
                if before is not None:
                    for now, then in zip(prices, before):
                        self.assertLessEqual(now, then * (1 + 1e-9), f"{model} at {utilization}: {prices} after {before}")
                before = prices


if __name__ == "__main__":
    unittest.main()
