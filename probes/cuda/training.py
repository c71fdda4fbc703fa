"""Times training steps on one GPU with PyTorch: reversible layers beside plain and recomputed ones, and kernels of a step.

    python3 probes/cuda/training.py OUT            OUT/reversible.csv, OUT/training_kernels.csv
    python3 probes/cuda/training.py OUT unseen     OUT/h200_unseen_training.csv: shapes of models that nothing was fitted to

Layers are Llama's: norm, grouped attention, norm, gated network. Reversible ones (Gomez et al. 2017) have two streams of the
hidden size: y1 = x1 + attention(x2), y2 = x2 + network(y1); the backward pass computes x2 = y2 - network(y1) and
x1 = y1 - attention(x2) back, so that only the last pair is kept. Weights are bf16 with fp32 copies and Adam moments
beside them; gradients are there only during the backward pass. Every row is the median of its steps. The streams are
bf16 or fp32: what is computed back is only as exact as they are, and `drift` says how exact that was.
Never part of the tests: they need no GPU.
"""

import csv
import os
import statistics
import sys
import time

import torch
import torch._functorch.config
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

STEPS = 6
SHAPES = {  # hidden, network, heads, KV heads, head size, vocabulary, sequences, sequence, depths
    "small": (2048, 8192, 32, 8, 64, 32768, 2, 4096, (4, 8, 16, 32, 64)),
    "large": (4096, 14336, 32, 8, 128, 32768, 1, 4096, (4, 8, 16, 24)),
}


def rotated(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


def attention_half(x, norm, q, k, v, o, cos, sin, heads, kv_heads):
    x = x.to(q.dtype)
    b, s, _ = x.shape
    n = F.rms_norm(x, (x.shape[-1],), norm)
    split = lambda w, count: F.linear(n, w).view(b, s, count, -1).transpose(1, 2)
    out = F.scaled_dot_product_attention(rotated(split(q, heads), cos, sin), rotated(split(k, kv_heads), cos, sin), split(v, kv_heads), is_causal=True,
                                         enable_gqa=heads != kv_heads)
    return F.linear(out.transpose(1, 2).reshape(b, s, -1), o)


def network_half(x, norm, gate, up, down):
    x = x.to(gate.dtype)
    n = F.rms_norm(x, (x.shape[-1],), norm)
    return F.linear(F.silu(F.linear(n, gate)) * F.linear(n, up), down)


class Reversed(torch.autograd.Function):
    """All layers at once: keeps the last pair alone."""

    @staticmethod
    def forward(ctx, model, x1, x2, *weights):
        with torch.no_grad():
            for layer in model.layers:
                x1 = x1 + model.attend(x2, layer)
                x2 = x2 + model.widen(x1, layer)
        ctx.model, ctx.count = model, len(weights)
        ctx.save_for_backward(x1, x2)
        return x1, x2

    @staticmethod
    def backward(ctx, d1, d2):
        y1, y2 = ctx.saved_tensors
        model = ctx.model
        for layer in reversed(model.layers):
            with torch.enable_grad():
                y1 = y1.detach().requires_grad_()
                made = model.widen(y1, layer)
            x2 = (y2 - made).detach()
            torch.autograd.backward(made, d2.to(made.dtype))  # weights' gradients go where they belong
            d1 = d1 + y1.grad
            del made
            with torch.enable_grad():
                x2 = x2.requires_grad_()
                made = model.attend(x2, layer)
            x1 = (y1 - made).detach()
            torch.autograd.backward(made, d1.to(made.dtype))
            d2 = d2 + x2.grad
            del made
            y1, y2 = x1, x2.detach()
        model.first = (y1, y2)
        return (None, d1, d2) + (None,) * ctx.count


class Model:
    def __init__(self, shape, depth, dtype=torch.bfloat16, compiled=False):
        hidden, network, heads, kv, size, vocabulary, self.batch, self.sequence, _ = shape
        make = lambda rows, columns, last=1.0: torch.nn.Parameter((torch.randn(rows, columns, device="cuda") * 0.02 / last).to(dtype))
        last = (2 * max(1, depth)) ** 0.5  # Megatron's start: what is added to the stream shrinks with depth
        one = lambda: torch.nn.Parameter(torch.ones(hidden, device="cuda", dtype=dtype))
        self.heads, self.kv = heads, kv
        self.layers = [dict(n1=one(), q=make(heads * size, hidden), k=make(kv * size, hidden), v=make(kv * size, hidden), o=make(hidden, heads * size, last),
                            n2=one(), gate=make(network, hidden), up=make(network, hidden), down=make(hidden, network, last)) for _ in range(depth)]
        self.table, self.norm, self.head = make(vocabulary, hidden), one(), make(vocabulary, hidden)
        place = torch.arange(self.sequence, device="cuda")[:, None] * (1e4 ** (-torch.arange(0, size, 2, device="cuda") / size))
        self.cos, self.sin = place.cos().to(dtype), place.sin().to(dtype)
        self.tokens = torch.randint(0, vocabulary, (self.batch, self.sequence + 1), device="cuda")
        self.attention = torch.compile(attention_half) if compiled else attention_half
        self.network = torch.compile(network_half) if compiled else network_half
        self.first = None

    def parameters(self):
        return [w for layer in self.layers for w in layer.values()] + [self.table, self.norm, self.head]

    def attend(self, x, l):
        return self.attention(x, l["n1"], l["q"], l["k"], l["v"], l["o"], self.cos, self.sin, self.heads, self.kv)

    def widen(self, x, l):
        return self.network(x, l["n2"], l["gate"], l["up"], l["down"])

    def whole(self, x, l):
        x = x + self.attend(x, l)
        return x + self.widen(x, l)

    def loss(self, policy):
        x = F.embedding(self.tokens[:, :-1], self.table)
        if policy.startswith(("reversible", "streams")):
            x1 = x2 = x.float() if policy.endswith("fp32") else x
            if policy.startswith("streams"):  # the same network, kept: to compare with
                for layer in self.layers:
                    x1 = x1 + self.attend(x2, layer)
                    x2 = x2 + self.widen(x1, layer)
            else:
                x1, x2 = Reversed.apply(self, x1, x2, *[w for layer in self.layers for w in layer.values()])
            x = ((x1 + x2) / 2).to(self.head.dtype)
        else:
            for layer in self.layers:
                if policy == "full":
                    x = checkpoint(self.whole, x, layer, use_reentrant=False)
                elif policy == "mlp":
                    x = x + self.attend(x, layer)
                    x = x + checkpoint(self.widen, x, layer, use_reentrant=False)
                else:
                    x = self.whole(x, layer)
        logits = F.linear(F.rms_norm(x, (x.shape[-1],), self.norm), self.head)
        return F.cross_entropy((logits.float() if logits.dtype == torch.bfloat16 else logits).flatten(0, 1), self.tokens[:, 1:].flatten())


def event():
    one = torch.cuda.Event(enable_timing=True)
    one.record()
    return one


def step(model, policy):
    for w in model.parameters():
        w.grad = None
    model.first = None
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    state = torch.cuda.memory_allocated()
    a = event()
    loss = model.loss(policy)
    b = event()
    kept = torch.cuda.memory_allocated() - state
    loss.backward()
    c = event()
    torch.cuda.synchronize()
    return a.elapsed_time(b) / 1e3, b.elapsed_time(c) / 1e3, state, kept, torch.cuda.max_memory_allocated()


def check():
    """Gradients of the reversible stack are those of the same network that keeps everything, in float64."""
    torch.manual_seed(1)
    model = Model((64, 128, 4, 2, 16, 96, 2, 32, ()), 3, torch.float64)
    grads = []
    for policy in ("streams", "reversible"):
        step(model, policy)
        grads.append(torch.cat([w.grad.flatten() for w in model.parameters()]))
    off = ((grads[0] - grads[1]).norm() / grads[0].norm()).item()
    print(f"gradients of reversible layers differ by {off:.1e}")
    assert off < 1e-10


def gradients(model, policy):
    step(model, policy)
    return [w.grad for layer in model.layers for w in layer.values()]


def wrong(kept, reversed_ones):
    """Relative error of the gradients of layers whose inputs were computed back."""
    square = lambda pairs: sum(f(a, b).float().pow(2).sum().item() for a, b in pairs for f in (lambda a, b: a.float() - b.float(),))
    return (square(zip(reversed_ones, kept)) / sum(a.float().pow(2).sum().item() for a in kept)) ** 0.5


def drift(model):
    """How far the inputs that the last backward pass computed back are from the true ones."""
    true = F.embedding(model.tokens[:, :-1], model.table).float()
    return max(((made.float() - true).norm() / true.norm()).item() for made in model.first)


def stacks(out, mode, until):
    with open(out, "a", newline="") as file:
        writer = csv.writer(file)
        for name, shape in SHAPES.items():
            for depth in shape[-1]:
                if time.time() > until:
                    print("out of time at", name, depth, mode)
                    return
                torch.cuda.empty_cache()
                model = Model(shape, depth, compiled=mode == "compiled")
                params = sum(w.numel() for w in model.parameters())
                states = [[torch.zeros_like(w, dtype=torch.float32) for w in model.parameters()] for _ in range(3)]
                policies = ("none", "mlp", "full", "streams", "reversible", "reversible-fp32") if mode == "eager" else ("none", "mlp", "full", "streams", "reversible")
                for policy in policies:
                    try:
                        runs = [step(model, policy) for _ in range(STEPS + 2)][2:]
                    except torch.OutOfMemoryError:
                        print("out of memory:", name, depth, policy)
                        continue
                    forward, backward = (statistics.median(r[i] for r in runs) for i in (0, 1))
                    spread = max(r[0] + r[1] for r in runs) / min(r[0] + r[1] for r in runs) - 1
                    off = drift(model) if policy.startswith("reversible") else ""
                    harm = ""
                    if policy.startswith("reversible") and depth * shape[0] <= 65536:
                        kept = gradients(model, "streams" + policy[10:])
                        harm = f"{wrong(kept, gradients(model, policy)):.3g}"
                        del kept
                    row = [name, mode, depth, policy, *shape[:8], params, f"{forward:.6g}", f"{backward:.6g}", runs[-1][2], runs[-1][3], runs[-1][4], f"{spread:.3f}",
                           off if off == "" else f"{off:.3g}", harm]
                    writer.writerow(row)
                    file.flush()
                    print(*row)
                del model, states


# hidden, network, heads, KV heads, head size, vocabulary, sequences, sequence, depth: Qwen3's, Llama's and InternLM's widths, few layers
UNSEEN = ((2560, 9728, 32, 8, 128, 151936, 1, 4096, 12), (5120, 25600, 64, 8, 128, 151936, 1, 4096, 6), (4096, 11008, 32, 32, 128, 32000, 1, 2048, 12),
          (3072, 8192, 24, 8, 128, 128256, 1, 8192, 12), (2048, 6144, 16, 8, 128, 151936, 4, 4096, 14), (3584, 18944, 28, 4, 128, 152064, 1, 16384, 6),
          (1024, 3072, 16, 8, 128, 151936, 8, 2048, 28), (6144, 16384, 48, 8, 128, 92544, 1, 4096, 8))


def unseen(out):
    with open(out, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow("mode policy layers hidden network heads kv_heads head_dim vocab sequences sequence forward_s backward_s state_bytes kept_bytes peak_bytes".split())
        for mode in ("eager", "compiled"):
            for shape in UNSEEN:
                torch.cuda.empty_cache()
                torch._dynamo.reset()
                model = Model(shape, shape[-1], compiled=mode == "compiled")
                states = [[torch.zeros_like(w, dtype=torch.float32) for w in model.parameters()] for _ in range(3)]
                for policy in ("none", "full"):
                    runs = [step(model, policy) for _ in range(10)][3:]
                    forward, backward = (statistics.median(r[i] for r in runs) for i in (0, 1))
                    writer.writerow([mode, policy, shape[-1], *shape[:8], f"{forward:.6g}", f"{backward:.6g}", runs[-1][2], runs[-1][3], runs[-1][4]])
                    file.flush()
                del model, states


def medians(call, repeats=12):
    times = []
    for i in range(repeats + 3):
        a = event()
        call()
        b = event()
        torch.cuda.synchronize()
        if i >= 3:
            times.append(a.elapsed_time(b) / 1e3)
    return statistics.median(times)


def both_ways(make, call):
    """Forward and backward seconds of call(*make())."""
    inputs = make()
    out = call(*inputs)
    seed = torch.randn_like(out)
    forward = medians(lambda: call(*inputs))
    wanted = [t for t in inputs if t.requires_grad]
    backward = medians(lambda: torch.autograd.grad(out, wanted, seed, retain_graph=True))
    return forward, backward


def kernels(out):
    rows = []

    def row(kernel, sizes, bytes_or_flop, forward, backward=""):
        rows.append([kernel, sizes, f"{bytes_or_flop:.6g}", f"{forward:.6g}", f"{backward:.6g}" if backward != "" else ""])
        print(*rows[-1])

    new = lambda *size: torch.randn(*size, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    for heads, kv, size in ((32, 8, 128), (32, 8, 64), (16, 16, 192), (128, 8, 128)):
        for sequence in (2048, 4096, 8192, 16384, 32768):
            if heads * sequence > 128 * 16384:
                continue
            count = max(1, 8192 // sequence)
            for backend in ("FLASH_ATTENTION", "CUDNN_ATTENTION"):
                try:
                    with torch.nn.attention.sdpa_kernel(getattr(torch.nn.attention.SDPBackend, backend)):
                        times = both_ways(lambda: (new(count, heads, sequence, size), new(count, kv, sequence, size), new(count, kv, sequence, size)),
                                          lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=heads != kv))
                    row("attention", f"{backend.split('_')[0].lower()} batch={count} heads={heads} kv={kv} size={size} tokens={sequence}",
                        2 * count * heads * sequence * sequence * size, *times)
                except RuntimeError as error:
                    print("left out", backend, size, sequence, str(error)[:80])
            torch.cuda.empty_cache()
    for tokens in (2048, 8192, 32768):
        for inner, outer in ((4096, 4096), (4096, 14336), (14336, 4096), (8192, 28672), (7168, 2048)):
            x, w, d = new(tokens, inner).detach(), new(outer, inner).detach(), new(tokens, outer).detach()
            forward, input_grad, weight_grad = medians(lambda: x @ w.t()), medians(lambda: d @ w), medians(lambda: d.t() @ x)
            row("product", f"tokens={tokens} inner={inner} outer={outer} input_s={input_grad:.6g} weight_s={weight_grad:.6g}", 2.0 * tokens * inner * outer,
                forward, input_grad + weight_grad)
    for hidden, tokens in ((2048, 131072), (4096, 65536), (8192, 32768)):
        size = 2 * hidden * tokens
        norm = lambda x, w: F.rms_norm(x, (hidden,), w)
        gate = lambda a, b: F.silu(a) * b
        for name, call, make, passes in (("rms_norm", norm, lambda: (new(tokens, hidden), new(hidden)), (2, 3)), ("swiglu", gate, lambda: (new(tokens, hidden * 4), new(tokens, hidden * 4)), (12, 20)),
                                         ("add", lambda a, b: a + b, lambda: (new(tokens, hidden), new(tokens, hidden)), (3, 2))):
            row(name, f"eager tokens={tokens} hidden={hidden}", passes[0] * size, *both_ways(make, call))
            torch._dynamo.reset()
            row(name, f"compiled tokens={tokens} hidden={hidden}", passes[0] * size, *both_ways(make, torch.compile(call)))
    for hidden, vocabulary, tokens in ((2048, 32768, 8192), (4096, 128256, 8192), (4096, 128256, 2048)):
        target = torch.randint(0, vocabulary, (tokens,), device="cuda")
        loss = lambda logits: F.cross_entropy(logits.float(), target)
        row("cross_entropy", f"eager tokens={tokens} vocabulary={vocabulary}", 2.0 * tokens * vocabulary, *both_ways(lambda: (new(tokens, vocabulary),), loss))
        row("cross_entropy", f"compiled tokens={tokens} vocabulary={vocabulary}", 2.0 * tokens * vocabulary, *both_ways(lambda: (new(tokens, vocabulary),), torch.compile(loss)))
        row("head", f"tokens={tokens} hidden={hidden} vocabulary={vocabulary}", 2.0 * tokens * hidden * vocabulary,
            *both_ways(lambda: (new(tokens, hidden), new(vocabulary, hidden)), F.linear))
    for count, each in ((64, 16 * 1024 * 1024), (8, 256 * 1024 * 1024)):
        params = [torch.nn.Parameter(torch.randn(each, device="cuda")) for _ in range(count)]
        for w in params:
            w.grad = torch.randn_like(w)
        for kind in ("fused", "foreach"):
            optimizer = torch.optim.AdamW(params, lr=1e-4, **{kind: True})
            row("adamw", f"{kind} fp32 tensors={count} each={each}", 28.0 * count * each, medians(optimizer.step, 6))
            del optimizer
        half = [w.detach().bfloat16() for w in params]
        row("cast", f"bf16 from fp32 tensors={count} each={each}", 6.0 * count * each, medians(lambda: torch._foreach_copy_(half, params), 6))
        row("norm", f"fp32 tensors={count} each={each}", 4.0 * count * each, medians(lambda: torch._foreach_norm([w.grad for w in params]), 6))
        del params, half
        torch.cuda.empty_cache()
    with open(out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["kernel", "sizes", "bytes_or_flop", "forward_s", "backward_s"])
        writer.writerows(rows)


def main():
    out = sys.argv[1]
    if sys.argv[2:] == ["unseen"]:
        os.makedirs(out, exist_ok=True)
        return unseen(os.path.join(out, "h200_unseen_training.csv"))
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else 540
    start = time.time()
    os.makedirs(out, exist_ok=True)
    print(torch.__version__, torch.cuda.get_device_name())
    torch._functorch.config.donated_buffer = False  # kernels' backward passes are timed again and again
    check()
    table = os.path.join(out, "reversible.csv")
    with open(table, "w", newline="") as file:
        csv.writer(file).writerow(["shape", "mode", "layers", "policy", "hidden", "ffn", "heads", "kv_heads", "head_dim", "vocabulary", "batch", "sequence", "params", "forward_s",
                                   "backward_s", "state_bytes", "kept_bytes", "peak_bytes", "spread", "drift", "gradient_off"])
    stacks(table, "eager", start + limit * 0.6)
    print("stacks", time.time() - start)
    kernels(os.path.join(out, "training_kernels.csv"))
    print("kernels", time.time() - start)
    stacks(table, "compiled", start + limit * 0.85)
    print("all", time.time() - start)


if __name__ == "__main__":
    main()
