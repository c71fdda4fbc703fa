"""What a chip reaches of its host's memory and disk: one CSV row a measurement, on standard output.

    python3 probes/cuda/host_link.py [FOLDER ON THE DISK] > host_link.csv

Contiguous copies say what the link can do; copies in pieces say what a cache in pages gets of it (a page of 16 tokens of
one layer of DeepSeek-V3 is 18 kB, all its layers together 1.1 MB).
"""

import os
import statistics
import sys
import time

import torch

REPEATS = 7


def seconds_of(work):
    """The median of a few runs, each waited for; the first is not counted."""
    times = []
    for _ in range(REPEATS + 1):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def row(what, piece, total, seconds):
    print(f"{what},{piece},{total},{seconds:.6g},{total / seconds / 1e9:.4g}", flush=True)


def copies():
    total = 2 << 30
    chip = torch.empty(total, dtype=torch.uint8, device="cuda")
    pinned = torch.empty(total, dtype=torch.uint8, pin_memory=True).fill_(1)
    plain = torch.empty(total, dtype=torch.uint8).fill_(1)
    row("host to chip, pinned", total, total, seconds_of(lambda: chip.copy_(pinned, non_blocking=True)))
    row("chip to host, pinned", total, total, seconds_of(lambda: pinned.copy_(chip, non_blocking=True)))
    row("host to chip, pageable", total, total, seconds_of(lambda: chip.copy_(plain)))
    other = torch.empty_like(chip)
    back = torch.empty(total, dtype=torch.uint8, pin_memory=True)
    streams = torch.cuda.Stream(), torch.cuda.Stream()

    def both():
        with torch.cuda.stream(streams[0]):
            chip.copy_(pinned, non_blocking=True)
        with torch.cuda.stream(streams[1]):
            back.copy_(other, non_blocking=True)

    row("both ways at once, each", total, total, seconds_of(both))
    row("chip to chip", total, total, seconds_of(lambda: other.copy_(chip)))
    for piece in (18432, 65536, 262144, 1124352, 8 << 20):
        count = min(4096, total // piece)
        places = torch.randperm(total // piece)[:count].tolist()  # pages lie anywhere

        def paged():
            for i, place in enumerate(places):
                chip[i * piece:(i + 1) * piece].copy_(pinned[place * piece:(place + 1) * piece], non_blocking=True)

        row("host to chip, in pieces", piece, count * piece, seconds_of(paged))


def host_memory():
    total = 4 << 30
    a = torch.empty(total, dtype=torch.uint8).fill_(1)
    b = torch.empty_like(a).fill_(2)
    row(f"host memory, copied by {torch.get_num_threads()} threads (read and written)", total, 2 * total, seconds_of(lambda: b.copy_(a)))


def disk(folder):
    """Past the page cache where the file system allows it."""
    path, piece, total = os.path.join(folder, "ridge-probe.bin"), 16 << 20, 4 << 30
    buffer = memoryview(torch.empty(piece, dtype=torch.uint8, pin_memory=True).numpy())
    for flag, name in ((os.O_DIRECT, "direct"), (0, "through the page cache")):
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | flag)
            start = time.perf_counter()
            for _ in range(total // piece):
                os.write(file, buffer)
            os.fsync(file)
            row(f"disk written, {name}", piece, total, time.perf_counter() - start)
            os.lseek(file, 0, os.SEEK_SET)
            start = time.perf_counter()
            for _ in range(total // piece):
                os.readv(file, [buffer])
            row(f"disk read, {name}", piece, total, time.perf_counter() - start)
            os.close(file)
        except OSError as error:
            print(f"# {name}: {error}", flush=True)
        finally:
            if os.path.exists(path):
                os.remove(path)


print(f"# {torch.cuda.get_device_name()}, torch {torch.__version__}")
print("what,piece_bytes,bytes,seconds,gigabytes_a_second")
copies()
host_memory()
disk(sys.argv[1] if len(sys.argv) > 1 else ".")
