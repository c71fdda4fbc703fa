#!/usr/bin/env python3
"""How soon blocks of context are used again, from a trace with block hashes, as an entry of catalog/reuse.

    tools/reuse_curve.py TRACE.jsonl --title TITLE --source ID > catalog/reuse/NAME.toml

Each use of a block starts a wait that ends with its next use, or with the trace. Waits that the trace cuts off count as long as they
were seen (Kaplan and Meier 1958): taking them for blocks that are never used again would make every trace look like its own length.
"""

import argparse
import json

TIMES = ["1 s", "3 s", "10 s", "20 s", "30 s", "45 s", "1 min", "2 min", "3 min", "5 min", "7 min", "10 min", "15 min", "20 min", "30 min", "40 min", "50 min"]
SECONDS = {"s": 1, "min": 60}


def waits_of(path):
    """(milliseconds, whether the block was used again)"""
    last, waits, now = {}, [], 0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            request = json.loads(line)
            now = request["timestamp"]
            for block in request["hash_ids"]:
                if block in last:
                    waits.append((now - last[block], True))
                last[block] = now
    waits.extend((now - then, False) for then in last.values())
    return sorted(waits), now


def reused_within(waits, limits):
    """Share of uses after which the block is used again within each limit."""
    at_risk, still, shares, index = len(waits), 1.0, [], 0
    for limit in limits:
        while index < len(waits) and waits[index][0] <= limit:
            time, ended, cut = waits[index][0], 0, 0
            while index < len(waits) and waits[index][0] == time:
                ended, cut = ended + waits[index][1], cut + (not waits[index][1])
                index += 1
            still *= 1 - ended / at_risk
            at_risk -= ended + cut
        shares.append(1 - still)
    return shares


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("--title", required=True)
    parser.add_argument("--source", required=True)
    options = parser.parse_args()
    waits, end = waits_of(options.trace)
    times = [time for time in TIMES if 1000 * int(time.split()[0]) * SECONDS[time.split()[1]] <= end]
    shares = reused_within(waits, [1000 * int(time.split()[0]) * SECONDS[time.split()[1]] for time in times])
    print(f'title = "{options.title}"')
    print(f'note  = "written by tools/reuse_curve.py: {len(waits)} uses of blocks in {end / 60000:.0f} minutes, {sum(again for _, again in waits)} of them used again in that time; the others by Kaplan and Meier"')
    print(f'\n[within]\nsource = "{options.source}"')
    for time, share in zip(times, shares):
        print(f'"{time}" = {share:.4f}')


if __name__ == "__main__":
    main()
