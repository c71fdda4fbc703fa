"""Did any printed answer change?

Each row of COMMANDS is run and its standard output (or the SVG file it writes) compared byte for byte with
tests/golden/NAME.txt. To accept a change that was meant:

    GOLDEN_WRITE=1 RIDGE=build/release/ridge python3 tests/cli/golden_test.py && git diff tests/golden

Review the diff line by line and say in the commit which numbers moved and why. Never bless blindly: a golden file that
nobody read checks nothing.
"""

import difflib
import os
import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, DOES_NOT_FIT, ROOT, not_numbers, ridge

GOLDEN = ROOT / "tests" / "golden"
WRITE = os.environ.get("GOLDEN_WRITE") == "1"

MOE = ["deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8"]
DENSE = ["llama-3.1-70b", "--on", "hgx-h100", "--chips", "4", "--batch", "64", "--context", "4k"]
SERVED = ["llama-3.1-70b", "--on", "hgx-h100", "--weights", "fp8", "--tp", "4", "--isl", "1k", "--osl", "1k", "--concurrency", "64"]
PRICED = ["llama-3.1-70b", "--on", "hgx-h100", "--weights", "fp8", "--tp", "4", "--isl", "4k", "--osl", "500", "--concurrency", "48"]
TOO_LARGE = ["llama-3.1-405b", "--on", "hgx-h100", "--context", "128k", "--batch", "32"]
VLLM = "CUDA_VISIBLE_DEVICES=0,1,2,3 vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size=4 --max-num-seqs 64 --enforce-eager --frobnicate 3"
SGLANG = """python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3-0324 \\
  --tp 8 --dp 8 --enable-dp-attention --moe-a2a-backend deepep --max-running-requests 1024 --mem-fraction-static 0.85"""

# name, arguments, exit code; SVG in the arguments stands for a file whose content is compared instead of stdout
TARIFF = "input=$5/Mtok,hit=$0.50/Mtok,5min=$6.25/Mtok,1h=$10/Mtok"

COMMANDS = [
    ("bare", [], ANSWERED),
    ("why_moe", ["why", *MOE], ANSWERED),
    ("why_dense", ["why", *DENSE], ANSWERED),
    ("why_does_not_fit", ["why", *TOO_LARGE], DOES_NOT_FIT),
    ("why_no_context", ["why", *MOE, "--context", "0"], ANSWERED),
    ("why_fallback", ["why", "deepseek-v3", "--on", "hgx-a100", "--chips", "32"], ANSWERED),
    ("why_derive_step", ["why", *MOE, "--derive", "step"], ANSWERED),
    ("why_derive_cost", ["why", *DENSE, "--derive", "cost", "--depth", "0"], ANSWERED),
    ("why_sensitivity", ["why", *MOE, "--sensitivity"], ANSWERED),
    ("why_range", ["why", *MOE, "--range", "hbm=6.5..8 TB/s", "--range", "price=$2..4/h"], ANSWERED),
    ("why_json", ["why", *MOE, "--json"], ANSWERED),
    ("why_csv", ["why", *DENSE, "--csv"], ANSWERED),
    ("why_plain", ["why", *MOE, "--plain"], ANSWERED),
    ("curve_batch", ["curve", "batch", *MOE], ANSWERED),
    ("curve_context", ["curve", "context", *DENSE], ANSWERED),
    ("curve_chips", ["curve", "chips", *MOE], ANSWERED),
    ("curve_sparsity", ["curve", "sparsity", *MOE], ANSWERED),
    ("curve_csv", ["curve", "batch", *DENSE, "--csv"], ANSWERED),
    ("curve_svg_step", ["curve", "batch", *MOE, "--svg", "SVG"], ANSWERED),
    ("curve_svg_cost", ["curve", "batch", *MOE, "--chart", "cost", "--svg", "SVG"], ANSWERED),
    ("curve_svg_context", ["curve", "context", *DENSE, "--svg", "SVG"], ANSWERED),
    ("fit", ["fit", *DENSE], ANSWERED),
    ("fit_does_not_fit", ["fit", *TOO_LARGE], DOES_NOT_FIT),
    ("list", ["list"], ANSWERED),
    *((f"list_{what}", ["list", what], ANSWERED)
      for what in ("models", "machines", "chips", "formats", "engines", "sources", "laws", "tiers", "reuse", "traffic", "prices", "claims", "inputs",
                   "figures", "serving-inputs", "serving-figures", "lifecycle-inputs",
                   "lifecycle-figures")),
    ("show_model", ["show", "deepseek-v3"], ANSWERED),
    ("show_model_windows", ["show", "model", "gemma-4-e2b"], ANSWERED),
    ("show_model_compressed", ["show", "model", "deepseek-v4-flash"], ANSWERED),
    ("show_model_hybrid", ["show", "model", "nemotron-3-super"], ANSWERED),
    ("show_model_json", ["show", "model", "qwen3-next-80b-a3b", "--json"], ANSWERED),
    ("diff_models", ["diff", "deepseek-v3", "kimi-k2"], ANSWERED),
    ("diff_machines", ["diff", "hgx-h100", "hgx-h200"], ANSWERED),
    ("why_windows", ["why", "gpt-oss-120b", "--on", "hgx-h100", "--chips", "2", "--batch", "32", "--context", "32k"], ANSWERED),
    ("why_sparse_derived", ["why", "deepseek-v3.2", "--on", "gb200-nvl72", "--derive", "kv_read", "--depth", "0"], ANSWERED),
    ("show_chip", ["show", "h200-sxm"], ANSWERED),
    ("show_machine", ["show", "gb200-nvl72"], ANSWERED),
    ("serving_dense", ["why", *SERVED], ANSWERED),
    ("serving_dense_json", ["why", *SERVED, "--json"], ANSWERED),
    ("serving_experts_rate", ["why", "deepseek-v3", "--on", "hgx-b200", "--dp", "8", "--isl", "8k", "--osl", "1k", "--rate", "4", "--engine", "trtllm"], ANSWERED),
    ("serving_sensitivity", ["why", *SERVED, "--sensitivity"], ANSWERED),
    ("serving_derive", ["why", *SERVED, "--derive", "tpot"], ANSWERED),
    ("serving_range", ["why", *SERVED, "--range", "hbm=3..4 TB/s", "--range", "price=$2..4/h"], ANSWERED),
    ("serving_set", ["why", *SERVED, "--set", "hbm.bandwidth=5 TB/s", "--utilization", "0.5"], ANSWERED),
    ("serving_speculative", ["why", *SERVED, "--speculative-tokens", "3", "--acceptance-rate", "0.7"], ANSWERED),
    ("serving_disaggregated", ["why", *SERVED, "--disaggregated"], ANSWERED),
    ("serving_borrowed", ["why", "llama-3.1-8b", "--on", "mi300x-8", "--tp", "1", "--concurrency", "16"], ANSWERED),
    ("serving_saturated", ["why", *SERVED[:-2], "--rate", "5.6"], ANSWERED),
    ("serving_does_not_fit", ["why", "llama-3.1-405b", "--on", "hgx-h100", "--tp", "2"], DOES_NOT_FIT),
    ("serving_fit", ["fit", *SERVED], ANSWERED),
    ("plan_rack", ["plan", "deepseek-v3", "--on", "gb200-nvl72", "--isl", "8k", "--osl", "1k", "--ttft", "2s", "--tpot", "30ms"], ANSWERED),
    ("plan_machines", ["plan", "llama-3.1-70b", "--on", "hgx-h100,hgx-b200,mi355x-8", "--tpot", "20ms", "--weights", "fp8,bf16", "--threads", "2"], ANSWERED),
    ("plan_no_way", ["plan", "deepseek-v3", "--on", "hgx-h200", "--ttft", "100ms", "--tpot", "5ms"], DOES_NOT_FIT),
    ("plan_what_if", ["plan", "llama-3.1-8b", "--on", "hgx-b200", "--tpot", "5ms", "--what-if", "--commands", "--max-chips", "4"], ANSWERED),
    ("plan_json", ["plan", "llama-3.1-8b", "--on", "hgx-h100", "--tpot", "8ms", "--max-chips", "2", "--json"], ANSWERED),
    ("plan_nothing_fits", ["plan", "deepseek-v3", "--on", "hgx-a100", "--tpot", "5ms"], DOES_NOT_FIT),
    ("from_vllm", ["why", "--from", VLLM, "--on", "hgx-h100", "--isl", "2k", "--tp", "8"], ANSWERED),
    ("from_sglang_fit", ["fit", "--from", SGLANG, "--on", "hgx-b200"], ANSWERED),
    ("from_does_not_fit", ["why", "--from", "vllm serve meta-llama/Llama-3.1-405B-Instruct -tp 4", "--on", "hgx-h100"], DOES_NOT_FIT),
    ("commands", ["fit", "deepseek-v3", "--on", "hgx-b200", "--tp", "2", "--dp", "4", "--speculative-tokens", "1", "--replicas", "2", "--commands"], ANSWERED),
    ("commands_json", ["fit", "llama-3.1-70b", "--on", "hgx-h100", "--tp", "4", "--kv", "fp8", "--commands", "--json"], ANSWERED),
    ("layout_moe", ["layout", "deepseek-v3", "gb200-nvl72"], ANSWERED),
    ("layout_pipeline", ["layout", "deepseek-v3", "gb200-nvl72", "--ep", "64", "--pp", "4", "--batch", "8192", "--hop", "10 us"], ANSWERED),
    ("layout_copies_plain", ["layout", "deepseek-v3", "gb200-nvl72", "--ep", "144", "--redundant-experts", "32", "--plain"], ANSWERED),
    ("layout_dense_does_not_fit", ["layout", "llama-3.1-405b", "hgx-h100", "--tp", "8"], DOES_NOT_FIT),
    ("layout_compare", ["layout", "deepseek-v3", "--compare"], ANSWERED),
    ("layout_json", ["layout", "llama-3.1-70b", "hgx-h100", "--tp", "4", "--pp", "2", "--batch", "64", "--json"], ANSWERED),
    ("layout_svg", ["layout", "deepseek-v3", "gb200-nvl72", "--ep", "128", "--svg", "SVG"], ANSWERED),
    ("lifecycle", ["lifecycle"], ANSWERED),
    ("lifecycle_model", ["lifecycle", "deepseek-v3", "--tokens", "14.8T", "--served", "1M tok/s", "--for", "180 days", "--on", "hgx-h100"], ANSWERED),
    ("lifecycle_budget", ["lifecycle", "--budget", "$1B", "--rl-tokens", "1T", "--loss", "1.95", "--law", "hoffmann-2022-tex", "--plain"], ANSWERED),
    ("lifecycle_derive", ["lifecycle", "--derive", "best_params", "--depth", "0"], ANSWERED),
    ("lifecycle_sensitivity", ["lifecycle", "--tokens", "200T", "--sensitivity"], ANSWERED),
    ("lifecycle_range", ["lifecycle", "--range", "served=20..100 Mtok/s", "--range", "life=60..365 days"], ANSWERED),
    ("lifecycle_json", ["lifecycle", "--params", "37B", "--num-experts", "256", "--experts-per-token", "8", "--json"], ANSWERED),
    ("lifecycle_svg", ["lifecycle", "--svg", "SVG"], ANSWERED),
    ("price", ["price", *PRICED, "--margin", "60%"], ANSWERED),
    ("price_json", ["price", *[word for word in PRICED if word not in ("--isl", "4k")], "--cache-ttl", "10min", "--isl-mix", "4k:60%,32k:30%,120k:10%", "--json"], ANSWERED),
    ("price_litellm", ["price", *PRICED, "--litellm"], ANSWERED),
    ("price_derive", ["price", *PRICED, "--derive", "output", "--depth", "0"], ANSWERED),
    ("price_svg", ["price", *PRICED, "--svg", "SVG"], ANSWERED),
    ("infer_lecture", ["infer", "google/gemini-3-pro-preview@2026-03-31", "--prior", "lecture", "--samples", "200k"], ANSWERED),
    ("infer_fast", ["infer", "anthropic/claude-opus-4-6@2026-03-31", "--fast-speed", "2.5", "--samples", "200k", "--plain"], ANSWERED),
    ("infer_json", ["infer", "google/gemini-3-pro-preview@2026-03-31", "--range", "active=50B..200B", "--samples", "200k", "--json"], ANSWERED),
    ("infer_svg", ["infer", "google/gemini-3-pro-preview@2026-03-31", "--samples", "200k", "--svg", "SVG"], ANSWERED),
    ("activations", ["activations", "llama-3-70b"], ANSWERED),
    ("activations_experts", ["activations", "deepseek-v3", "--sequence", "4Ki", "--batch", "8", "--plain"], ANSWERED),
    ("activations_json", ["activations", "llama-3-8b", "--dropout", "--json"], ANSWERED),
    ("tier", ["tier"], ANSWERED),
    ("tier_tariff", ["tier", "llama-3.1-70b", "--on", "hgx-h100", "--context", "32k", "--tariff", TARIFF, "--plain"], ANSWERED),
    ("tier_unknown_model", ["tier", "--active", "100B", "--kv-bytes", "2 kB/token", "--on", "hgx-h200", "--fetch-stall", "1", "--reuse-probability", "0.3", "--reuse", "agent", "--tiers", "hbm,dram,flash"], ANSWERED),
    ("tier_json", ["tier", "deepseek-v3", "--on", "hgx-h100", "--tariff", TARIFF, "--json"], ANSWERED),
    ("tier_derive", ["tier", "deepseek-v3", "--on", "hgx-h100", "--derive", "flash", "--depth", "0"], ANSWERED),
    ("tier_derive_recompute", ["tier", "deepseek-v3", "--on", "hgx-h100", "--derive", "recompute"], ANSWERED),
    ("tier_svg", ["tier", "deepseek-v3", "--on", "hgx-h100", "--tariff", TARIFF, "--svg", "SVG"], ANSWERED),
    ("tier_svg_map", ["tier", "deepseek-v3", "--on", "hgx-h100", "--chart", "map", "--svg", "SVG"], ANSWERED),
    ("tier_svg_fleet", ["tier", "deepseek-v3", "--on", "hgx-h100", "--chart", "fleet", "--svg", "SVG"], ANSWERED),
    ("context", ["context"], ANSWERED),
    ("context_json", ["context", "llama-3.1-70b", "--on", "hgx-h100", "--max", "1M", "--session", "10M", "--json"], ANSWERED),
    ("context_svg", ["context", "--svg", "SVG"], ANSWERED),
    ("demand", ["demand", *MOE], ANSWERED),
    ("demand_batch", ["demand", *DENSE, "--per-user", "1 tok/s", "--concurrency", "10,1k", "--plain"], ANSWERED),
    ("demand_json", ["demand", *MOE, "--concurrency", "1k", "--json"], ANSWERED),
    ("demand_svg", ["demand", *MOE, "--svg", "SVG"], ANSWERED),
    ("price_history", ["price", "history", "claude-opus"], ANSWERED),
    ("price_history_json", ["price", "history", "google/gemini-pro", "--json"], ANSWERED),
    ("price_history_svg", ["price", "history", "deepseek", "--svg", "SVG"], ANSWERED),
    ("day", ["day"], ANSWERED),
    ("day_json", ["day", "--json"], ANSWERED),
    ("cost", ["cost", "hgx-h100", "--utilization", "60%"], ANSWERED),
    ("cost_json", ["cost", "gb200-nvl72", "--capex", "$60000", "--life", "5 years", "--memory-cost-share", "30%", "--json"], ANSWERED),
    ("host", ["host", "llama-3.3-70b", "--on", "hgx-h100", "--weights", "fp8", "--tokens-per-day", "2B"], ANSWERED),
    ("host_does_not_fit", ["host", "llama-3.1-405b", "--on", "hgx-h100", "--tp", "2"], DOES_NOT_FIT),
    ("host_json", ["host", "gpt-oss-120b", "--on", "hgx-h100", "--tp", "1", "--price", "owned", "--sheet", "groq/openai/gpt-oss-120b", "--json"], ANSWERED),
    ("host_svg", ["host", "deepseek-v3", "--on", "hgx-h200", "--isl", "4k", "--osl", "500", "--cached", "0.5", "--svg", "SVG"], ANSWERED),
    ("claims", ["claims"], ANSWERED),
    ("claims_c50", ["claims", "C50"], ANSWERED),
    ("claims_c05", ["claims", "C05"], ANSWERED),
    ("claims_c21", ["claims", "C21"], ANSWERED),
    ("claims_c34", ["claims", "C34"], ANSWERED),
]


def answer(arguments):
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "chart.svg")
        run = ridge(*[file if a == "SVG" else a for a in arguments], cwd=folder)
        return run, Path(file).read_bytes() if "SVG" in arguments and run.code == ANSWERED else run.raw


class Golden(unittest.TestCase):
    maxDiff = None

    def test_every_printed_answer_is_as_reviewed(self):
        for name, arguments, code in COMMANDS:
            with self.subTest(name):
                run, text = answer(arguments)
                self.assertEqual(run.code, code, str(run))
                file = GOLDEN / f"{name}.txt"
                if WRITE:
                    file.write_bytes(text)
                self.assertTrue(file.exists(), f"{file} is missing: GOLDEN_WRITE=1 writes it")
                wanted = file.read_bytes()
                if text != wanted:
                    self.fail("\n" + "\n".join(difflib.unified_diff(wanted.decode().splitlines(), text.decode(errors="replace").splitlines(),
                                                                    f"tests/golden/{name}.txt", run.command, lineterm="")))

    def test_an_answer_is_the_same_twice(self):
        for name, arguments, _ in COMMANDS[:4]:
            with self.subTest(name):
                self.assertEqual(answer(arguments)[1], answer(arguments)[1])

    def test_every_golden_file_has_its_command(self):
        self.assertEqual({file.stem for file in GOLDEN.glob("*.txt")}, {name for name, _, _ in COMMANDS})

    def test_no_printed_answer_holds_nan_or_inf(self):
        for file in GOLDEN.glob("*.txt"):
            with self.subTest(file.stem):
                self.assertEqual(not_numbers(file.read_text()), [])

    def test_plain_answers_are_ascii(self):
        for arguments in (["why", *MOE], ["why", *DENSE, "--derive", "cost"], ["curve", "batch", *MOE], ["why", *MOE, "--sensitivity"], ["show", "deepseek-v3"],
                          ["lifecycle"], ["lifecycle", "--derive", "best_params", "--depth", "0"], ["activations", "llama-3-70b"], ["curve", "sparsity", *MOE],
                          ["tier"], ["context"], ["demand", *MOE],
                          ["cost", "hgx-h100"], ["day"], ["price", "history", "deepseek"], ["host", "llama-3.1-8b", "--on", "hgx-h100"]):
            with self.subTest(arguments[0]):
                text = ridge(*arguments, "--plain").raw
                self.assertTrue(text.isascii(), [line for line in text.splitlines() if not line.isascii()])
                self.assertNotIn(b"\x1b", text)

    def test_what_is_not_a_terminal_gets_no_colors(self):
        environment = {"LANG": "C.UTF-8", "TERM": "xterm-256color"}
        self.assertNotIn(b"\x1b", ridge("why", *MOE, env=environment).raw)


if __name__ == "__main__":
    unittest.main()
