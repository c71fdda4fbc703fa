"""Does `ridge plan` answer an operator: whole nodes, what users see, what it costs, how sure; and does its line give the same again?
"""

import functools
import math
import random
import re
import resource
import shlex
import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, BAD_INPUT, DOES_NOT_FIT, SANITIZED, WRONG_USAGE, ridge

SMALL = ["llama-3.1-8b", "--on", "hgx-h100", "--isl", "1k", "--osl", "200", "--quiet"]


def planned(*words):
    return ridge("plan", *words, "--json")


planned_once = functools.cache(planned)


def fleet(*words, code=ANSWERED):
    """The plan in JSON. The same words, which several tests ask, are planned once."""
    run = planned_once(*words)
    assert run.code == code, str(run)
    return run.json()


class Fleets(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_whole_nodes_and_what_they_cost(self):
        answer = fleet(*SMALL, "--rate", "150", "--slo", "ttft=500ms,tpot=20ms")
        best = answer["best"]
        for key in ("nodes", "replicas", "prefill_replicas", "chips"):
            self.assertEqual(best[key], math.floor(best[key]))
        self.assertEqual(best["chips"], 8 * best["nodes"])
        used = best["replicas"] * best["layout"]["chips"]
        used += best["prefill_replicas"] * best["prefill_layout"]["chips"] if best["disaggregated"] else 0
        self.assertLessEqual(used, best["chips"])
        # $1.30 an hour and GPU is the catalog's three-year price; a month has 730 hours
        self.assertAlmostEqual(best["dollars_per_hour"], 1.30 * best["chips"], places=9)
        self.assertAlmostEqual(best["dollars_per_month"], 730 * best["dollars_per_hour"], places=6)
        self.assertAlmostEqual(best["cost"], best["dollars_per_hour"] / 3600 / (150 * 200), places=15)
        self.assertGreaterEqual(best["odds"], 0.9)
        self.assertAlmostEqual(best["odds"], math.prod(one["odds"] for one in best["slo"]), places=12)
        for one in best["slo"]:
            self.assertLess(one["value"], one["limit"])
            self.assertLess(one["interval"]["80"][0], one["value"])

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_the_printed_line_gives_the_same_figures_again(self):
        draw = random.Random(20)
        models = ["llama-3.1-8b", "gpt-oss-120b", "qwen3-30b-a3b", "llama-3.3-70b"]
        for _ in range(8):
            model, machine = draw.choice(models), draw.choice(["hgx-h100", "hgx-h200", "hgx-b200"])
            words = [model, "--on", machine, "--isl", str(draw.choice([500, 2000, 8000])), "--osl",
                     str(draw.choice([100, 400])), "--rate", str(draw.choice([5, 20, 60])), "--slo", "ttft=4s,tpot.p90=60ms",
                     "--quiet", "--spare", str(draw.choice([0, 1])), "--engine", draw.choice(["vllm", "sglang", "trtllm"])]
            with self.subTest(" ".join(words)):
                answer = fleet(*words)
                line = shlex.split(answer["again"])
                self.assertEqual(line[:2], ["ridge", "simulate"])
                run = ridge(*line[1:], "--json", "--quiet")
                self.assertEqual(run.code, ANSWERED, str(run))
                again = run.json()["steady"]
                self.assertEqual(again["ttft"]["p99"], answer["best"]["slo"][0]["value"])
                self.assertEqual(again["tpot"]["p90"], answer["best"]["slo"][1]["value"])

    def same_again(self, words, statistics=("p99", "p90")):
        """The figures of a plan, and of the line that it prints."""
        answer = fleet(*words)
        line = shlex.split(answer["again"])
        self.assertEqual(line[:2], ["ridge", "simulate"])
        run = ridge(*line[1:], "--json", "--quiet")
        self.assertEqual(run.code, ANSWERED, str(run))
        again = run.json()
        for one in answer["best"]["slo"]:
            self.assertEqual(again["steady"][one["metric"].lower()][one["statistic"]], one["value"], line)
        # $ of whole nodes are paid for what is idle as well
        self.assertLessEqual(again["chips"], answer["best"]["chips"])
        return answer["best"], again

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_mixes_traces_and_prefixes_are_the_same_again(self):
        draw = random.Random(21)
        for _ in range(3):
            share = draw.choice([20, 50, 80])
            mix = (f"chat: {share}% {draw.choice([300, '1k'])}/{draw.choice([50, 200])}, "
                   f"it's long: {100 - share}% {draw.choice(['4k', '8k'])}/100@{draw.choice([0, 50, 90])}%")
            words = [draw.choice(["llama-3.1-8b", "qwen3-30b-a3b"]), "--on", "hgx-h100", "--rate", str(draw.choice([10, 30])),
                     "--mix", mix, "--slo", "ttft=4s,tpot.p90=60ms", "--quiet"]
            with self.subTest(" ".join(words)):
                best, again = self.same_again(words)
                self.assertEqual(again["prefix_hit_rate"] > 0, "@0%" not in mix)
        with self.subTest("a shared prefix"):
            _, again = self.same_again([*SMALL, "--rate", "40", "--cached", "0.5", "--slo", "ttft=2s,tpot.p90=40ms"])
            self.assertGreater(again["prefix_hit_rate"], 0.4)
        with self.subTest("a trace"), tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "my trace.csv"
            rows = [f"{0.05 * i:.3f},{draw.choice([200, 1000, 3000])},{draw.choice([20, 100])}" for i in range(600)]
            trace.write_text("sent_s,prompt_tokens,output_tokens\n" + "\n".join(rows) + "\n")
            self.same_again(["llama-3.1-8b", "--on", "hgx-h100", "--trace", str(trace), "--rate", "40", "--slo",
                             "ttft=2s,tpot.p90=40ms", "--quiet"])

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_few_requests_are_the_same_again(self):
        # 200 requests had fewer than 200 steady ones: the plan then told those of all, its line's screen the steady ones
        for words in (["qwen3-32b", "--on", "mi300x-8", "--rate", "0.4", "--slo", "ttft.p50=1s,tpot.p90=100ms", "--isl", "1000", "--osl", "1500",
                       "--headroom", "20%"],
                      ["gpt-oss-20b", "--on", "gb200-nvl72", "--rate", "1.13", "--slo", "ttft.p90=2s,tpot.mean=100ms", "--isl", "1000",
                       "--osl", "500", "--cached", "0.3"]):
            with self.subTest(" ".join(words)):
                _, again = self.same_again([*words, "--quiet"])
                self.assertGreaterEqual(again["steady"]["e2e"]["count"], 200)

    def test_what_is_wrong_is_told_before_a_fleet_is_planned(self):
        # each was told after seconds of simulation, of a fleet that was then thrown away
        asked = ["llama-3.3-70b", "--on", "hgx-h100", "--rate", "50", "--isl", "4k", "--osl", "500", "--slo", "ttft=2s,tpot=50ms"]
        wrong = [("demand", "--expert-law", "nosuch"), ("demand", "--set", "nosuch=3"), ("demand", "--per-user", "0 tok/s"), ("host", "--sheet", "nosuch"),
                 ("price", "--margin", "3"), ("price", "--derive", "nosuch"), ("price", "--isl-mix", "4k:50%"), ("tier", "--reuse", "nosuch"),
                 ("tier", "--tiers", "nosuch"), ("tier", "--derive", "nosuch"), ("tier", "--chart", "nosuch"), ("plan", "--svg", "/dev/null/x.svg"),
                 ("plan", "--svg", "x.png"), ("host", "--svg", "/dev/null/x.svg"), ("plan", "--budget", "3 apples")]
        for command, flag, value in wrong:
            with self.subTest(f"{command} {flag} {value}"):
                took = []
                for _ in range(2):
                    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                    run = ridge(command, *asked, flag, value)
                    took.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
                self.assertIn(run.code, (BAD_INPUT, WRONG_USAGE), str(run))
                self.assertIn({"x.png": "not .png", "/dev/null/x.svg": value}.get(value, flag), run.err)
                if not SANITIZED:
                    self.assertLess(min(took), 0.3)

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_pools_of_different_machines(self):
        words = ["llama-3.3-70b", "--prefill-on", "hgx-h100", "--decode-on", "hgx-h200", "--isl", "4k", "--osl", "300", "--rate", "10",
                 "--slo", "ttft=4s,tpot.p90=60ms", "--quiet"]
        best, again = self.same_again(words)
        self.assertEqual((best["prefill_machine"], best["machine"]), ("hgx-h100", "hgx-h200"))
        self.assertEqual(best["chips"], 8 * (best["nodes"] + best["prefill_nodes"]))
        self.assertLessEqual(best["prefill_replicas"] * best["prefill_layout"]["chips"], 8 * best["prefill_nodes"])
        self.assertEqual(again["prefill_machine"], "hgx-h100")
        # the bill is the sum of what the catalog asks for a node of each
        prices = {one: fleet("llama-3.1-8b", "--on", one, "--nodes", "1", "--tpot", "50ms", "--no-simulation", "--quiet")["best"]
                  for one in ("hgx-h100", "hgx-h200")}
        bill = sum(nodes * prices[one]["dollars_per_hour"] for one, nodes in
                   (("hgx-h100", best["prefill_nodes"]), ("hgx-h200", best["nodes"])))
        self.assertAlmostEqual(best["dollars_per_hour"], bill, places=6)
        text = ridge("plan", *words, "--no-simulation", "--commands")
        self.assertEqual(text.code, ANSWERED, str(text))
        for said in ("of hgx-h100 and", "slower scale-out link", "on nodes of", "pools of different machines"):
            self.assertIn(said, " ".join(text.out.split()))

    def test_overlap_is_tried_where_the_engine_has_it(self):
        tried = {}
        for engine in ("vllm", "trtllm"):
            plan = ridge("plan", "qwen3-30b-a3b", "--on", "hgx-h100", "--engine", engine, "--tpot", "40ms", "--json")
            self.assertEqual(plan.code, ANSWERED, str(plan))
            tried[engine] = plan.json()["searched"]["layouts"]
            self.assertIn(plan.json()["best"]["overlap"], ("none", "two-batch"))
            held = ridge("plan", "qwen3-30b-a3b", "--on", "hgx-h100", "--engine", engine, "--tpot", "40ms", "--overlap", "none", "--json")
            more = tried[engine] - held.json()["searched"]["layouts"]
            self.assertEqual(more > 0, engine == "vllm", "facts of vllm have a flag for it, those of trtllm none")

    def test_what_an_engine_cannot_start_is_not_offered(self):
        words = ["llama-3.1-8b", "--on", "hgx-h100", "--engine", "llama.cpp", "--rate", "5", "--osl", "200", "--slo", "ttft=5s,tpot=60ms", "--no-simulation"]
        answer = fleet(*words)
        self.assertFalse(any(one["disaggregated"] for one in [answer["best"], *answer["others"]]))
        asked = fleet(*words, "--disaggregated")
        self.assertTrue(asked["best"]["disaggregated"])
        self.assertTrue(any("no disaggregated prefill" in note for note in asked["notes"]), asked["notes"])

    def test_the_closed_form_agrees_with_why(self):
        answer = fleet(*SMALL, "--rate", "150", "--ttft", "500ms", "--tpot", "20ms", "--no-simulation")
        line = shlex.split(answer["again"])
        self.assertEqual(line[:2], ["ridge", "why"])
        why = ridge(*line[1:], "--json").json()
        by_metric = {one["metric"]: one for one in answer["best"]["slo"]}
        self.assertAlmostEqual(why["tpot"], by_metric["TPOT"]["value"], delta=1e-9 * why["tpot"])
        self.assertAlmostEqual(why["ttft"], by_metric["TTFT"]["value"], delta=1e-9 * why["ttft"])
        self.assertEqual([one["statistic"] for one in answer["best"]["slo"]], ["mean", "mean"])

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_nodes_and_a_budget_give_a_rate(self):
        nodes = fleet(*SMALL, "--nodes", "2", "--slo", "ttft=500ms,tpot=20ms")["best"]
        self.assertLessEqual(nodes["nodes"], 2)
        # $20,000 a month are $27.40 an hour: two nodes of $10.40
        budget = fleet(*SMALL, "--budget", "$20k/month", "--slo", "ttft=500ms,tpot=20ms")["best"]
        self.assertEqual(budget["nodes"], 2)
        self.assertEqual(budget["requests_per_s"], nodes["requests_per_s"])
        back = fleet(*SMALL, "--rate", str(0.97 * nodes["requests_per_s"]), "--slo", "ttft=500ms,tpot=20ms")["best"]
        self.assertLessEqual(back["nodes"], 2)

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_the_rate_of_nodes_has_an_interval(self):
        words = [*SMALL, "--nodes", "2", "--slo", "ttft=500ms,tpot=20ms"]
        found = {}
        for confidence in ("50%", "90%", "97%"):
            answer = fleet(*words, "--confidence", confidence)
            low, high = answer["rate_range"]["80"]
            found[confidence] = answer["best"]["requests_per_s"], answer["rate_range"]["expected"], low, high
            self.assertLess(low, answer["rate_range"]["expected"])
            self.assertAlmostEqual(low * high, answer["rate_range"]["expected"] ** 2, delta=1e-6 * high * high)
        # at 90 % the rate is the low end of the 80 % interval, at 50 % it is what is expected; 97 % lies below the interval
        self.assertAlmostEqual(found["90%"][0], found["90%"][2], delta=1e-6 * found["90%"][0])
        self.assertAlmostEqual(found["50%"][0], found["50%"][1], delta=1e-6 * found["50%"][0])
        self.assertLess(found["97%"][0], found["97%"][2])
        self.assertIsNone(fleet(*SMALL, "--rate", "5", "--slo", "tpot=20ms", "--no-simulation")["rate_range"])
        self.assertIn("80 %", ridge("plan", *words, "--no-simulation").out.partition("  rate ")[2].partition("replicas")[0])

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_a_first_token_sooner_is_tried_for_fewer_that_decode(self):
        # 46 nodes were found: prefill trimmed to the least left the first token so late that 44 replicas had to decode
        words = ["glm-4.5", "--on", "hgx-h200", "--rate", "100", "--isl", "1k", "--osl", "1k", "--slo", "ttft=2s,tpot=40ms", "--spare", "1", "--quiet"]
        best = fleet(*words)["best"]
        self.assertLessEqual(best["nodes"], 45)
        self.assertLessEqual(best["nodes"], fleet(*words, "--tp", "8")["best"]["nodes"])

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_stages_are_not_taken_where_fewer_nodes_do_without(self):
        # the closed form has stages cheapest for prefill, the simulator does not: 43 nodes, where --pp 1 gave 42
        words = ["glm-4.5", "--on", "hgx-h200", "--rate", "100", "--isl", "1k", "--osl", "1k", "--slo", "ttft=2s,tpot=40ms", "--spare", "1", "--quiet"]
        self.assertLessEqual(fleet(*words)["best"]["nodes"], fleet(*words, "--pp", "1")["best"]["nodes"])

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_many_that_decode_for_few_that_prefill_take_seconds(self):
        # 849 nodes after 31 s: six replicas that prefill stood beside hundreds that decode in every simulation
        words = ["kimi-k2", "--on", "hgx-h200", "--isl", "1000", "--osl", "4000", "--rate", "200", "--slo", "ttft=4s,tpot.p90=60ms", "--engine", "vllm",
                 "--headroom", "20%", "--quiet"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.assertLessEqual(planned(*words).json()["best"]["nodes"], 849)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 20)

    def test_words_of_one_value_are_told_to_stand_in_quotes(self):
        for words, said in ((("--rate", "50", "req/s"), "--rate '50 req/s'"), (("--budget", "$50k", "a", "month"), "--budget '$50k a month'")):
            run = ridge("plan", "llama-3.1-8b", *words, "--slo", "ttft=2s")
            self.assertEqual(run.code, WRONG_USAGE)
            self.assertIn(said, run.err)
            self.assertNotIn("--on gb200", run.err)
        self.assertIn("--on gb200-nvl72", ridge("plan", "llama-3.1-8b", "hgx-h100").err)

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_a_run_lasts_until_the_fleet_is_full(self):
        # requests took three times as long as the closed form says, so that the run was over before the batch had grown: 1,983/s "held"
        words = ["gpt-oss-20b", "--on", "hgx-b200", "--isl", "500", "--osl", "400", "--slo", "ttft=4s,tpot.p90=60ms", "--quiet", "--engine", "sglang",
                 "--budget", "$60k/month", "--confidence", "60%"]
        best, again = self.same_again(words)
        seen = best["simulated"]
        self.assertGreaterEqual(seen["requests"] / seen["requests_per_s"], 2 * seen["e2e"]["p50"])
        self.assertGreaterEqual(again["steady"]["e2e"]["count"], 200)

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_a_rate_and_its_nodes_are_one_answer(self):
        # a mix that took three nodes while two were said to serve more than its rate
        mix = ["llama-3.3-70b", "--on", "hgx-h200", "--slo", "ttft=3s,tpot=50ms", "--mix",
               "chat: 80% 1k/300, agents: 20% 12k/800@90%", "--quiet"]
        for words, rate in ((mix, "20"), (["llama-3.3-70b", "--on", "hgx-h100", "--isl", "4k", "--osl", "500", "--slo",
                                           "ttft=2s,tpot=50ms", "--quiet"], "50")):
            with self.subTest(" ".join(words)):
                best = fleet(*words, "--rate", rate)["best"]
                fewer = fleet(*words, "--nodes", str(best["nodes"] - 1))["best"]
                self.assertLess(fewer["requests_per_s"], 1.03 * float(rate), "fewer nodes serve more than the rate")
                same = fleet(*words, "--nodes", str(best["nodes"]))["best"]
                self.assertGreater(same["requests_per_s"], 0.98 * float(rate), "its own nodes do not serve the rate")

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_a_large_fleet_is_as_loaded_as_a_small_one(self):
        # 20,000 requests at 3,000 a second were over before the first was answered: half of the load was never there
        words = ["llama-3.1-8b", "--on", "hgx-h200", "--isl", "1k", "--osl", "1k", "--slo", "ttft=2s,tpot=20ms", "--quiet"]
        small, large = fleet(*words, "--rate", "150")["best"], fleet(*words, "--rate", "3000")["best"]
        self.assertLess(large["nodes"], 1.15 * 20 * small["nodes"])
        self.assertGreater(large["nodes"], 20 * (small["nodes"] - 1))
        seen = large["simulated"]
        self.assertLess(seen["replicas"], large["replicas"])
        self.assertAlmostEqual(seen["requests_per_s"] / seen["replicas"], 3000 / large["replicas"], places=9)
        load = large["simulated"]["tpot"]["p50"] * 1000 * 3000 / large["replicas"]
        self.assertAlmostEqual(load / large["concurrency_per_replica"], 1, delta=0.15)
        self.same_again([*words, "--rate", "3000"])
        self.assertEqual(planned(*words, "--rate", "150").json()["best"], small, "planned a second time")

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_hours_that_are_alike_count_each(self):
        words = [*SMALL, "--slo", "ttft=1s,tpot=30ms", "--no-simulation"]
        day = fleet(*words, "--by-hour", "5,5,20,60,300,100")["day"]
        self.assertAlmostEqual(day["mean_requests_per_s"], 490 / 6, places=9)
        self.assertEqual(len(day["nodes_by_hour"]), 6)
        flat = fleet(*words, "--by-hour", ",".join(["50"] * 24))
        self.assertEqual(len(flat["day"]["nodes_by_hour"]), 24)
        self.assertAlmostEqual(flat["day"]["elastic_dollars_per_month"], flat["best"]["dollars_per_month"], places=6)

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_the_first_three_lines_are_the_answer(self):
        words = ["llama-3.3-70b", "--on", "hgx-h200", "--isl", "4k", "--osl", "300", "--rate", "10", "--slo", "ttft=3s,tpot=50ms", "--quiet"]
        best = fleet(*words)["best"]
        lines = ridge("plan", *words).out.replace("\n  ", " ").splitlines()  # what is wrapped is one line
        self.assertRegex(lines[1], rf"^Rent {best['nodes']} nodes?, {best['chips']} GPUs, \${best['dollars_per_month']:,.0f} a month \({best['price_basis']}\): ")
        self.assertRegex(lines[2], r"^SLO TTFT p99 <= 3 s, TPOT p99 <= 50 ms holds with >?\d+%, 90% asked for$")
        self.assertIn("chip borrowed", lines[3])

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_the_lead_is_told_with_its_error(self):
        answer = fleet("llama-3.3-70b", "--on", "hgx-h100,hgx-h200", "--isl", "4k", "--osl", "300", "--rate", "10", "--slo",
                       "ttft=3s,tpot=50ms", "--quiet")
        lead = answer["lead"]
        self.assertAlmostEqual(lead["over_next"], answer["others"][0]["dollars_per_hour"] / answer["best"]["dollars_per_hour"] - 1)
        self.assertEqual(lead["more_than_error"], lead["over_next"] > lead["error"])

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_the_chart_shows_what_was_decided(self):
        # it had the screened cost: $1.33 in the title, $1.39 in the text
        for more in (["--rate", "150"], ["--nodes", "2"], ["--rate", "150", "--on", "hgx-h100,hgx-h200"]):
            words = [*SMALL[:1], *(SMALL[3:] if "--on" in more else SMALL[1:]), *more, "--slo", "ttft=500ms,tpot=20ms"]
            with tempfile.TemporaryDirectory() as folder:
                svg = str(Path(folder) / "fleet.svg")
                run = ridge("plan", *words, "--svg", svg)
                self.assertEqual(run.code, ANSWERED, str(run))
                picture = Path(svg).read_text()
            title = re.search("<title[^>]*>(.*)</title>", picture)[1]
            figure = re.search(r"cost +(\$[\d.]+/Mtok)", run.out)[1] if "--rate" in more else re.search(r"[\d.]+ requests/s on", run.out)[0].removesuffix(" on")
            self.assertIn(figure, title)
            labels = [re.sub("<[^>]*>", "", one) for one in re.findall(r"<text[^>]*>.*?</text>", picture)]
            chosen = re.search(r"a month \(reserved-3y\): (.*(?:\n  .*)*)\nSLO", run.out)[1].replace("\n ", "")
            self.assertTrue(any(one.startswith(chosen + ",") for one in labels), (chosen, labels))
            # at the same cost they share a label
            self.assertTrue(any(one.startswith("next: ") or one.startswith(chosen) and ", next: " in one for one in labels), labels)

    def test_a_machine_that_was_named_says_what_it_stands_on(self):
        # the rack of Rubin stood at +3.4 % among measured ones, and two lines far below said what that was made of
        words = ["gpt-oss-120b", "--on", "rubin-nvl144,hgx-b200", "--rate", "100", "--isl", "4k", "--osl", "500", "--slo", "ttft=2s,tpot=30ms", "--no-simulation"]
        text = " ".join(ridge("plan", *words).out.split())
        self.assertIn("on rubin-nvl144 (chip borrowed, assumed price)", text)
        self.assertNotIn("on hgx-b200 (", text)

    def test_what_does_not_fit_says_what_to_change(self):
        run = ridge("plan", "deepseek-v3", "--on", "strix-halo", "--rate", "5", "--slo", "ttft=2s", "--no-simulation")
        self.assertEqual(run.code, DOES_NOT_FIT)
        for words in ("Nothing fits", "No layout has room for one request", "--max-chips"):
            self.assertIn(words, " ".join(run.out.split()))

    def test_a_confidence_without_its_percent_sign(self):
        run = ridge("plan", *SMALL, "--rate", "20", "--slo", "ttft=2s", "--confidence", "90")
        self.assertEqual(run.code, BAD_INPUT)
        self.assertIn("hint: write 90%", run.err)

    def test_the_nearest_run_is_on_a_chip_of_the_same_maker(self):
        # the nearest run of 70B on H100 was said to be one on a TPU, for that one is in bf16, too
        makers = {"hgx-h100": "hgx", "hgx-b200": "hgx", "tpu-v6e-pod": "tpu", "mi300x-8": "hgx"}
        for machine, starts in makers.items():
            words = ["llama-3.3-70b", "--on", machine, "--isl", "4k", "--osl", "500", "--rate", "2", "--slo", "ttft=5s,tpot=100ms", "--no-simulation"]
            run = fleet(*words)["nearest_run"]
            self.assertTrue(run["machine"].startswith(starts), run)
            self.assertTrue(run["same"]["model"], run)
            said = re.search(r"nearest measured run \(([^)]*)\)", " ".join(ridge("plan", *words).out.split()))
            self.assertEqual("another precision" in said[1] if said else False, not run["same"]["precision"])
            self.assertEqual("another chip" in said[1] if said else False, not run["same"]["machine"])

    def test_the_closed_form_does_not_forget_prefill(self):
        # 4 nodes were said to serve 271 requests/s, whose prefill alone takes more
        words = ["llama-3.3-70b", "--on", "hgx-h200", "--isl", "1000", "--osl", "20", "--slo", "ttft.mean=1s,tpot.mean=50ms", "--no-simulation"]
        for nodes in ("2", "4", "7"):
            best = fleet(*words, "--nodes", nodes)["best"]
            back = fleet(*words, "--rate", str(0.99 * best["requests_per_s"]))["best"]
            self.assertLessEqual(back["nodes"], int(nodes))

    def test_a_budget_below_a_node_says_so(self):
        self.assertEqual(ridge("plan", *SMALL, "--budget", "$60 an Hour", "--slo", "ttft=2s", "--no-simulation", "--json").json()["best"]["nodes"],
                         ridge("plan", *SMALL, "--budget", "$60/h", "--slo", "ttft=2s", "--no-simulation", "--json").json()["best"]["nodes"])
        run = ridge("plan", *SMALL, "--budget", "$5/month", "--slo", "ttft=2s")
        self.assertEqual(run.code, DOES_NOT_FIT, str(run))
        self.assertIn("$5.00 a month buys no node: one of hgx-h100 costs $7,592", run.out)

    def test_what_is_refused_does_not_hold(self):
        # TensorRT-LLM takes no prompt that is longer than a step: all were refused, none was late, and the SLO was said to hold
        words = ["llama-3.1-8b", "--on", "hgx-h100", "--engine", "trtllm", "--isl", "13918", "--osl", "117", "--rate", "2", "--slo", "ttft=4s,tpot=50ms", "--quiet"]
        run = ridge("plan", *words)
        self.assertEqual(run.code, DOES_NOT_FIT, str(run))
        self.assertIn("Nothing keeps the SLO", run.out)
        self.assertIn("requests are refused", run.out)
        self.assertIn("--token-budget", run.out)
        answer = fleet(*words, "--token-budget", "16k")
        self.assertTrue(all(one["value"] for one in answer["best"]["slo"]), answer["best"]["slo"])

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_all_machines_are_no_worse_than_each_alone(self):
        words = ["gpt-oss-120b", "--isl", "1k", "--osl", "300", "--rate", "10", "--slo", "ttft=2s,tpot=30ms", "--quiet"]
        found = fleet(*words, "--on", "all")
        everything = [found["best"], *found["others"]]
        machines = {one["machine"] for one in everything}
        self.assertGreater(len(machines), 4, "each machine is ranked")
        for machine in sorted(machines):
            alone = fleet(*words, "--on", machine)["best"]
            self.assertLessEqual(found["best"]["dollars_per_hour"], alone["dollars_per_hour"] * (1 + 1e-9), machine)
            here = min(one["dollars_per_hour"] for one in everything if one["machine"] == machine and one["holds"])
            self.assertLessEqual(here, alone["dollars_per_hour"] * (1 + 1e-9), f"{machine} is worse among others than alone")
            kinds = {(one["disaggregated"], one["layout"]["pipeline"] > 1) for one in everything if one["machine"] == machine}
            self.assertTrue(any(not apart for apart, _ in kinds), machine)

    def test_all_is_all_where_asked(self):
        words = ["llama-3.1-8b", "--on", "all", "--isl", "1k", "--osl", "200", "--rate", "20", "--slo", "ttft=2s,tpot=50ms", "--no-simulation"]
        known = {one["machine"] for one in fleet(*words)["others"]}
        more = fleet(*words, "--include-unmeasured")
        self.assertIn("hgx-b300", {one["machine"] for one in [more["best"], *more["others"]]})
        self.assertNotIn("hgx-b300", known)
        self.assertTrue(any("nobody has measured the chips of" in note and "hgx-b300" in note for note in more["notes"]))
        self.assertEqual(ridge("plan", *SMALL, "--rate", "20", "--slo", "ttft=2s", "--include-unmeasured").code, BAD_INPUT)

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_more_confidence_is_never_cheaper(self):
        # layouts alike in kind were all that was simulated, and none of them was any good in bursts
        words = ["deepseek-v3", "--on", "hgx-h200", "--isl", "8000", "--osl", "20", "--slo", "ttft.mean=2s,tpot.mean=50ms", "--rate", "1.64", "--quiet"]
        bills = [fleet(*words, "--confidence", one)["best"]["dollars_per_hour"] for one in ("60%", "90%", "97%")]
        self.assertEqual(bills, sorted(bills))
        nodes = fleet(*words)["best"]["nodes"]
        self.assertGreater(fleet(*words[:-3], "--nodes", str(nodes), "--quiet")["best"]["requests_per_s"], 1.6)

    def test_what_is_wrong_is_named(self):
        for words, code, says in (
                (["--rate", "10"], BAD_INPUT, "--slo ttft=2s,tpot=30ms"),
                (["--rate", "10", "--slo", "ttft"], BAD_INPUT, "has no ="),
                (["--rate", "10", "--slo", "latency=2s"], BAD_INPUT, "is no latency that is promised"),
                (["--rate", "-1", "--slo", "ttft=2s"], BAD_INPUT, "--rate"),
                (["--rate", "10", "--nodes", "2", "--slo", "ttft=2s"], BAD_INPUT, "or the nodes, or the budget"),
                (["--budget", "50", "--slo", "ttft=2s"], BAD_INPUT, "$50k/month"),
                (["--rate", "10", "--slo", "ttft=2s", "--ttft", "1s"], BAD_INPUT, "ttft.mean"),
                (["--rate", "10", "--slo", "ttft=2s", "--confidence", "100%"], BAD_INPUT, "--confidence"),
                (["--rate", "10", "--slo", "ttft=2s", "--objective", "chips"], BAD_INPUT, "by its bill"),
                (["--rate", "0", "--slo", "ttft=2s"], BAD_INPUT, "--rate"),
                (["--rate", "50", "--slo", "ttft=2s", "--headroom", "20"], BAD_INPUT, "write 20%"),
                (["--rate", "50", "--slo", "ttft=2s", "--headroom", "-1"], BAD_INPUT, "20% or 0.2"),
                (["--rate", "500 tok/s", "--slo", "ttft=2s"], BAD_INPUT, "divide by the output tokens of a request"),
                (["--rate", "50/hr5", "--slo", "ttft=2s"], BAD_INPUT, "hour"),
                (["--by-hour", "5,6/moth", "--slo", "ttft=2s"], BAD_INPUT, "did you mean month?"),
                (["--budget", "$50k/moth", "--slo", "ttft=2s"], BAD_INPUT, "did you mean month?"),
                (["--prefill-on", "hgx-h10", "--rate", "10", "--slo", "ttft=2s"], BAD_INPUT, "hgx-h100"),
                (["--prefill-on", "hgx-h200", "--aggregated", "--rate", "10", "--slo", "ttft=2s"], BAD_INPUT, "--aggregated"),
                (["--decode-on", "hgx-h200", "--rate", "10", "--slo", "ttft=2s"], BAD_INPUT, "--decode-on"),
                (["--spare", "1", "--slo", "ttft=2s"], BAD_INPUT, "--spare: stands without --rate"),
                (["--headroom", "20%"], BAD_INPUT, "--headroom: stands without --rate"),
                (["--nodes", "0", "--slo", "ttft=2s"], BAD_INPUT, "--nodes")):
            with self.subTest(words):
                run = ridge("plan", *SMALL, *words)
                self.assertIn(run.code, (code, WRONG_USAGE), str(run))
                self.assertIn(says, run.err)

    def test_a_rate_says_its_time(self):
        slo = ["--slo", "ttft=2s,tpot=30ms", "--no-simulation"]
        usual = fleet(*SMALL, "--rate", "50", *slo)
        for rate in ("50/s", "50 req/s", "3k/min", "180k/h"):
            self.assertEqual(fleet(*SMALL, "--rate", rate, *slo)["best"], usual["best"], rate)
        hours = fleet(*SMALL, "--by-hour", "5,18k/h,20", *slo)["day"]
        self.assertEqual(hours, fleet(*SMALL, "--by-hour", "5,5,20", *slo)["day"])
        month = [fleet(*SMALL, "--budget", budget, *slo)["best"] for budget in ("$20k/month", "$240k a year", "20k per month")]
        self.assertEqual(month[0], month[1])
        self.assertEqual(month[0], month[2])
        for command in (["why"], ["simulate", "--requests", "300"]):
            one, other = (ridge(*command, *SMALL[:-1], "--tp", "1", "--rate", rate, "--json").json() for rate in ("5", "300/min"))
            self.assertEqual(one, other, command)

    def test_without_a_rate_means_stand_for_percentiles_and_that_is_said(self):
        plan = ridge("plan", *SMALL[:-1], "--slo", "ttft=1s,tpot=20ms", "--json").json()
        self.assertIn("means stand for the percentiles of --slo: --rate has them simulated", plan["notes"])

    def test_what_cannot_be_kept_is_an_answer(self):
        run = ridge("plan", *SMALL, "--rate", "10", "--slo", "tpot=200us")
        self.assertEqual(run.code, DOES_NOT_FIT, str(run))
        self.assertIn("Nothing keeps the SLO", run.out)
        found = re.search(r"would hold: (--slo tpot=\S+ms)", run.out)
        self.assertTrue(found, run.out)
        kept = ridge("plan", *SMALL, "--rate", "10", *found[1].split())
        self.assertEqual(kept.code, ANSWERED, str(kept))

    @unittest.skipIf(SANITIZED, "thousands of simulated requests")
    def test_an_slo_that_is_kept_anyway_costs_nothing(self):
        # what a fleet is found to keep under one SLO is no reason to take more nodes when it is asked for
        words = ["llama-3.3-70b", "--on", "hgx-h100", "--rate", "20", "--isl", "4k", "--osl", "500", "--quiet", "--slo"]
        loose = fleet(*words, "ttft=3s,tpot=50ms")["best"]
        seen = {one["metric"]: one["interval"]["95"][1] for one in loose["slo"]}
        asked = f"ttft={1.2e3 * seen['TTFT']:.0f}ms,tpot={1.2e3 * seen['TPOT']:.2f}ms"
        self.assertLessEqual(fleet(*words, asked)["best"]["nodes"], loose["nodes"], asked)

    def test_only_what_has_to_give_way_is_offered(self):
        run = ridge("plan", *SMALL, "--rate", "10", "--slo", "ttft=2s,tpot=200us")
        self.assertEqual(run.code, DOES_NOT_FIT, str(run))
        self.assertEqual(set(re.findall(r"ttft=(\S+?),", run.out)), {"2000ms"}, run.out)

    @unittest.skipIf(SANITIZED, "thousands of simulated requests")
    def test_an_engine_started_as_printed_keeps_the_slo_too(self):
        words = [*SMALL, "--rate", "60", "--slo", "ttft=500ms,tpot=20ms", "--aggregated", "--spare", "1"]
        answer = fleet(*words, "--commands")
        best = answer["best"]
        started = next(one for one in answer["commands"] if one["engine"] == "vllm")
        self.assertIn(f"--data-parallel-size {best['replicas']:g}", started["command"])  # the spare one as well
        at_work = started["command"].replace(f"--data-parallel-size {best['replicas']:g}",
                                             f"--data-parallel-size {best['simulated']['replicas']:g}")
        run = ridge("simulate", "--from", at_work, "--on", "hgx-h100", "--isl", "1k", "--osl", "200", "--rate",
                    str(best["simulated"]["requests_per_s"]), "--requests", str(best["simulated"]["requests"]), "--json", "--quiet")
        self.assertEqual(run.code, ANSWERED, str(run))
        self.assertEqual(run.json()["steady"]["ttft"]["p99"], best["slo"][0]["value"])

    @unittest.skipIf(SANITIZED, "thousands of simulated requests")
    def test_the_first_lines_say_what_is_paid_and_what_cannot_be(self):
        for more, says in (([], "Rent "), (["--price-basis", "owned"], "Buy "), (["--price", "$2/h"], "Take ")):
            with self.subTest(more):
                line = ridge("plan", *SMALL, "--rate", "10", "--slo", "tpot=20ms", "--no-simulation", *more).out.splitlines()[1]
                self.assertTrue(line.startswith(says), line)
        self.assertIn("(reserved-3y)", ridge("plan", *SMALL, "--rate", "10", "--slo", "tpot=20ms", "--no-simulation").out.splitlines()[1])
        long = ["llama-3-8b", "--on", "hgx-h100", "--isl", "9k", "--osl", "200", "--rate", "5", "--slo", "tpot=40ms", "--no-simulation"]
        self.assertIn("engines refuse such requests", " ".join(" ".join(ridge("plan", *long).out.splitlines()[:7]).split()))
        self.assertIn("engines refuse such requests", fleet(*long)["notes"][0])


if __name__ == "__main__":
    unittest.main()
