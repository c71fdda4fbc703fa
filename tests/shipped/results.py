"""tests/data/result_files.toml as the files that benchmark tools write: their words, around figures of real runs."""

import csv
import io
import json
import tomllib

import folded

RULE = "=" * 48


def records(entry):
    """What is said once, with what is said of each result."""
    said = folded.unfold(entry.get("said", {}))
    rows = entry.get("rows")
    if rows is None:
        return [said]
    return [said | {key: value for key, value in zip(entry["columns"], row) if value != "null"} for row in rows]


def as_json(entry):
    found = records(entry)
    return json.dumps(found if "rows" in entry else found[0], indent=1)


def jsonl(entry):
    return "".join(json.dumps(one) + "\n" for one in records(entry))


def as_csv(entry):
    columns = list(records(entry)[0])
    text = io.StringIO(",".join(columns) + "\n")
    text.seek(0, io.SEEK_END)
    csv.DictWriter(text, columns, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(records(entry))
    return text.getvalue()


def guidellm(entry):
    return json.dumps({"benchmarks": records(entry)})


def genai_perf(entry):
    """Two tables: distributions, and what has one value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for head, several in (("Metric,avg,min,max,p99,p95,p90,p75,p50,p25", True), ("\nMetric,Value", False)):
        text.write(head + "\n")
        writer.writerows([key, *(f"{value:,.2f}" for value in values)] for key, values in entry["said"].items() if (len(values) > 1) == several)
    return text.getvalue()


def llama_cpp_page(entry):
    """A page with the tables of llama-batched-bench and llama-bench; what follows from the times is worked out again."""
    said = entry["said"]
    lines = [f"main: n_kv_max = {said['n_kv_max']}, n_batch = 2048, n_ubatch = 2048", "",
             "| PP | TG | B | N_KV | T_PP s | S_PP t/s | T_TG s | S_TG t/s | T s | S t/s |", "|---|---|---|---|---|---|---|---|---|---|"]
    for prompt, output, batch, prefill, decode in entry["batched"]:
        tokens, total = batch * (prompt + output), prefill + decode
        lines.append(f"| {prompt} | {output} | {batch} | {tokens} | {prefill:.3f} | {batch * prompt / prefill:.2f} | {decode:.3f} | {batch * output / decode:.2f} "
                     f"| {total:.3f} | {tokens / total:.2f} |")
    lines += ["", "| model | size | params | backend | ngl | test | t/s |", "|---|---:|---:|---|--:|---:|---:|"]
    lines += [f"| {said['model']} | {said['size']} | {said['params']} | CUDA | 99 | {test} | {rate} |" for test, rate in entry["bench"]]
    return "\n".join([*lines, "", f"build: {said['build']}", ""])


TRTLLM_BENCH = """\
[TensorRT-LLM] TensorRT-LLM version: {version}
[TensorRT-LLM][INFO] [MemUsageChange] Allocated {kv_gib} GiB for max tokens in paged KV cache ({kv_tokens}).
===========================================================
= ENGINE DETAILS
===========================================================
Model:\t\t\t{model}
TensorRT-LLM Version:\t{version}
Dtype:\t\t\t{dtype}
KV Cache Dtype:\t\t{kv_dtype}
Quantization:\t\t{quantization}

===========================================================
= WORLD + RUNTIME INFORMATION
===========================================================
TP Size:\t\t{tp}
PP Size:\t\t{pp}
Max Runtime Batch Size:\t{batch}
Max Runtime Tokens:\t{tokens}
===========================================================
= PERFORMANCE OVERVIEW
===========================================================
Number of requests:\t\t{requests}
Average Input Length (tokens):\t{isl:.4f}
Average Output Length (tokens):\t{osl:.4f}
Token Throughput (tokens/sec):\t{tok_s}
Request Throughput (req/sec):\t{req_s}
Total Latency (ms):\t\t{ms}
===========================================================
"""

TRTLLM_START = """\
[TensorRT-LLM][INFO] Loaded engine size: {engine_mib} MiB
[TensorRT-LLM][INFO] [MemUsageChange] Allocated {context_mib} MiB for execution context memory.
[TensorRT-LLM][INFO] Number of blocks in KV cache primary pool: {blocks}
[TensorRT-LLM][INFO] Number of tokens per block: {block_tokens}.
[TensorRT-LLM][INFO] [MemUsageChange] Allocated {kv_gib} GiB for max tokens in paged KV cache ({kv_tokens}).
"""

SGLANG_START = """\
SGLang Version {version}
[2026-06-07 12:06:27] server_args=ServerArgs(model_path='{model}', tokenizer_path='{model}', dtype='bfloat16', page_size=1)
[2026-06-07 12:06:52] Load weight end. elapsed=17.48 s, type=Qwen2ForCausalLM, avail mem=13.44 GB, mem usage={weights_gb} GB.
[2026-06-07 12:06:52] KV Cache is allocated. #tokens: {kv_tokens}, K size: {half_gb} GB, V size: {half_gb} GB
[2026-06-07 12:07:24] max_total_num_tokens={kv_tokens}, chunked_prefill_size=8192, context_len={context}, available_gpu_mem={free_gb} GB
[2026-06-07 12:07:31] The server is fired up and ready to roll!
"""


def said_in(form):
    return lambda entry: form.format(**entry["said"])


def vllm_start(entry):
    said = entry["said"]
    who = [f"({name} pid={number})" for name, number in (("APIServer", 5841), ("EngineCore_DP0", 6154))]
    server, engine = (f"\x1b[0;36m{one}\x1b[0;0m" for one in who) if said.get("colors") else who
    lines = [f"{server} INFO 12-09 19:47:08 [api_server.py:1772] vLLM API server version {said['version']}",
             f"{server} INFO 12-09 19:47:08 [utils.py:253] non-default args: {{'model_tag': '{said['model']}', 'model': '{said['model']}', {said['flags']}}}",
             f"{engine} INFO 12-09 19:47:31 [gpu_model_runner.py:3549] Model loading took {said['weights_gib']} GiB memory and 4.010046 seconds"]
    if "kv_gib" in said:
        lines.append(f"{engine} INFO 12-09 19:47:47 [gpu_worker.py:359] Available KV cache memory: {said['kv_gib']} GiB")
    lines += [f"{engine} INFO 12-09 19:47:47 [kv_cache_utils.py:1286] GPU KV cache size: {said['kv_tokens']:,} tokens",
              f"{engine} INFO 12-09 19:47:47 [kv_cache_utils.py:1291] Maximum concurrency for {said['tokens']:,} tokens per request: {said['concurrency']}x"]
    return "\n".join(lines) + "\n"


def mlperf(entry):
    said = entry["said"]
    server = said["scenario"] == "Server"
    lines = [RULE, "MLPerf Results Summary", RULE, f"SUT name : llama2-70b-{said['scenario']}-SUT-LoadGen", f"Scenario : {said['scenario']}", "Mode     : PerformanceOnly"]
    lines += [f"Completed samples per second    : {said['samples_s']}", f"Completed tokens per second: {said['tokens_s']}"] if server else [
        f"Samples per second: {said['samples_s']}", f"Tokens per second: {said['tokens_s']}"]
    lines += ["Result is : VALID", "", RULE, "Additional Stats", RULE]
    if server:
        lines.append(f"Scheduled samples per second : {said['scheduled_s']:.2f}")
    lines.append(f"Mean latency (ns)               : {said['latency_ns']}")
    if server:
        for key, name in (("ttft", "First Token latency"), ("tpot", "Time to Output Token")):
            lines.append(f"Mean {name} (ns)               : {said[key + '_ns']}")
            lines += [f"{share}.00 percentile {name.lower()} (ns)   : {said[f'{key}_p{share}_ns']}" for share in (50, 99)]
    return "\n".join([*lines, "", RULE, "Test Parameters Used", RULE, f"target_qps : {said['target_qps']}", ""])


def torchtitan(entry):
    return "".join("[rank0]:[titan] 2025-06-16 22:30:50,322 - root - INFO - step: {step}  loss:  {loss}  memory: {gib}GiB({share}%)  tps: {tps:,}  "
                   "tflops: {tflops}  mfu: {mfu}%\n".format(**one) for one in records(entry))


def megatron(entry):
    return "".join(" [2024-04-06 02:55:45] iteration        {iteration}/     100 | consumed samples:          {samples} | elapsed time per iteration (ms): {ms} | "
                   "throughput per GPU (TFLOP/s/GPU): {tflops} | global batch size:   {batch} | lm loss: {loss:.6E} | loss scale: 1.0 |\n".format(**one)
                   for one in records(entry))


FORMS = {"json": as_json, "jsonl": jsonl, "csv": as_csv, "guidellm": guidellm, "genai_perf": genai_perf, "llama_cpp_page": llama_cpp_page, "mlperf": mlperf,
         "trtllm_bench": said_in(TRTLLM_BENCH), "trtllm_start": said_in(TRTLLM_START), "sglang_start": said_in(SGLANG_START), "vllm_start": vllm_start,
         "torchtitan": torchtitan, "megatron": megatron}


def write_results(facts, out):
    """out/results/TOOL/FILE, as RIDGE_DATA has them."""
    for name, entry in tomllib.loads(facts.read_text(encoding="utf-8")).items():
        path = out / "results" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FORMS[entry["form"]](entry), encoding="utf-8")
