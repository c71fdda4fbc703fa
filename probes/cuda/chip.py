"""What one GPU reaches with PyTorch: memory and matrix products, as JSON on standard output. `ridge probe` runs it.

    python3 probes/cuda/chip.py [SECONDS]

Lists are rates of single passes, bytes or FLOP a second. Without PyTorch or a GPU: {"none": why}.
"""

import json
import sys
import time


def rates(torch, seconds, amount, work):
    """Rates of passes for so many seconds, by the device's own clock; the first two are not counted."""
    out = []
    until = time.monotonic() + seconds
    while len(out) < 5 or time.monotonic() < until:
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        out.append(amount / (start.elapsed_time(end) / 1e3))
    return out[2:]


def measured(torch, seconds):
    properties = torch.cuda.get_device_properties(0)
    free, total = torch.cuda.mem_get_info(0)
    report = {"name": properties.name, "vendor": "AMD" if torch.version.hip else "NVIDIA", "devices": torch.cuda.device_count(), "memory": total,
              "software": f"PyTorch {torch.__version__}", "missing": []}
    each = seconds / 6

    def attempt(key, amount, prepare, wanted=True):
        try:
            torch.cuda.empty_cache()
            found = rates(torch, each, amount, prepare())
            report[key] = found if key not in report else max(report[key], found, key=max)
        except Exception as error:  # a library without this product, a chip without this format
            if wanted:
                report["missing"].append(f"{key}: {str(error).strip().splitlines()[0][:40] if str(error).strip() else type(error).__name__}")

    count = int(min(4e9, free / 4)) // 4096 * 4096

    def reading():
        words = torch.zeros(count // 4, dtype=torch.float32, device="cuda")
        return lambda: words.sum()

    def copying():
        a = torch.zeros(count // 4, dtype=torch.float32, device="cuda")
        b = torch.empty_like(a)
        return lambda: b.copy_(a)

    attempt("read", count, reading)
    attempt("read", 2 * count, copying)
    size = 8192 if free > 4e9 else 4096
    product = 2 * size**3

    def wide(dtype):
        def prepare():
            a, b = (torch.randn(size, size, device="cuda").to(dtype) for _ in range(2))
            out = torch.empty(size, size, device="cuda", dtype=dtype)
            return lambda: torch.mm(a, b.t(), out=out)
        return prepare

    def fp8():
        a, b = (torch.randn(size, size, device="cuda").to(torch.float8_e4m3fn) for _ in range(2))
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)

    def int8():
        a, b = (torch.randint(-127, 127, (size, size), device="cuda", dtype=torch.int8) for _ in range(2))
        return lambda: torch._int_mm(a, b.t())

    torch.backends.cuda.matmul.allow_tf32 = False
    attempt("bf16", product, wide(torch.bfloat16))
    attempt("fp8", product, fp8)
    attempt("int8", product, int8)
    attempt("fp32", product, wide(torch.float32))
    return report


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    try:
        import torch
    except Exception as error:
        return {"none": f"PyTorch is not there ({type(error).__name__})"}
    try:
        if not torch.cuda.is_available():
            return {"none": "PyTorch finds no GPU"}
        return measured(torch, seconds)
    except Exception as error:
        return {"none": f"PyTorch failed: {str(error).strip().splitlines()[0][:60] if str(error).strip() else type(error).__name__}"}


print(json.dumps(main()))
