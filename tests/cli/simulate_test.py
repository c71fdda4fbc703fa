"""Does `ridge simulate` say of its requests what the requests say themselves?

Figures of the JSON are worked out again from the rows of --csv, in plain Python; a trace's spans and a run's bytes are compared.
"""

import csv
import json
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from ridge_run import ANSWERED, BAD_INPUT, DOES_NOT_FIT, ENVIRONMENT, RIDGE, WRONG_USAGE, ridge

ON = ["llama-3.1-8b", "--on", "hgx-h100", "--tp", "1", "--isl", "512", "--osl", "64"]
LOADS = {"closed": ["--concurrency", "24", "--requests", "300", "--length-spread", "0.5"],
         "open": ["--rate", "30", "--requests", "400", "--burstiness", "0.5"],
         "constant": ["--rate", "20", "--requests", "200", "--burstiness", "0"],
         "sessions": ["--sessions", "8", "--turns", "3", "--think", "300 ms", "--requests", "120"],
         "sessions at a rate": ["--rate", "4", "--turns", "3", "--requests", "150"],
         "replicas": ["--replicas", "2", "--rate", "40", "--requests", "300", "--routing", "power-of-two"],
         "disaggregated": ["--disaggregated", "--rate", "20", "--requests", "200", "--prefill-replicas", "2"],
         "sglang": ["--engine", "sglang", "--concurrency", "16", "--requests", "100"],
         "trtllm": ["--engine", "trtllm", "--concurrency", "16", "--requests", "100"],
         "crowded": ["--rate", "400", "--requests", "400", "--memory-utilization", "0.25"]}


def percentile(values, share):
    """NumPy's: linear between neighbors."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


class Runs(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def run_with_rows(self, *words):
        path = self.folder / "requests.csv"
        run = ridge("simulate", *ON, *words, "--json", "--csv", str(path))
        self.assertEqual(run.code, ANSWERED, str(run))
        with open(path, newline="") as file:
            return run.json(), list(csv.DictReader(file))

    def test_figures_are_those_of_the_rows(self):
        for name, load in LOADS.items():
            with self.subTest(name):
                answer, rows = self.run_with_rows(*load)
                self.assertEqual([int(row["request"]) for row in rows], list(range(len(rows))))
                done = [row for row in rows if row["refused"] == "false"]
                self.assertEqual(answer["sent"], len(rows))
                self.assertEqual(answer["finished"], len(done))
                self.assertEqual(answer["prompt_tokens"], sum(int(row["prompt_tokens"]) for row in done))
                self.assertEqual(answer["output_tokens"], sum(int(row["output_tokens"]) for row in done))
                last = max(float(row["sent_s"]) + float(row["e2e_s"]) for row in done)
                self.assertAlmostEqual(answer["duration"] / last, 1, places=3)  # the front end's way back apart
                self.assertAlmostEqual(answer["output_tok_s"] * answer["duration"] / answer["output_tokens"], 1, places=9)
                for figure, column in (("ttft", "ttft_s"), ("tpot", "tpot_s"), ("e2e", "e2e_s"), ("queue", "queue_s")):
                    spans = [float(row[column]) for row in done if row[column]]
                    told = answer["as_benchmarked"][figure]
                    self.assertEqual(told["count"], len(spans))
                    self.assertAlmostEqual(told["mean"], sum(spans) / len(spans), delta=2e-9)
                    for word, share in (("min", 0), ("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("max", 1)):
                        self.assertAlmostEqual(told[word], percentile(spans, share), delta=2e-9, msg=f"{figure} {word}")
                for row in done:
                    self.assertLessEqual(float(row["queue_s"]), float(row["ttft_s"]))
                    self.assertLessEqual(float(row["ttft_s"]), float(row["e2e_s"]))
                    self.assertLess(int(row["cached_tokens"]), int(row["prompt_tokens"]))

    def test_littles_law(self):
        for name in ("closed", "open", "replicas"):
            with self.subTest(name):
                answer, rows = self.run_with_rows(*LOADS[name])
                spent = sum(float(row["e2e_s"]) for row in rows)
                self.assertAlmostEqual(answer["in_flight"] * answer["duration"] / spent, 1, delta=1e-6)

    def test_the_share_within_the_slo_is_that_of_the_rows(self):
        answer, rows = self.run_with_rows("--rate", "45", "--requests", "500", "--slo", "ttft=80ms,tpot=14ms,e2e=1s")
        within = sum(float(row["ttft_s"]) <= 0.08 and float(row["tpot_s"]) <= 0.014 and float(row["e2e_s"]) <= 1 for row in rows)
        self.assertEqual(answer["as_benchmarked"]["within_slo"], within)
        self.assertAlmostEqual(answer["slo_share"], within / len(rows))
        self.assertGreater(within, 0)
        self.assertLess(within, len(rows))
        self.assertAlmostEqual(answer["goodput"] * answer["duration"], within, places=6)

    def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(self):
        for words in (["--rate", "20", "--requests", "200", "--seeds", "5"], ["--slo", "ttft=200ms", "--find-rate", "--requests", "200"]):
            answers = {ridge("simulate", *ON, *words, "--json", "--threads", threads).out for threads in ("1", "2", "5")}
            self.assertEqual(len(answers), 1, words)
        self.assertNotEqual(ridge("simulate", *ON, "--rate", "20", "--requests", "50", "--seed", "1", "--json").out,
                            ridge("simulate", *ON, "--rate", "20", "--requests", "50", "--seed", "2", "--json").out)

    def test_seeds_are_those_that_can_be_run_alone(self):
        words = ["--rate", "20", "--requests", "150"]
        alone = [ridge("simulate", *ON, *words, "--seed", str(seed), "--json").json() for seed in (7, 8, 9)]
        spread = ridge("simulate", *ON, *words, "--seed", "7", "--seeds", "3", "--json").json()["seeds"]
        self.assertEqual(spread["count"], 3)
        values = [one["as_benchmarked"]["ttft"]["p99"] for one in alone]
        mean = sum(values) / 3
        deviation = (sum((value - mean) ** 2 for value in values) / 2) ** 0.5
        told = spread["figures"]["ttft_p99"]
        self.assertAlmostEqual(told["mean"], mean, places=12)
        self.assertAlmostEqual(told["high"] - told["mean"], 4.303 * deviation / 3 ** 0.5, places=9)

    def test_the_cost_is_the_bill_over_the_tokens(self):
        answer, _ = self.run_with_rows("--concurrency", "8", "--requests", "50", "--price", "$3.60/h", "--replicas", "2")
        self.assertAlmostEqual(answer["cost"] * answer["output_tok_s"], 2 * 0.001, places=12)  # $3.60/h is $0.001/s
        self.assertEqual(answer["chips"], 2)
        apart, _ = self.run_with_rows("--rate", "5", "--requests", "50", "--price", "$3.60/h", "--disaggregated", "--prefill-replicas", "2")
        self.assertEqual(apart["chips"], 3)
        self.assertAlmostEqual(apart["cost"] * apart["output_tok_s"], 3 * 0.001, places=12)


class Traces(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def test_events_are_json_and_steps_do_not_overlap(self):
        for words in (["--concurrency", "8", "--requests", "60"], ["--rate", "40", "--requests", "100", "--replicas", "2"],
                      ["--rate", "20", "--requests", "60", "--disaggregated"]):
            path = self.folder / "run.json"
            run = ridge("simulate", *ON, *words, "--trace-out", str(path), "--json")
            self.assertEqual(run.code, ANSWERED, str(run))
            answer = run.json()
            events = json.loads(path.read_text())["traceEvents"]
            steps = {}
            for event in events:
                if event["ph"] == "X":
                    steps.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
            self.assertEqual(sum(len(one) for one in steps.values()), answer["steps"])
            for one in steps.values():
                one.sort()
                for (_, end), (start, _) in zip(one, one[1:]):
                    self.assertLessEqual(end, start + 1e-3)
            begun = [event for event in events if event["ph"] == "b" and event["name"] == "request"]
            self.assertEqual(len(begun), answer["finished"])
            self.assertEqual(sum(event["args"]["output_tokens"] for event in begun), answer["output_tokens"])
            self.assertEqual(sum(event["ph"] == "b" for event in events), sum(event["ph"] == "e" for event in events))
            self.assertIn("C", {event["ph"] for event in events})
            decoded = sum(event["args"]["decodes"] + event["args"]["prompts"] for event in events if event["ph"] == "X")
            self.assertGreaterEqual(decoded, answer["output_tokens"])

    def test_a_run_can_be_replayed(self):
        """The rows of an open loop are a trace; the same requests at the same times give the same answers."""
        rows = self.folder / "rows.csv"
        first = ridge("simulate", *ON, "--rate", "25", "--requests", "200", "--length-spread", "0.3", "--csv", str(rows), "--json").json()
        again = ridge("simulate", *ON[:5], "--trace", str(rows), "--json").json()
        self.assertEqual(again["finished"], 200)
        for figure in ("ttft", "tpot", "e2e"):
            self.assertAlmostEqual(again["as_benchmarked"][figure]["mean"] / first["as_benchmarked"][figure]["mean"], 1, delta=0.01)

    def test_a_bad_trace_names_its_line(self):
        path = self.folder / "bad.csv"
        path.write_text("sent_s,prompt_tokens,output_tokens\n0,10,10\n1,-5,10\n")
        run = ridge("simulate", *ON[:5], "--trace", str(path))
        self.assertEqual(run.code, BAD_INPUT)
        self.assertIn("bad.csv:3", run.err)

    def test_azures_trace_is_replayed(self):
        path = self.folder / "azure.csv"
        path.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n")
        run = ridge("simulate", *ON[:5], "--trace", str(path), "--speed", "2", "--json")
        self.assertEqual(run.code, ANSWERED, str(run))
        self.assertEqual(run.json()["prompt_tokens"], 770)


class Answers(unittest.TestCase):
    def test_an_overload_says_so(self):
        run = ridge("simulate", *ON, "--rate", "300", "--requests", "3000")
        self.assertEqual(run.code, ANSWERED, str(run))
        line = run.out.splitlines()[2]
        self.assertRegex(line, r"^saturated: the queue grows by [\d.]+ requests/s; capacity about [\d.]+ requests/s")
        answer = ridge("simulate", *ON, "--rate", "300", "--requests", "3000", "--json").json()
        self.assertTrue(answer["saturated"])
        # what comes is what is done and what waits
        self.assertAlmostEqual((answer["capacity"] + answer["queue_growth"]) / 300, 1, delta=0.2)
        self.assertFalse(ridge("simulate", *ON, "--rate", "5", "--requests", "500", "--json").json()["saturated"])

    def test_the_rate_found_holds_and_the_next_does_not(self):
        slo = ["--slo", "ttft=150ms,tpot=15ms", "--requests", "400"]
        found = ridge("simulate", *ON, *slo, "--find-rate", "--json").json()
        rate, fails = found["find_rate"]["rate"], found["find_rate"]["fails_at"]
        self.assertLessEqual(fails / rate, 1.011)
        self.assertGreaterEqual(found["slo_share"], 0.99)
        self.assertGreaterEqual(ridge("simulate", *ON, *slo, "--rate", repr(rate), "--json").json()["slo_share"], 0.99)
        above = ridge("simulate", *ON, *slo, "--rate", repr(fails), "--json").json()
        self.assertTrue(above["slo_share"] < 0.99 or above["saturated"])
        self.assertEqual([point["rate"] for point in found["find_rate"]["points"]], sorted(point["rate"] for point in found["find_rate"]["points"]))

    def test_no_rate_is_an_answer(self):
        run = ridge("simulate", *ON, "--slo", "ttft=1us", "--find-rate")
        self.assertEqual(run.code, DOES_NOT_FIT)
        self.assertIn("one request alone already takes", run.out)
        self.assertIsNone(ridge("simulate", *ON, "--slo", "ttft=1us", "--find-rate", "--json").json()["find_rate"]["rate"])

    def test_what_does_not_fit_is_an_answer(self):
        run = ridge("simulate", "llama-3.1-405b", "--on", "hgx-h100", "--tp", "4")
        self.assertEqual(run.code, DOES_NOT_FIT)
        self.assertIn("fits with", run.out)
        self.assertFalse(ridge("simulate", "llama-3.1-405b", "--on", "hgx-h100", "--tp", "4", "--json").json()["fits"])

    def test_requests_longer_than_the_cache_are_refused_and_counted(self):
        answer = ridge("simulate", "llama-3.1-8b", "--on", "hgx-h100", "--tp", "1", "--isl", "100k", "--osl", "10", "--length-spread", "0.99",
                       "--memory-utilization", "0.5", "--concurrency", "4", "--requests", "300", "--json").json()
        self.assertGreater(answer["refused"], 0)
        self.assertEqual(answer["refused"] + answer["finished"], 300)
        self.assertTrue(any("refused" in note for note in answer["notes"]))

    def test_flags_of_an_engines_command_reach_the_scheduler(self):
        def scheduler(command, *more):
            run = ridge("simulate", "--from", command, "--on", "hgx-h100", "--osl", "20", "--rate", "5", "--requests", "20", "--json", *more)
            self.assertEqual(run.code, ANSWERED, str(run))
            return run.json()["scheduler"]
        told = scheduler("vllm serve openai/gpt-oss-20b --max-num-seqs 64 --max-num-batched-tokens 2048 --no-enable-prefix-caching --no-async-scheduling")
        self.assertEqual((told["max_sequences"], told["token_budget"], told["prefix_cache"], told["composed_early"]), (64, 2048, False, False))
        usual = scheduler("vllm serve openai/gpt-oss-20b")
        self.assertEqual((usual["prefix_cache"], usual["composed_early"], usual["chunked_prefill"]), (True, True, True))
        told = scheduler("python3 -m sglang.launch_server --model-path openai/gpt-oss-20b --disable-radix-cache --disable-overlap-schedule --scheduler-recv-interval 10")
        self.assertEqual((told["prefix_cache"], told["composed_early"], told["poll_steps"]), (False, False, 10))
        self.assertEqual(scheduler("vllm serve openai/gpt-oss-20b --max-num-seqs 64", "--max-seqs", "8")["max_sequences"], 8)

    def test_tiers_failures_cold_starts_and_limits_are_told(self):
        told = ridge("simulate", *ON[:5], "--osl", "20", "--rate", "10", "--requests", "100", "--replicas", "2", "--fail", "2s:3s", "--cold-start", "--json").json()
        self.assertEqual(told["failures"]["replicas"], 1)
        self.assertGreaterEqual(told["failures"]["retries"], 1)
        self.assertEqual(told["finished"], 100)
        self.assertGreater(told["as_benchmarked"]["ttft"]["max"], told["cold_start"] - 1)
        tiers = ["--memory-utilization", "0.3", "--sessions", "30", "--turns", "4", "--isl", "2k", "--osl", "20", "--requests", "120", "--json"]
        none = ridge("simulate", *ON[:5], *tiers).json()
        kept = ridge("simulate", *ON[:5], *tiers, "--kv-tiers", "dram=200GB,flash=1TB").json()
        self.assertGreater(kept["fetched_rate"], 0.2)
        self.assertGreater(kept["prefix_hit_rate"], none["prefix_hit_rate"] + 0.2)
        self.assertLess(kept["duration"], none["duration"])
        limited = ridge("simulate", *ON[:5], "--osl", "20", "--rate", "100", "--max-concurrency", "4", "--requests", "200", "--json").json()
        self.assertLessEqual(limited["in_flight"], 4)
        self.assertTrue(limited["saturated"])

    def test_near_saturation_a_range_is_told(self):
        calm = ridge("simulate", *ON[:5], "--osl", "50", "--rate", "2", "--requests", "100", "--json").json()
        self.assertNotIn("ttft_range", calm)
        why = ridge("why", *ON[:5], "--osl", "50", "--rate", "2", "--json").json()
        self.assertFalse(why["ttft_range"]["several_fold"])
        most = 1 / ridge("why", *ON[:5], "--osl", "50", "--rate", "1", "--json").json()["utilization"]
        busy = ridge("simulate", *ON[:5], "--osl", "50", "--rate", str(0.93 * most), "--requests", "600", "--json").json()
        if not busy["saturated"]:
            self.assertGreater(busy["ttft_range"]["less_capacity"]["mean"], busy["ttft_range"]["more_capacity"]["mean"])
        run = ridge("why", *ON[:5], "--osl", "50", "--rate", str(0.93 * most))
        self.assertIn("near saturation: TTFT", run.out)
        self.assertTrue(ridge("why", *ON[:5], "--osl", "50", "--rate", str(0.93 * most), "--json").json()["ttft_range"]["several_fold"])

    def test_clients_draw_as_they_do(self):
        def client(name, *more):
            return ridge("simulate", *ON[:5], "--isl", "1000", "--osl", "100", "--concurrency", "4", "--client", name, "--json", *more).json()["client"]
        told = client("inferencex")
        self.assertEqual((told["isl"], told["requests"]), ({"min": 800, "max": 1000}, 40))
        told = client("vllm", "--length-spread", "0.2")
        self.assertEqual((told["isl"], told["requests"]), ({"min": 800, "max": 1200}, 1000))
        self.assertEqual(client("sglang")["isl"], {"min": 1, "max": 1000})
        self.assertEqual(client("aiperf")["requests"], 10)
        self.assertEqual(client("inferencex")["warmups"], 8)
        self.assertNotIn("warmups", client("inferencex", "--warmups", "0"))

    def test_wrong_options_name_themselves(self):
        for words, says in ((["--rate", "1", "--turns", "2", "--concurrency", "2"], "--concurrency: stands beside --rate"), (["--fail", "5s"], "--fail: no replica of 1 would be left"),
                            (["--fail", "5s:0s"], "--fail: "), (["--kv-tiers", "dram"], "--kv-tiers: "), (["--kv-tiers", "drum=1GB"], "dram"), (["--repair", "5s"], "--repair: "),
                            (["--trace", "none.csv", "--warmups", "3"], "--warmups: "), (["--slo", "tftt=1s"], "did you mean ttft"), (["--find-rate"], "--find-rate: "),
                            (["--client", "vlm"], "did you mean vllm"), (["--rate", "1e-9"], "--rate: "), (["--requests", "1e9"], "--requests: "), (["--length-spread", "2"], "--length-spread: "),
                            (["--think", "1s", "--rate", "3"], "--think: "), (["--burstiness", "2"], "--burstiness: "), (["--system-tokens", "600"], "--system-tokens: "),
                            (["--routing", "best"], "--routing: "), (["--chart", "load"], "--chart: "), (["--trace", "none.csv", "--rate", "3"], "--rate: stands beside --trace")):
            with self.subTest(words):
                run = ridge("simulate", *ON, *words)
                self.assertEqual(run.code, BAD_INPUT, str(run))
                self.assertIn(says, run.err)
                self.assertIn("hint:", run.err)
        self.assertIn("--isl: ", ridge("simulate", *ON[:5], "--isl", "1e9").err)
        self.assertEqual(ridge("simulate", *ON, "--seeds", "0").code, WRONG_USAGE)

    def test_ctrl_c_prints_what_is_done(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = Path(folder) / "rows.csv"
            process = subprocess.Popen([RIDGE, "simulate", *ON, "--concurrency", "64", "--requests", "20M", "--json", "--quiet", "--csv", str(rows)], env=ENVIRONMENT,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(1.5)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + signal.SIGINT, err[-500:])
            answer = json.loads(out)
            self.assertTrue(answer["stopped"])
            self.assertGreater(answer["finished"], 0)
            self.assertIn("stopped", " ".join(answer["notes"]))
            with open(rows, newline="") as file:
                self.assertEqual(sum(1 for _ in csv.DictReader(file)), answer["finished"])

    def test_progress_is_told_after_two_seconds(self):
        process = subprocess.Popen([RIDGE, "simulate", *ON, "--concurrency", "64", "--requests", "20M"], env=ENVIRONMENT,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertIn(b"of 20 M requests", err)
        self.assertEqual([line for line in out.decode().splitlines() if len(line) > 80], [])

    def test_every_screen_holds_80_columns_and_plain_is_ascii(self):
        for words in (["--rate", "300", "--requests", "1000", "--slo", "ttft=123ms,tpot=45ms,e2e=6789ms"], ["--slo", "ttft=200ms", "--find-rate", "--requests", "200"],
                      ["--concurrency", "4", "--seeds", "3", "--requests", "40"], ["--sessions", "4", "--requests", "40"]):
            run = ridge("simulate", *ON, *words)
            self.assertEqual([line for line in run.out.splitlines() if len(line) > 80], [])
            self.assertTrue(ridge("simulate", *ON, *words, "--plain").out.isascii())

    def test_pictures_are_svg(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in (["--chart", "latency", "--rate", "9", "--requests", "50"], ["--chart", "timeline", "--rate", "9", "--requests", "50"],
                          ["--slo", "ttft=200ms", "--find-rate", "--requests", "100"]):
                path = Path(folder) / "picture.svg"
                self.assertEqual(ridge("simulate", *ON, *words, "--svg", str(path)).code, ANSWERED)
                import xml.etree.ElementTree as tree
                self.assertTrue(tree.parse(path).getroot().tag.endswith("svg"))


if __name__ == "__main__":
    unittest.main()
