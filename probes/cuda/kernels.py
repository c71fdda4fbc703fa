"""Times matrix products and prompt attention on one GPU with PyTorch, and writes rows as in catalog/evidence.

    python3 probes/cuda/kernels.py OUT CHIP        CHIP: its name in the catalog, e.g. h200-sxm
    ridge validate --evidence OUT

Each kernel is captured several times in a CUDA graph over different weights, more than the second-level cache holds; the
median of replays counts. Shapes are drawn with a fixed seed. Never part of the tests: they need no GPU.
"""

import csv
import math
import os
import random
import statistics
import sys

import torch

CACHE = 256e6  # bytes: weights of one graph are at least this, so that none is still in the second-level cache
REPLAYS = 15


def timed(launches):
    """Seconds of one launch: the median over replays of a graph of all of them."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for launch in launches[:2]:
            launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for launch in launches:
            launch()
    times = []
    for replay in range(REPLAYS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        if replay >= 3:
            times.append(start.elapsed_time(end) / 1e3 / len(launches))
    return statistics.median(times)


def product(format, m, n, k):
    size = 2 if format == "bf16" else 1
    copies = max(2, min(24, math.ceil(CACHE / (n * k * size))))
    if format == "bf16":
        a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        weights = [torch.randn(n, k, device="cuda", dtype=torch.bfloat16) for _ in range(copies)]
        out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        return timed([lambda w=w: torch.mm(a, w.t(), out=out) for w in weights])
    one = torch.ones((), device="cuda")
    a = torch.randn(m, k, device="cuda").to(torch.float8_e4m3fn)
    weights = [torch.randn(n, k, device="cuda", dtype=torch.bfloat16).to(torch.float8_e4m3fn) for _ in range(copies)]
    return timed([lambda w=w: torch._scaled_mm(a, w.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16) for w in weights])


def attention(batch, heads, kv_heads, head_dim, tokens):
    shape = lambda count: torch.randn(batch, count, tokens, head_dim, device="cuda", dtype=torch.bfloat16)
    q, k, v = shape(heads), shape(kv_heads), shape(kv_heads)
    call = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=heads != kv_heads)
    return timed([call] * 4)


def main():
    out, chip = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    draw = random.Random(20261115)
    power = lambda low, high: int(round(2 ** draw.uniform(math.log2(low), math.log2(high))))
    rows = []
    for format, count in (("bf16", 220), ("fp8", 140)):
        for _ in range(count):
            m, n, k = power(1, 8192), power(1024, 32768) // 128 * 128, power(1024, 28672) // 128 * 128
            if format == "fp8":
                m = max(16, m // 16 * 16)
            try:
                rows.append(["probe-torch", chip, "torch", format, m, n, k, f"{product(format, m, n, k) * 1e6:.6g}"])
            except RuntimeError as error:
                print(format, m, n, k, error)
    with open(os.path.join(out, "gemm.csv"), "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["set", "chip", "kernel", "format", "m", "n", "k", "us"], *rows])
    prompts = []
    for _ in range(60):
        kv_heads, group, head_dim = draw.choice([1, 2, 4, 8]), draw.choice([1, 4, 8]), draw.choice([64, 128])
        tokens, batch = power(128, 16384), draw.choice([1, 1, 2, 4, 8])
        if batch * tokens > 32768:
            continue
        seconds = attention(batch, kv_heads * group, kv_heads, head_dim, tokens)
        prompts.append(["probe-torch", chip, "sdpa", "prefill", "bf16", "bf16", batch, kv_heads * group, kv_heads, head_dim, 0, tokens,
                        f"{seconds * 1e6:.6g}"])
    with open(os.path.join(out, "attention.csv"), "w", newline="") as file:
        header = "set chip kernel phase format kv_format batch heads kv_heads head_dim window tokens us".split()
        csv.writer(file, lineterminator="\n").writerows([header, *prompts])
    with open(os.path.join(out, "sets.csv"), "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["set", "title", "source", "licence", "date", "note"],
            ["probe-torch", f"Kernels of PyTorch {torch.__version__} on {torch.cuda.get_device_name()}", "probes/cuda/kernels.py", "this project's own", "", ""]])
    print(len(rows), "products,", len(prompts), "attentions")


main()
