"""What a host needs to launch a kernel that no captured graph holds: one CSV row a measurement, on standard output.

    python3 probes/cuda/launches.py > launches.csv

A step with prompts has another number of tokens every time, so that engines launch its kernels one by one. Whether the
host or the chip sets the pace depends on how long the kernels are; here they are as short as can be. Rows: one operation
again and again, then a decoder layer as an engine writes it (norms, projections, rotation, attention, activation) by
layers, with few tokens, and the same replayed from a graph.
"""

import statistics
import time

import torch
import torch.nn.functional as functional

REPEATS = 9
HIDDEN, HEADS, KV_HEADS, SIZE, WIDTH, LAYERS = 1024, 8, 2, 128, 2048, 32


def seconds_of(work):
    """The median of a few runs, each waited for; the first two are not counted."""
    times = []
    for _ in range(REPEATS + 2):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times[2:])


def kernels_of(work):
    """Kernels that the chip ran, by the profiler."""
    work()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        work()
        torch.cuda.synchronize()
    return sum(one.count for one in profile.key_averages() if one.device_type == torch.autograd.DeviceType.CUDA)


def row(what, launches, seconds):
    print(f"{what},{launches},{seconds:.6g},{seconds / launches * 1e6:.4g}", flush=True)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.before = torch.nn.RMSNorm(HIDDEN)
        self.between = torch.nn.RMSNorm(HIDDEN)
        self.qkv = torch.nn.Linear(HIDDEN, (HEADS + 2 * KV_HEADS) * SIZE, bias=False)
        self.out = torch.nn.Linear(HEADS * SIZE, HIDDEN, bias=False)
        self.up = torch.nn.Linear(HIDDEN, 2 * WIDTH, bias=False)
        self.down = torch.nn.Linear(WIDTH, HIDDEN, bias=False)

    def forward(self, x, cos, sin):
        tokens = x.shape[0]
        q, k, v = self.qkv(self.before(x)).split([HEADS * SIZE, KV_HEADS * SIZE, KV_HEADS * SIZE], dim=-1)
        q, k, v = (one.view(1, tokens, -1, SIZE).transpose(1, 2) for one in (q, k, v))
        q = q * cos + torch.cat((-q[..., SIZE // 2:], q[..., :SIZE // 2]), -1) * sin
        k = k * cos + torch.cat((-k[..., SIZE // 2:], k[..., :SIZE // 2]), -1) * sin
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.out(seen.transpose(1, 2).reshape(tokens, -1))
        gate, up = self.up(self.between(x)).chunk(2, dim=-1)
        return x + self.down(functional.silu(gate) * up)


@torch.no_grad()
def main():
    print("what,kernels,seconds,us_per_kernel")
    torch.set_default_device("cuda")
    torch.set_default_dtype(torch.bfloat16)
    few = torch.zeros(16)
    row("add of 16 numbers", 2000, seconds_of(lambda: [few.add_(1) for _ in range(2000)]))
    small = torch.zeros(16, 1024)
    matrix = torch.zeros(1024, 1024)
    row("product of 16 rows", 2000, seconds_of(lambda: [small @ matrix for _ in range(2000)]))
    layers = [Layer() for _ in range(LAYERS)]
    for tokens in (16, 128, 512):
        x = torch.randn(tokens, HIDDEN)
        cos, sin = torch.randn(tokens, SIZE), torch.randn(tokens, SIZE)

        def step(x=x, cos=cos, sin=sin):
            for layer in layers:
                x = layer(x, cos, sin)
            return x

        count = kernels_of(step)
        row(f"{LAYERS} layers of {tokens} tokens, eager", count, seconds_of(step))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        row(f"{LAYERS} layers of {tokens} tokens, captured", count, seconds_of(graph.replay))
        compiled = torch.compile(step, dynamic=False)
        try:
            count = kernels_of(compiled)
            row(f"{LAYERS} layers of {tokens} tokens, compiled", count, seconds_of(compiled))
        except Exception as error:  # no compiler for its kernels on this machine
            print(f"# compiled: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", flush=True)


if __name__ == "__main__":
    main()
