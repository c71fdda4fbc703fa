"""Times whole decode and prefill steps of decoder stacks on one GPU with PyTorch, and writes rows as in catalog/evidence.

    python3 probes/cuda/steps.py OUT CHIP        CHIP: its name in the catalog, e.g. h200-sxm
    ridge validate --evidence OUT

Plain PyTorch operations in a captured graph: one product for queries, keys and values, one for gate and up, attention by
scaled_dot_product_attention over a cache that holds the context, 16 bit throughout. The median of replays counts. Shapes
are those of catalog/model without biases; some have fewer layers than the model. Never part of the tests: they need no GPU.
"""

import csv
import os
import statistics
import sys
import time

import torch
import torch.nn.functional as F

# name in the catalog: layers timed, hidden, heads, kv heads, head width, network, vocabulary, norms of queries and keys
MODELS = {
    "qwen3-8b": (36, 4096, 32, 8, 128, 12288, 151936, True),
    "llama-2-13b": (20, 5120, 40, 40, 128, 13824, 32000, False),
    "qwen2.5-32b": (16, 5120, 40, 8, 128, 27648, 152064, False),
    "llama-3.2-1b": (16, 2048, 32, 8, 64, 8192, 128256, False),
}
BATCHES = (1, 4, 16, 32, 64, 128, 256, 512, 1024)
CONTEXTS = (512, 2048, 8192, 32768, 131072)
PROMPTS = (128, 512, 2048, 8192, 32768)
MEMORY = 110e9  # bytes: of weights and cache together
REPLAYS = 9
SECONDS = 400  # no new row after that


def rows_of(name):
    """(phase, batch, tokens) whose cache fits beside the weights, a decode step of every batch at every such context."""
    layers, hidden, heads, kv_heads, width, network, vocabulary, _ = MODELS[name]
    weights = 2 * (layers * (hidden * (heads + 2 * kv_heads + heads) * width + 3 * hidden * network) + 2 * hidden * vocabulary)
    for batch in BATCHES:
        for tokens in CONTEXTS:
            if weights + 4 * layers * kv_heads * width * batch * tokens < MEMORY:
                yield "decode", batch, tokens
    for tokens in PROMPTS:
        yield "prefill", 1, tokens


class Stack:
    def __init__(self, name):
        self.layers, self.hidden, self.heads, self.kv_heads, self.width, self.network, self.vocabulary, self.normed = MODELS[name]

        def weight(*shape):
            return torch.randn(*shape, device="cuda", dtype=torch.bfloat16) * 0.02

        self.embedding = weight(self.vocabulary, self.hidden)
        self.head = weight(self.vocabulary, self.hidden)
        self.norm = weight(self.hidden)
        self.head_norm = weight(self.width)
        self.weights = [(weight((self.heads + 2 * self.kv_heads) * self.width, self.hidden), weight(self.hidden, self.heads * self.width),
                         weight(2 * self.network, self.hidden), weight(self.hidden, self.network)) for _ in range(self.layers)]

    def rotated(self, x, cos, sin):
        half = self.width // 2
        return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin

    def step(self, ids, caches, decodes, cos, sin):
        batch, tokens = ids.shape
        x = F.embedding(ids, self.embedding)
        for (qkv, out, up, down), (keys, values) in zip(self.weights, caches):
            mixed = F.linear(F.rms_norm(x, (self.hidden,), self.norm), qkv).view(batch, tokens, -1, self.width).transpose(1, 2)
            q, k, v = mixed.split((self.heads, self.kv_heads, self.kv_heads), dim=1)
            if self.normed:
                q, k = F.rms_norm(q, (self.width,), self.head_norm), F.rms_norm(k, (self.width,), self.head_norm)
            q, k = self.rotated(q, cos, sin), self.rotated(k, cos, sin)
            at = -1 if decodes else slice(0, tokens)
            keys[:, :, at] = k[:, :, 0] if decodes else k
            values[:, :, at] = v[:, :, 0] if decodes else v
            seen = F.scaled_dot_product_attention(q, keys, values, is_causal=not decodes, enable_gqa=True)
            x = x + F.linear(seen.transpose(1, 2).reshape(batch, tokens, -1), out)
            gate, linear = F.linear(F.rms_norm(x, (self.hidden,), self.norm), up).chunk(2, dim=-1)
            x = x + F.linear(F.silu(gate) * linear, down)
        last = F.rms_norm(x[:, -1], (self.hidden,), self.norm)
        return F.linear(last, self.head)

    def timed(self, phase, batch, tokens):
        """Seconds of one step: the median over replays of its graph. Each layer has a cache of its own."""
        decodes = phase == "decode"
        caches = [tuple(torch.randn(batch, self.kv_heads, tokens, self.width, device="cuda", dtype=torch.bfloat16) for _ in range(2))
                  for _ in range(self.layers)]
        ids = torch.randint(0, self.vocabulary, (batch, 1 if decodes else tokens), device="cuda")
        angles = torch.rand(ids.shape[1], self.width, device="cuda", dtype=torch.bfloat16)
        cos, sin = angles.cos(), angles.sin()
        torch.cuda.synchronize()  # what the warm-up reads is there
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            self.step(ids, caches, decodes, cos, sin)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.step(ids, caches, decodes, cos, sin)
        times = []
        for replay in range(REPLAYS):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            if replay >= 2:
                times.append(start.elapsed_time(end) / 1e3)
        return statistics.median(times)


@torch.no_grad()
def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    out, chip = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    began = time.time()
    with open(os.path.join(out, "sets.csv"), "w", newline="") as file:
        csv.writer(file).writerows([["set", "title", "source", "licence", "date", "note"],
                                    ["torch-steps", "One GPU, PyTorch", "probes/cuda/steps.py", "this project's own", "2026",
                                     "whole steps in captured graphs, medians of replays"]])
    with open(os.path.join(out, "steps.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["set", "chip", "model", "layers", "phase", "batch", "tokens", "us"])
        for name in MODELS:
            stack = Stack(name)
            for phase, batch, tokens in rows_of(name):
                if time.time() - began > SECONDS:
                    sys.exit(f"out of time at {name} {phase} {batch} {tokens}: what is written is right, the rest is missing")
                try:
                    seconds = stack.timed(phase, batch, tokens)
                except torch.cuda.OutOfMemoryError:
                    print(name, phase, batch, tokens, "does not fit")
                    torch.cuda.empty_cache()
                    continue
                writer.writerow(["torch-steps", chip, name, stack.layers, phase, batch, tokens, f"{seconds * 1e6:.6g}"])
                file.flush()
                torch.cuda.empty_cache()
            print(name, f"{time.time() - began:.0f} s", flush=True)
            del stack
            torch.cuda.empty_cache()


main()
