"""Does bad input of every kind get an explanation, and extreme input an answer?

A refusal has the documented exit code (2 wrong usage, 3 bad input), names the place and the remedy on standard error, and
leaves standard output empty, or puts the errors there as JSON where --json was given. An answer has only finite figures,
or null and "unbounded". Nothing crashes, prints nan or inf, or takes long.
"""

import os
import re
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from ridge_run import (ANSWERED, BAD_INPUT, DOES_NOT_FIT, ENVIRONMENT, RIDGE, ROOT, SANITIZED, WRONG_USAGE, bad_figures, load_tests,
                       not_numbers, parse_json, ridge)

SECONDS = 20.0 if SANITIZED else 2.0  # of processor time
PATIENCE = 300 if SANITIZED else 20  # until a command counts as hanging

CASE = ["why", "deepseek-v3", "--on", "gb200-nvl72"]
DENSE = ["why", "llama-3.1-70b", "--on", "hgx-h100"]
HEAD = 'scenario = 1\nmodel = "deepseek-v3"\nmachine = "gb200-nvl72"\n'  # three lines: what follows is line 4

# An argument of the kernel's largest size: 128 KiB with its end. A longer one never reaches a program.
LONG = "x" * (128 * 1024 - 1)


def setting(text):
    return [*CASE, "--set", text]


# name: arguments, words that must stand on standard error besides "hint:"
BAD_VALUES = {
    "a margin of all": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--margin", "1"], ["--margin", "below 1"]),
    "a negative margin": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--margin", "-20%"], ["--margin", "from 0"]),
    "a time to live of zero": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--cache-ttl", "0 s"], ["--cache-ttl", "above zero"]),
    "shares that are not all": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--isl-mix", "4k:10%,8k:20%"], ["--isl-mix", "sum to 0.3"]),
    "a demand without shares": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--isl-mix", "4k"], ["--isl-mix", "LENGTH:SHARE"]),
    "a fact as a term": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--set", "hbm.bandwidth=1 TB/s"], ["hbm.bandwidth", "--catalog"]),
    "a term of nan": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--set", "cache.fetch=nan B/s"], ["--set cache.fetch", "finite"]),
    "a fast mode that is slow": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--fast-speed", "0.5"], ["--fast-speed", "above 1"]),
    "a promise beside a load": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--tpot", "20ms", "--concurrency", "8"], ["--tpot", "beside a load"]),
    "a promise beside a load of one's own": (["host", "llama-3.1-70b", "--on", "hgx-h100", "--tpot", "20ms", "--concurrency", "8"], ["--tpot", "beside a load"]),
    "lengths and demand": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--isl", "4k", "--isl-mix", "4k:100%"], ["--isl", "beside"]),
    "a rate of nearly nothing": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--rate", "0.01"], ["--rate", "concurrency"]),
    "a share above one": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--set", "mfu.prefill=5"], ["mfu.prefill", "at most 1"]),
    "a machine and its numbers": (["infer", "openai/gpt-4o", "--on", "hgx-h100", "--set", "intensity=100"], ["--set intensity", "beside --on"]),
    "a link that is not there": (["price", "qwen3-next-80b-a3b", "--on", "rtx-5090-1", "--isl", "531", "--osl", "76", "--dp", "8", "--weights", "fp8"], ["layout", "needs a link"]),
    "the same in serving": (["why", "qwen3-next-80b-a3b", "--on", "rtx-5090-1", "--isl", "531", "--osl", "76", "--dp", "8", "--weights", "fp8"], ["layout", "needs a link"]),
    "prompts longer than the model reads": (["price", "llama-2-13b", "--on", "hgx-h100", "--isl-mix", "2k:50%,20k:50%"], ["the model reads"]),
    "terms taken for beliefs": (["infer", "openai/gpt-4o", "--prior", "sheet"], ["--prior", "lecture"]),
    "all machines and one": (["infer", "openai/gpt-4o", "--on", "hgx-h100", "--machines"], ["--machines", "give one"]),
    "a free chip": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--price", "$0/h"], ["--price", "above zero"]),
    "a belief upside down": (["infer", "openai/gpt-4o", "--range", "active=200G..50G"], ["active"]),
    "a belief of zero": (["infer", "openai/gpt-4o", "--range", "active=0..50G"], ["--range active", "above zero"]),
    "a share of two": (["infer", "openai/gpt-4o", "--range", "utilization=0.5..2"], ["--range utilization", "at most 1"]),
    "a sparsity below one": (["infer", "openai/gpt-4o", "--range", "sparsity=0.5..2"], ["--range sparsity", "at least 1"]),
    "a margin of more than all": (["infer", "openai/gpt-4o", "--range", "margin=0.5..1"], ["margin", "below 1"]),
    "no samples": (["infer", "openai/gpt-4o", "--samples", "0"], ["--samples", "from 1000"]),
    "a slow fast mode": (["infer", "openai/gpt-4o", "--fast-speed", "0.5"], ["--fast-speed", "above 1"]),
    "no sheet": (["infer"], ["SHEET", "which of"]),
    "no tokens to train on": (["lifecycle", "--tokens", "0"], ["--tokens", "above zero"]),
    "nothing served": (["lifecycle", "--served", "0 tok/s"], ["--served", "above zero"]),
    "served without a unit": (["lifecycle", "--served", "5"], ["--served", "unit missing"]),
    "served for no time": (["lifecycle", "--for", "0 days"], ["--for", "above zero"]),
    "months": (["lifecycle", "--for", "2 months"], ["--for", "months", "60 days"]),
    "parameters in bytes": (["lifecycle", "--params", "100 GB"], ["--params", "70B"]),
    "a loss below the irreducible": (["lifecycle", "--loss", "1.8"], ["--loss", "irreducible 1.817", "just above 1.817"]),
    "a loss that is too low for the size": (["lifecycle", "--loss", "1.85", "--params", "1G"], ["--loss", "never reach", "more than"]),
    "a loss and tokens": (["lifecycle", "--loss", "2", "--tokens", "1T"], ["--loss", "leave one of them out"]),
    "a negative share": (["lifecycle", "--rl-trained-share", "-0.1"], ["--rl-trained-share", "from 0 to 1", "the nearest is 0"]),
    "a share above one": (["lifecycle", "--decode-mfu", "1.2"], ["--decode-mfu", "at most 1", "the nearest is 1"]),
    "more experts used than there are": (["lifecycle", "--num-experts", "8", "--experts-per-token", "9"], ["--num-experts", "9 of 8", "at most 8"]),
    "no experts": (["lifecycle", "--num-experts", "0"], ["--num-experts", "at least one"]),
    "a negative budget": (["lifecycle", "--budget", "$-1"], ["--budget", "above zero"]),
    "a budget in tokens": (["lifecycle", "--budget", "5 tokens"], ["--budget", "is needed"]),
    "a lifecycle of nan": (["lifecycle", "--set", "peak=nan FLOP/s"], ["--set peak", "finite"]),
    "1e31 tokens": (["lifecycle", "--tokens", "1e31"], ["--tokens", "1e30"]),
    "a range of what follows": (["lifecycle", "--range", "tokens=1..2 Ttoken"], ["--range", "follows from the others"]),
    "a range beyond a share": (["lifecycle", "--range", "rl.trained=-1..0.5"], ["rl.trained", "from 0 to 1"]),
    "a lifecycle in png": (["lifecycle", "--svg", "life.png"], ["--svg", "writes SVG"]),
    "activations of no sequence": (["activations", "llama-3-8b", "--sequence", "0"], ["--sequence", "from 1 to"]),
    "activations of no batch": (["activations", "llama-3-8b", "--batch", "-3"], ["--batch", "from 1 to"]),
    "a schedule that is none": (["schedule", "2f2b"], ["no schedule is called", "1f1b"]),
    "micro-batches that stages do not divide": (["schedule", "interleaved", "--stages", "8", "--microbatches", "30"], ["--microbatches 24", "--microbatches 32"]),
    "odd stages in pairs": (["schedule", "dualpipe", "--stages", "7", "--microbatches", "64"], ["--stages 6", "--stages 8"]),
    "too few micro-batches for two directions": (["schedule", "dualpipe", "--stages", "8", "--microbatches", "10"], ["--microbatches 16"]),
    "too few micro-batches for a V": (["schedule", "dualpipev", "--stages", "8", "--microbatches", "9"], ["--microbatches 16"]),
    "chunks where there are none": (["schedule", "1f1b", "--chunks", "3"], ["--chunks 1", "interleaved"]),
    "times for some stages": (["schedule", "1f1b", "--stages", "4", "--forward", "1ms,2ms"], ["--forward", "2 times", "4 model stages"]),
    "a stage without a unit": (["schedule", "1f1b", "--forward", "1"], ["--forward", "unit missing"]),
    "more operations than are simulated": (["schedule", "gpipe", "--stages", "4096", "--microbatches", "1000000"], ["--microbatches 1627"]),
    "a picture of all schedules": (["schedule", "--svg", "all.svg"], ["--svg", "name one"]),
    "a run that nobody published": (["goodput", "--run", "lama-3-405b"], ["--run", "llama-3-405b"]),
    "failures all the time": (["goodput", "--mtbf", "0 h"], ["--mtbf", "above zero"]),
    "a tier that is none": (["tier", "--tiers", "flsh"], ["--tiers", "flash"]),
    "a curve of re-use that is none": (["tier", "--reuse", "agnt"], ["--reuse", "agent"]),
    "a chart that is none": (["tier", "--chart", "mop"], ["--chart", "map"]),
    "a chance above one": (["tier", "--reuse-probability", "1.5"], ["--reuse-probability", "from 0 to 1"]),
    "no context to keep": (["tier", "--context", "0"], ["--context", "above zero"]),
    "a derivation of no tier": (["tier", "--derive", "flesh"], ["--derive", "flash"]),
    "half a model": (["tier", "--active", "100G"], ["MODEL", "--kv-bytes"]),
    "bytes without a token": (["tier", "--active", "1G", "--kv-bytes", "2 kB"], ["--kv-bytes", "B/token"]),
    "bytes beyond all": (["tier", "--active", "1G", "--kv-bytes", "1e300 B/token"], ["--kv-bytes", "1e30"]),
    "a tariff with one time": (["tier", "--tariff", "input=$5/Mtok,5min=$6/Mtok"], ["--tariff", "two times to live"]),
    "holding for nothing": (["tier", "--tariff", "input=$5/Mtok,hold=$0/Mtok/h"], ["--tariff: hold", "above zero"]),
    "a tariff nobody has": (["tier", "--tariff", "anthropic/claude-opsu-5"], ["--tariff", "claude-opus-5"]),
    "a sheet without holding": (["tier", "--tariff", "deepseek/deepseek-chat"], ["--tariff", "holding"]),
    "a tariff without input": (["tier", "--tariff", "5min=$6/Mtok,1h=$10/Mtok"], ["--tariff", "input"]),
    "a tariff with a time twice": (["tier", "--tariff", "input=$5/Mtok,60min=$6/Mtok,1h=$10/Mtok"], ["--tariff", "two prices"]),
    "a tariff kept for no time": (["tier", "--tariff", "input=$5/Mtok,0s=$6/Mtok,1h=$10/Mtok"], ["--tariff", "some time"]),
    "a tariff in euros": (["tier", "--tariff", "input=5 EUR/Mtok,5min=$6/Mtok,1h=$10/Mtok"], ["--tariff: input", "EUR"]),
    "a negative tariff": (["tier", "--tariff", "input=$-5/Mtok,5min=$6/Mtok,1h=$10/Mtok"], ["--tariff: input", "below zero"]),
    "contexts that end before they start": (["context", "--min", "1M", "--max", "1k"], ["--max", "empty"]),
    "a context of no tokens": (["context", "--session", "0"], ["--session", "1e+12"]),
    "one unknown model of two": (["context", "llama-3.1-70b,deepsek-v3"], ["model", "deepseek-v3"]),
    "users who ask for nothing": (["demand", "--per-user", "0 tok/s"], ["--per-user", "above zero"]),
    "minus ten streams": (["demand", "--concurrency", "10,-10"], ["--concurrency", "above zero"]),
    "demand for what does not fit": (["demand", "llama-3.1-405b", "--on", "hgx-h100", "--chips", "1"], ["--on", "does not fit"]),
    "a family nobody sells": (["price", "history", "claude-opsu"], ["FAMILY", "claude-opus"]),
    "a day nobody published": (["day", "deepseek-2025"], ["DAY", "deepseek-2025-02"]),
    "the cost of no machine": (["cost", "hgx-h10"], ["unknown machine", "hgx-h100"]),
    "a life of no time": (["cost", "hgx-h100", "--life", "0 years"], ["--life", "above zero"]),
    "more than all of the time": (["cost", "hgx-h100", "--utilization", "1.2"], ["--utilization", "at most 1"]),
    "capital in euros": (["cost", "hgx-h100", "--capex", "31000 EUR"], ["--capex", "is in euros"]),
    "a price in yen": (["demand", "--price", "¥200/h"], ["--price", "yen"]),
    "a price below nothing": (["demand", "--price", "-$2/h"], ["--price", "minus sign"]),
    "a chip for nothing": (["tier", "--price", "$0/h"], ["--price", "costs nothing"]),
    "a tariff in pounds": (["tier", "--tariff", "input=£5/Mtok,5min=$6/Mtok,1h=$10/Mtok"], ["--tariff: input", "pounds"]),
    "no tokens a day": (["host", "llama-3.1-8b", "--on", "hgx-h100", "--tokens-per-day", "0"], ["--tokens-per-day", "above 0"]),
    "a promise of no time": (["host", "llama-3.1-8b", "--on", "hgx-h100", "--tpot", "0s"], ["--tpot", "above 0"]),
    "a sheet nobody has": (["host", "llama-3.1-8b", "--on", "hgx-h100", "--sheet", "groq/llama-3.1-8b-instan"], ["--sheet", "groq/llama-3.1-8b-instant"]),
    "a sheet that is not there": (["host", "llama-3.1-8b", "--on", "hgx-h100", "--sheet", "none.toml"], ["none.toml", "No such file"]),
    "a law along batch": (["curve", "batch", "--expert-law", "clark-2022"], ["--expert-law", "sparsity"]),
    "nan": (setting("hbm.bandwidth=nan TB/s"), ["--set hbm.bandwidth", "finite"]),
    "inf": (setting("hbm.bandwidth=inf TB/s"), ["--set hbm.bandwidth", "finite"]),
    "infinity by overflow": (setting("hbm.capacity=1e308 PB"), ["--set hbm.capacity", "too large"]),
    "1e999": (setting("hbm.capacity=1e999 B"), ["--set hbm.capacity", "finite"]),
    "negative bandwidth": (setting("hbm.bandwidth=-1 TB/s"), ["--set hbm.bandwidth", "above zero"]),
    "zero bandwidth": (setting("hbm.bandwidth=0 TB/s"), ["--set hbm.bandwidth", "above zero"]),
    "vanishing bandwidth": (setting("hbm.bandwidth=1e-320 B/s"), ["--set hbm.bandwidth", "above zero"]),
    "zero capacity": (setting("hbm.capacity=0 GB"), ["--set hbm.capacity", "above zero"]),
    "zero compute": (setting("matmul=0 FLOP/s"), ["--set matmul", "above zero"]),
    "negative price": ([*CASE, "--price", "$-1/h"], ["--price", "zero or more"]),
    "zero experts": (setting("experts.count=0"), ["--set experts.count", "at least 1"]),
    "half an expert": (setting("experts.count=0.5"), ["experts.count", "at least 1"]),
    "k above E": (setting("experts.per_token=257"), ["experts.per_token", "257", "256"]),
    "zero parameters": (setting("params.dense=0 param"), ["--set params.dense", "above zero"]),
    "1e31 parameters": (setting("params.dense=1e31 param"), ["--set params.dense", "1e30"]),
    "batch 1.5": ([*CASE, "--batch", "1.5"], ["--batch", "whole number"]),
    "chips 2.5": ([*CASE, "--chips", "2.5"], ["--chips", "whole number"]),
    "batch 0": ([*CASE, "--batch", "0"], ["--batch", "at least 1"]),
    "batch -1": ([*CASE, "--batch", "-1"], ["--batch", "at least 1"]),
    "batch 0.5": ([*CASE, "--batch", "0.5"], ["batch", "at least 1"]),
    "batch 1e300": ([*CASE, "--batch", "1e300"], ["--batch", "1e30"]),
    "batch in bytes": ([*CASE, "--batch", "64 GB"], ["--batch", "a plain number is needed"]),
    "batch in words": ([*CASE, "--batch", "many"], ["--batch", "number"]),
    "batch with comma": ([*CASE, "--batch", "2,048"], ["--batch", "2,048"]),
    "chips 0": ([*CASE, "--chips", "0"], ["--chips", "at least 1"]),
    "context negative": ([*CASE, "--context", "-1"], ["--context", "zero or more"]),
    "utilization 0": ([*CASE, "--utilization", "0"], ["--utilization", "at most 1"]),
    "utilization 2": ([*CASE, "--utilization", "200%"], ["--utilization", "at most 1"]),
    "unknown unit": (setting("hbm.bandwidth=7 TX/s"), ["--set hbm.bandwidth", '"TX"']),
    "missing unit shows both readings": (setting("hbm.bandwidth=7"), ["--set hbm.bandwidth", "unit missing", "7 TB/s", "7 GB/s"]),
    "missing unit of memory": (setting("hbm.capacity=80"), ["unit missing", "80 GB", "80 GiB"]),
    "missing unit of a price": ([*CASE, "--price", "2.10"], ["--price", "unit missing", "$2.1/h", "$2.1/s"]),
    "wrong dimension": (setting("hbm.bandwidth=7 TFLOP/s"), ["--set hbm.bandwidth", "FLOP/s", "B/s is needed"]),
    "bits for bytes": (setting("hbm.bandwidth=7 Tb/s"), ["--set hbm.bandwidth", '"Tb"', "divide by 8"]),
    "Gb for GB": (setting("hbm.capacity=80 Gb"), ["--set hbm.capacity", '"Gb"', "divide by 8"]),
    "bytes for parameters": (setting("params.dense=70 GB"), ["--set params.dense", "70B"]),
    "set without =": (setting("hbm.bandwidth"), ["--set", "KEY=VALUE"]),
    "set to nothing": (setting("hbm.bandwidth="), ["--set hbm.bandwidth", "empty"]),
    "set of an unknown key": (setting("hbm.bandwith=7 TB/s"), ["--set hbm.bandwith", "hbm.bandwidth?"]),
    "peak of a format not used": (setting("matmul.fp4=1 TFLOP/s"), ["--set matmul.fp4", "matmul.fp8"]),
    "several at once": ([*CASE, "--batch", "0", "--context", "-1", "--set", "hbm=7"], ["--batch", "--context", "--set hbm"]),
    "range reversed": ([*CASE, "--range", "hbm=8..6 TB/s"], ["--range hbm", "smaller end first"]),
    "range garbage": ([*CASE, "--range", "garbage"], ["--range", "KEY=LOW..HIGH"]),
    "range without ends": ([*CASE, "--range", "hbm=.."], ["--range hbm"]),
    "range with one end": ([*CASE, "--range", "hbm=1 TB/s.."], ["--range hbm"]),
    "range unknown key": ([*CASE, "--range", "hbm.bandwith=1..2 TB/s"], ["--range", "hbm.bandwidth?"]),
    "range unknown short key": ([*CASE, "--range", "hbn=1..2 TB/s"], ["--range", "hbm"]),
    "range from zero": ([*CASE, "--range", "hbm=0..8 TB/s"], ["--range hbm", "above zero"]),
    "range to inf": ([*CASE, "--range", "hbm=1..inf TB/s"], ["--range hbm", "finite"]),
    "range without unit": ([*CASE, "--range", "hbm=1..2"], ["--range hbm", "unit missing"]),
    "range below one": ([*CASE, "--range", "batch=0.5..2"], ["batch", "at least 1"]),
    "range of k above E": ([*CASE, "--range", "experts.per_token=1..1000"], ["experts.per_token", "256"]),
    "curve reversed": (["curve", "batch", "--min", "10", "--max", "5"], ["--min"]),
    "curve below one chip": (["curve", "chips", "--min", "0.001"], ["--min", "at least 1"]),
    "curve from 0": (["curve", "batch", "--min", "0"], ["--min", "above zero"]),
    "curve from -1": (["curve", "batch", "--min", "-1"], ["--min", "above zero"]),
    "curve from nan": (["curve", "batch", "--min", "nan"], ["--min", "finite"]),
    "curve to 1e300": (["curve", "batch", "--max", "1e300"], ["--max", "1e30"]),
    "curve in bytes": (["curve", "batch", "--max", "5 GB"], ["--max", "a plain number"]),
    "curve of an unknown quantity": (["curve", "batch", "--chart", "csot"], ["--chart", "cost"]),
    "sparsity of a dense model": (["curve", "sparsity", "llama-3.1-70b", "--on", "hgx-h100"], ["llama-3.1-70b", "no routed experts"]),
    "experts that do not divide": (["layout", "deepseek-v3", "gb200-nvl72", "--ep", "72"], ["--ep", "ep 64", "--redundant-experts 32"]),
    "heads that do not divide": (["layout", "llama-3.1-70b", "hgx-h100", "--tp", "3"], ["--tp", "possible: 1, 2, 4, 8"]),
    "more stages than layers": (["layout", "deepseek-v3", "gb200-nvl72", "--pp", "62"], ["--pp", "at most 61"]),
    "racks that do not divide": (["layout", "deepseek-v3", "gb200-nvl72", "--racks", "3"], ["--racks", "possible: 1, 2, 4"]),
    "a million million chips": (["layout", "deepseek-v3", "gb200-nvl72", "--tp", "60000", "--dp", "60000"], ["--tp", "65536"]),
    "half a chip": (["layout", "deepseek-v3", "gb200-nvl72", "--dp", "0.5"], ["--dp", "whole number"]),
    "a hop without a unit": (["layout", "deepseek-v3", "gb200-nvl72", "--hop", "5"], ["--hop", "unit missing"]),
    "sparsity below 1": (["curve", "sparsity", "--min", "0.01", "--max", "0.5"], ["--max"]),
}

UNKNOWN_NAMES = {
    "prior": (["infer", "openai/gpt-4o", "--prior", "provder"], ["--prior", "provider"]),
    "quantity to infer": (["infer", "openai/gpt-4o", "--range", "activ=1G..2G"], ["activ", "active"]),
    "provider": (["infer", "--provider", "antropic"], ["--provider", "anthropic"]),
    "term of a sheet": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--set", "cache.fech=1 GB/s"], ["cache.fech", "cache.fetch"]),
    "figure of a sheet": (["price", "llama-3.1-70b", "--on", "hgx-h100", "--derive", "outptu"], ["outptu", "output"]),
    "law": (["lifecycle", "--law", "besiroglu"], ["besiroglu", "besiroglu-2024"]),
    "law of another form": (["lifecycle", "--law", "clark-2022"], ["another form", "besiroglu-2024"]),
    "law of experts": (["curve", "sparsity", "--expert-law", "clark"], ["clark", "clark-2022"]),
    "input of a lifecycle": (["lifecycle", "--set", "serve=1 tok/s"], ["serve", "did you mean", "served"]),
    "figure of a lifecycle": (["lifecycle", "--derive", "best_parms"], ["best_parms", "best_params"]),
    "model of a lifecycle": (["lifecycle", "deepseek-v33"], ["unknown model", "deepseek-v3"]),
    "machine of a lifecycle": (["lifecycle", "--on", "hgx-h10"], ["unknown machine", "hgx-h100"]),
    "model of activations": (["activations", "lama-3-70b"], ["unknown model", "llama-3-70b"]),
    "model": (["why", "deepsek-v3", "--on", "gb200-nvl72"], ["deepsek-v3", "did you mean", "deepseek-v3"]),
    "model, nothing near": (["why", "zzzzzz", "--on", "gb200-nvl72"], ["zzzzzz", "ridge list models"]),
    "machine": (["why", "deepseek-v3", "--on", "gb200-nvl27"], ["gb200-nvl27", "did you mean", "gb200-nvl72"]),
    "part of several machines": (["why", "deepseek-v3", "--on", "nvl72"], ["can mean", "gb200-nvl72 or gb300-nvl72"]),
    "part of several models": (["why", "llama-70b", "--on", "hgx-h100"], ["can mean", "llama-3.1-70b or llama-3.3-70b"]),
    "chips of a whole machine": (["cost", "4xH100"], ["asks for 4 chips", "hgx-h100"]),
    "both": (["why", "deepsek-v3", "--on", "gb200-nvl27"], ["deepseek-v3", "gb200-nvl72"]),
    "format of the context": ([*CASE, "--kv", "fp9"], ["fp9", "did you mean", "fp8"]),
    "format of the weights": ([*CASE, "--weights", "bf-16"], ["bf-16", "did you mean", "bf16"]),
    "figure": ([*CASE, "--derive", "cots"], ["--derive", "cots", "did you mean", "cost"]),
    "figure by its short name": ([*CASE, "--derive", "stp"], ["--derive", "stp", "did you mean", "step"]),
    "curve": (["curve", "bach"], ["bach", "did you mean batch?"]),
    "list": (["list", "modles"], ["modles", "did you mean models?"]),
    "claim": (["claims", "C99"], ["C99", "did you mean", "C09"]),
    "entry": (["show", "h200-smx"], ["h200-smx", "did you mean", "h200-sxm"]),
    "machine of a curve": (["curve", "batch", "deepseek-v3", "--on", "gb200-nvl27"], ["did you mean", "gb200-nvl72"]),
    "machine of a layout": (["layout", "deepseek-v3", "gb200-nvl27"], ["did you mean", "gb200-nvl72"]),
    "no machine of a layout": (["layout", "deepseek-v3"], ["MACHINE", "which machine"]),
    "model of a fit": (["fit", "deepsek-v3", "--on", "hgx-h200"], ["did you mean", "deepseek-v3"]),
    "no machine": (["why", "deepseek-v3"], ["--on", "which machine"]),
    "no model": (["why", "--on", "gb200-nvl72"], ["which model"]),
    "a catalog that is not there": ([*CASE, "--catalog", "nowhere"], ["nowhere", "folder"]),
    "a catalog that is a file": ([*CASE, "--catalog", "good.toml"], ["good.toml", "folder"]),
    "a catalog without files": ([*CASE, "--catalog", "empty"], ["empty", "holds no catalog files"]),
    "blank batch": ([*CASE, "--batch", " \t"], ["--batch", "empty"]),
    "not UTF-8": (["why", b"\xff\xfe", "--on", "gb200-nvl72"], ["unknown model"]),
    "not UTF-8 in a key": ([*CASE, "--set", b"\xff=1"], ["unknown option"]),
    "not UTF-8 in a value": ([*CASE, "--set", b"hbm.bandwidth=7 \xff"], ["unknown unit"]),
}

# An empty text is what an unset shell variable leaves behind: taking it for "not given" would answer another question.
EMPTY_TEXTS = {
    "empty law": ["lifecycle", "--law", ""],
    "empty tokens": ["lifecycle", "--tokens", ""],
    "range empty": [*CASE, "--range", ""],
    "empty machine": ["why", "deepseek-v3", "--on", ""],
    "empty batch": [*CASE, "--batch", ""],
    "empty format": [*CASE, "--kv", ""],
    "empty curve": ["curve", ""],
    "set nothing": setting(""),
    "empty model": ["why", "", "--kv", "fp8"],
    "empty model and machine": ["why", "", "--on", "gb200-nvl72"],
    "empty file to save": [*CASE, "--save", ""],
    "empty catalog": [*CASE, "--catalog", ""],
    "empty picture": ["curve", "batch", "--svg", ""],
    "empty start": ["curve", "batch", "--min", ""],
    "empty figure": [*CASE, "--derive", ""],
    "empty entry": ["show", ""],
    "empty claim": ["claims", ""],
    "empty list": ["list", ""],
}

# usage: the text names what is wrong, and the nearest known word or the help
USAGE = {
    "unknown flag": ([*CASE, "--bacth", "3"], ["--bacth", "hint: did you mean --batch?"]),
    "unknown flag with =": ([*CASE, "--bacth=3"], ["--bacth", "hint: did you mean --batch?"]),
    "unknown flag of a curve": (["curve", "batch", "--pionts", "3"], ["--pionts", "hint: did you mean", "--points"]),
    "unknown command": (["wyh"], ["wyh", "hint: did you mean why?"]),
    "unknown command, nothing near": (["nothing"], ['COMMAND: there is no command "nothing"', "hint: one of: why, fit,", "ridge --help"]),
    "unknown command and flag": (["wyh", "--json"], ["wyh", "hint: did you mean why?"]),
    "a flag before its command": (["--batch", "3"], ["--batch", "ridge --help"]),
    "empty command": ([""], ["ridge --help"]),
    "short flag": (["why", "-b", "3"], ["-b", "ridge why --help"]),
    "too many words": (["why", "a", "b"], ["b: one word more than ridge why takes", "--on", "ridge why --help"]),
    "unknown flag, nothing near": (["why", "--zzzzzz"], ["--zzzzzz: ridge why has no such option", "ridge why --help"]),
    "curve of nothing": (["curve"], ["KIND", "ridge curve --help"]),
    "show nothing": (["show"], ["WHAT", "ridge show --help"]),
    "depth -1": ([*CASE, "--depth", "-1"], ["--depth", "ridge why --help"]),
    "depth x": ([*CASE, "--depth", "x"], ["--depth", "ridge why --help"]),
    "derive nothing": ([*CASE, "--derive"], ["--derive", "ridge why --help"]),
    "points 1": (["curve", "batch", "--points", "1"], ["--points", "ridge curve --help"]),
    "points 0": (["curve", "batch", "--points", "0"], ["--points", "ridge curve --help"]),
    "points 10^9": (["curve", "batch", "--points", "1000000000"], ["--points", "ridge curve --help"]),
    "points 10^20": (["curve", "batch", "--points", "100000000000000000000"], ["--points", "ridge curve --help"]),
    "flag without value": ([*CASE, "--batch"], ["--batch", "ridge why --help"]),
    "not UTF-8": ([b"\xff\xfe"], ["ridge --help"]),
    "a very long command": ([LONG], ["ridge --help"]),
}

# file content, words on standard error; the file is called case.toml
BAD_FILES = {
    "bad TOML": (HEAD + "x = = 1\n", ["case.toml:4"]),
    "open string": (HEAD + 'kv = "fp8\n', ["case.toml:4"]),
    "empty": ("", ["case.toml", "model is missing", "machine is missing"]),
    "only a comment": ("# nothing\n", ["case.toml", "model is missing"]),
    "binary": (bytes(range(256)) * 8, ["case.toml:1"]),
    "zeros": (bytes(4096), ["case.toml:1"]),
    "UTF-16": (HEAD.encode("utf-16"), ["case.toml:1"]),
    "not UTF-8": (HEAD.encode() + b"# \xff\xfe\n", ["case.toml:4"]),
    "unknown key": (HEAD + "bacth = 3\n", ["case.toml:4: bacth", "did you mean batch?"]),
    "unknown input": (HEAD + "[inputs]\nbacth = 3\n", ["case.toml:5: inputs.bacth", "did you mean batch?"]),
    "unknown table": (HEAD + "[foo.bar]\nbatch = 3\n", ["case.toml:5: foo.bar.batch"]),
    "unknown key in a fact": (HEAD + '[inputs]\nbatch = { value = 3, surce = "x" }\n', ["case.toml:5: inputs.batch", "surce"]),
    "all errors at once": (HEAD + 'batch = "x"\ncontext = "1 GB"\nfoo = 1\nutilization = "nan"\n', ["case.toml:4", "case.toml:5", "case.toml:6", "case.toml:7"]),
    "nan": (HEAD + "batch = nan\n", ["case.toml:4: batch"]),
    "inf": (HEAD + "batch = inf\n", ["case.toml:4: batch"]),
    "negative": (HEAD + "batch = -3\n", ["case.toml:4", "at least 1"]),
    "zero bandwidth": (HEAD + '[inputs]\n"hbm.bandwidth" = "0 TB/s"\n', ["case.toml:5", "above zero"]),
    "zero bandwidth with a source": (HEAD + '[inputs]\n"hbm.bandwidth" = { value = "0 TB/s", source = "mine" }\n', ["hbm.bandwidth", "above zero", "case.toml:5"]),
    "missing unit": (HEAD + '"hbm.bandwidth" = 7\n', ["case.toml:4", "7 TB/s", "7 GB/s"]),
    "true": (HEAD + "batch = true\n", ["case.toml:4: batch"]),
    "a date": (HEAD + "batch = 2026-01-01\n", ["case.toml:4: batch"]),
    "an array": (HEAD + "batch = [1, 2]\n", ["case.toml:4: batch"]),
    "an array of tables": (HEAD + "[[inputs]]\nbatch = 1\n", ["case.toml:4: inputs"]),
    "a huge integer": (HEAD + "batch = 99999999999999999999999\n", ["case.toml:4"]),
    "a duplicated key": (HEAD + 'model = "llama-3-8b"\n', ["case.toml:4", "model"]),
    "a duplicated table": (HEAD + "[inputs]\n[inputs]\n", ["case.toml:5", "inputs"]),
    "an empty key": (HEAD + '"" = 3\n', ["case.toml:4"]),
    "an empty model": (HEAD.replace("deepseek-v3", ""), ["case.toml:2: model"]),
    "an unknown model": (HEAD.replace("deepseek-v3", "deepsek-v3"), ["deepsek-v3", "did you mean deepseek-v3"]),
    "a later format": (HEAD.replace("scenario = 1", "scenario = 2"), ["case.toml:1", "scenario = 1"]),
    "a word among the inputs": (HEAD + '[inputs]\nmodel = { value = "llama-3-8b", source = "x" }\n', ["case.toml:5", "model"]),
    "a basis among the inputs": (HEAD + '[inputs]\nprice = { value = "owned", source = "x" }\n', ["case.toml:5", "price"]),
    "a letter that is no bare key": (HEAD + "é = 1\n", ["case.toml:4"]),  # undefined in toml++ 3.3, see the fuzzer's corpus
    "a vertical tab in a header": (HEAD + "[\v]\n", ["case.toml:4"]),
    "nested arrays": (HEAD + "x = " + "[" * 100_000 + "]" * 100_000 + "\n", ["case.toml:4"]),
    "nested tables": (HEAD + "x = " + "{a=" * 100_000 + "1" + "}" * 100_000 + "\n", ["case.toml:4"]),
    "a dotted key": (HEAD + "a" + ".a" * 300_000 + " = 1\n", ["case.toml:4"]),
    "a dotted header": (HEAD + "[a" + ".a" * 300_000 + "]\nx = 1\n", ["case.toml"]),
    "a model name of 1 MB": (HEAD.replace("deepseek-v3", "x" * 1_000_000), ["unknown model"]),
    "a key of 1 MB": (HEAD + "x" * 1_000_000 + " = 1\n", ["case.toml:4"]),
    "65 MiB": (b"#" * (65 << 20), ["case.toml", "64 MiB"]),
}

# arguments, exit codes that are right
EXTREME_CASES = {
    "context 0": ([*CASE, "--context", "0"], ANSWERED),
    "context 1e12": ([*CASE, "--context", "1e12"], DOES_NOT_FIT),
    "1e30 parameters": (setting("params.dense=1e30 param"), DOES_NOT_FIT),
    "1e30 of everything": ([*CASE, *(word for key in ("params.dense", "params.routed", "params.lookup", "batch", "context", "kv.read=1e30 B/token", "kv.stored=1e30 B/token",
                                                      "attention.flops=1e30 FLOP/token", "price=1e30 $/s", "width.weights=1e30 B/param")
                             for word in ("--set", key if "=" in key else key + "=1e30"))], DOES_NOT_FIT),
    "the slowest chip": (setting("hbm.bandwidth=1e-29 B/s"), ANSWERED),
    "the slowest arithmetic": (setting("matmul=1e-29 FLOP/s"), ANSWERED),
    "the fastest chip": ([*CASE, "--set", "hbm.bandwidth=1e30 B/s", "--set", "matmul=1e30 FLOP/s"], ANSWERED),
    "no context to read": (setting("kv.read=0 B/token"), ANSWERED),
    "no attention": (setting("attention.flops=0 FLOP/token"), ANSWERED),
    "vanishing context": (setting("kv.read=1e-320 B/token"), ANSWERED),
    "free": ([*CASE, "--price", "$0/h"], ANSWERED),
    "all experts": (setting("experts.per_token=256"), ANSWERED),
    "one expert of 1e15": ([*CASE, "--set", "experts.count=1e15", "--set", "experts.per_token=1"], DOES_NOT_FIT),
    "batch 1": ([*CASE, "--batch", "1"], ANSWERED),
    "batch 1e30": ([*CASE, "--batch", "1e30"], DOES_NOT_FIT),
    "one chip": ([*CASE, "--chips", "1"], DOES_NOT_FIT),
    "1e30 chips": ([*CASE, "--chips", "1e30"], ANSWERED),
    "no routed parameters": (setting("params.routed=0 param"), ANSWERED),
    "used hardly ever": ([*CASE, "--utilization", "1e-29"], ANSWERED),
}

GOOD_FILES = {
    "CRLF": HEAD.replace("\n", "\r\n"),
    "BOM": "\ufeff" + HEAD,
    "no last newline": HEAD.rstrip("\n"),
    "blank lines and comments": "\n\n# c\n" + HEAD + "\n\n",
    "no context and a hexadecimal batch": HEAD + "context = 0\nbatch = 0x7f\n",
}


class Hostile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "good.toml").write_text(HEAD)
        (self.folder / "empty").mkdir()

    def run_here(self, *arguments):
        run = ridge(*arguments, cwd=self.folder)
        self.assertGreaterEqual(run.code, 0, f"ended by signal {-run.code}\n{run}")
        self.assertNotIn("Sanitizer", run.err)
        self.assertNotIn("terminate called", run.err)
        self.assertLess(run.seconds, SECONDS, str(run))
        return run

    def check_words(self, run, words):
        for word in words:
            self.assertIn(word, run.err, str(run))

    def check_refused(self, arguments, words):
        run = self.run_here(*arguments)
        self.assertEqual(run.code, BAD_INPUT, str(run))
        self.assertEqual(run.out, "")
        self.check_words(run, ["hint: ", *words])
        self.assertLess(len(run.err), 20_000, "an explanation nobody reads")
        for line in run.err.splitlines():
            self.assertRegex(line, r"^(\S.*: \S|  hint: \S)", "neither PLACE: WHAT nor a hint")
        as_json = self.run_here(*arguments, "--json")
        self.assertEqual(as_json.code, BAD_INPUT, str(as_json))
        errors = parse_json(as_json.out)
        self.assertEqual(errors["schema"], "ridge.errors/1")
        self.assertEqual(len(errors["errors"]), run.err.count("\n  hint: "))
        for error in errors["errors"]:
            self.assertTrue(error["where"] and error["what"] and error["hint"], error)

    def check_answer(self, arguments, code):
        run = self.run_here(*arguments)
        self.assertEqual(run.code, code, str(run))
        self.assertEqual(not_numbers(run.out), [])
        answer = parse_json(self.run_here(*arguments, "--sensitivity", "--json").out)
        self.assertEqual(bad_figures(answer), [])
        self.assertEqual(not_numbers(self.run_here(*arguments, "--csv").out), [])
        self.assertEqual(not_numbers(self.run_here(*arguments, "--sensitivity").out), [])
        self.assertEqual(not_numbers(self.run_here(*arguments, "--derive", "cost", "--depth", "0").out), [])
        self.assertIn(answer["fit"]["fits"], (True, False))
        return answer

    def test_bad_values_are_refused(self):
        for name, (arguments, words) in BAD_VALUES.items():
            with self.subTest(name):
                self.check_refused(arguments, words)

    def test_unknown_names_are_refused_with_the_nearest(self):
        for name, (arguments, words) in UNKNOWN_NAMES.items():
            with self.subTest(name):
                self.check_refused(arguments, words)

    def test_empty_texts_are_refused(self):
        for name, arguments in EMPTY_TEXTS.items():
            with self.subTest(name):
                run = self.run_here(*arguments)
                self.assertIn(run.code, (WRONG_USAGE, BAD_INPUT), str(run))
                self.assertEqual(run.out, "")
                self.assertNotIn("did you mean", run.err)  # of nothing there is no nearest

    def test_wrong_usage_is_explained(self):
        for name, (arguments, words) in USAGE.items():
            with self.subTest(name):
                run = self.run_here(*arguments)
                self.assertEqual(run.code, WRONG_USAGE, str(run))
                self.assertEqual(run.out, "")
                self.check_words(run, words)
                self.assertRegex(run.err, r"(?m)^  (hint|see): ")
                self.assertLess(len(run.err), 20_000, "an explanation nobody reads")

    def test_suggestions_are_different_words(self):
        for arguments in (setting("matmul.fp4=1 TFLOP/s"), ["why", "zzz", "--on", "h100"], ["claims", "C99"]):
            with self.subTest(arguments[-1]):
                for words in re.findall(r"did you mean (.*)\?", self.run_here(*arguments).err):
                    words = re.split(r", | or ", words)
                    self.assertEqual(len(words), len(set(words)), words)

    def test_bad_files_are_refused_with_their_line(self):
        for name, (content, words) in BAD_FILES.items():
            with self.subTest(name):
                (self.folder / "case.toml").write_bytes(content if isinstance(content, bytes) else content.encode())
                self.check_refused(["why", "case.toml"], words)

    def test_files_that_are_none_are_refused(self):
        (self.folder / "folder.toml").mkdir()
        for name in ("missing.toml", "folder.toml", "good.toml/x.toml", "no/such/folder.toml", "x" * 300 + ".toml", ".toml"):
            with self.subTest(name):
                self.check_refused(["why", name], [name[:20]])
                self.check_refused(["curve", "batch", name], [name[:20]])
                self.check_refused(["fit", name], [name[:20]])

    @unittest.skipIf(os.geteuid() == 0, "root may read anything")
    def test_unreadable_files_are_refused(self):
        (self.folder / "good.toml").chmod(0)
        self.check_refused(["why", "good.toml"], ["good.toml"])

    def test_good_files_are_read_however_they_were_saved(self):
        for name, content in GOOD_FILES.items():
            with self.subTest(name):
                (self.folder / "case.toml").write_bytes(content.encode())
                self.check_answer(["why", "case.toml"], ANSWERED)

    def test_extreme_cases_are_answered(self):
        for name, (arguments, code) in EXTREME_CASES.items():
            with self.subTest(name):
                self.check_answer(arguments, code)

    def test_what_does_not_fit_says_how_much_is_missing(self):
        answer = self.check_answer([*CASE, "--context", "1e12"], DOES_NOT_FIT)
        self.assertFalse(answer["fit"]["fits"])
        self.assertGreater(answer["fit"]["shortfall"], 0)
        fit = self.run_here("fit", *CASE[1:], "--context", "1e12")
        self.assertEqual(fit.code, DOES_NOT_FIT)
        self.assertIn("does not fit", fit.out)

    def test_every_way_out_is_one(self):
        # what is offered to somebody whose case does not fit must itself be accepted, and fit
        for case in (["why", "llama-3.1-405b", "--on", "hgx-h100", "--context", "128k", "--batch", "32"], [*DENSE, "--chips", "4", "--context", "128k", "--batch", "8"]):
            ways = self.run_here(*case, "--json").json()["fit"]["ways_out"]
            self.assertGreater(len(ways), 0)
            for way in ways:
                with self.subTest(way):
                    flags = way.split()
                    kept = [word for i, word in enumerate(case) if word != flags[0] and (i == 0 or case[i - 1] != flags[0])]
                    if flags[0] == "--on" and "--chips" in kept:  # another machine brings its own chips
                        at = kept.index("--chips")
                        kept[at:at + 2] = []
                    self.assertEqual(self.run_here(*kept, *flags).code, ANSWERED, f"{kept} {flags}")

    def test_wide_ranges_give_ordered_bounds(self):
        for name, ranges in {"all of context": ["context=0..1e30"], "bandwidth": ["hbm=1e-29..1e30 B/s"], "experts": ["experts.per_token=1..256", "batch=1..1e30"],
                             "a point": ["hbm=8..8 TB/s"], "price": ["price=$0..1e30/s"], "many": ["context=0..1e6", "kv.read=0..1 MB/token", "attention.flops=0..1e9 FLOP/token"]}.items():
            with self.subTest(name):
                arguments = [*CASE, *(word for one in ranges for word in ("--range", one))]
                text = self.run_here(*arguments)
                self.assertIn(text.code, (ANSWERED, DOES_NOT_FIT), str(text))
                self.assertEqual(not_numbers(text.out), [])
                for key, figure in parse_json(self.run_here(*arguments, "--json").out)["figures"].items():
                    low, high = figure["range"]
                    if low is not None and high is not None:
                        self.assertLessEqual(low, high, key)
                    slack = lambda x: abs(x) * 1e-12
                    if figure["value"] is not None and low is not None:
                        self.assertLessEqual(low - slack(low), figure["value"], key)
                    if figure["value"] is not None and high is not None:
                        self.assertGreaterEqual(high + slack(high), figure["value"], key)

    def test_curves_hold_only_numbers(self):
        svg = self.folder / "curve.svg"
        for name, arguments in {"batch": ["batch"], "context": ["context"], "chips": ["chips"], "sparsity": ["sparsity"], "far": ["context", "--min", "1e12", "--max", "1e29"],
                                "tiny": ["batch", "--min", "1", "--max", "1.5"], "two points": ["batch", "--points", "2"],
                                "many points": ["batch", "--points", "20000"], "narrow sparsity": ["sparsity", "--min", "1", "--max", "1.1"],
                                "largest": ["batch", "--min", "1e29", "--max", "1e30"], "no context": ["batch", "--context", "0"], "free": ["batch", "--price", "$0/h", "--chart", "cost"],
                                "dense chips": ["chips", "llama-3.1-405b", "--on", "hgx-h100"], "nothing fits": ["context", "llama-3.1-405b", "--on", "l4-1"]}.items():
            with self.subTest(name):
                text = self.run_here("curve", *arguments, "--svg", str(svg))
                self.assertEqual(text.code, ANSWERED, str(text))
                self.assertEqual(not_numbers(text.out), [])
                self.assertEqual(not_numbers(svg.read_text()), [])
                rows = self.run_here("curve", *arguments, "--csv").out.splitlines()
                self.assertEqual(not_numbers("\n".join(rows)), [])
                self.assertGreater(len(rows), 1)
                self.assertEqual({row.count(",") for row in rows}, {rows[0].count(",")})
                x = [float(row.split(",")[0]) for row in rows[1:]]
                self.assertEqual(x, sorted(set(x)))
                parse_json(self.run_here("curve", *arguments, "--json").out)

    def test_files_that_cannot_be_written_are_explained(self):
        (self.folder / "folder").mkdir()
        for target in ("no/such/place.toml", "/proc/nothing/x", "folder", "good.toml/x", "/dev/full"):
            with self.subTest(target):
                self.check_refused([*CASE, "--save", target], [target])
                self.check_refused(["curve", "batch", "--svg", target], [target])
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), ["empty", "folder", "good.toml"])

    def test_writing_through_a_link_leaves_the_link(self):
        # as /dev/stdout is one: renaming a finished file onto it would replace the link itself
        (self.folder / "target.toml").write_text("")
        (self.folder / "link.toml").symlink_to("target.toml")
        self.assertEqual(self.run_here(*CASE, "--save", "link.toml").code, ANSWERED)
        self.assertTrue((self.folder / "link.toml").is_symlink())
        self.assertIn("[inputs]", (self.folder / "target.toml").read_text())

    def test_a_file_saved_over_itself_is_whole(self):
        for _ in range(2):
            self.assertEqual(self.run_here("why", "good.toml", "--save", "good.toml").code, ANSWERED)
        self.assertEqual(self.run_here("why", "good.toml").code, ANSWERED)

    def test_a_full_disk_is_noticed(self):
        for arguments in ([], ["list", "sources"], ["claims"], ["show", "deepseek-v3"], ["curve", "batch"], ["why", "--json"], ["fit", *CASE[1:]], ["--help"], ["--version"]):
            with self.subTest(" ".join(arguments)), open("/dev/full", "wb") as full:
                done = subprocess.run([RIDGE, *arguments], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE)
                self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
                self.assertIn(b"could not be written", done.stderr)

    def test_a_closed_pipe_ends_quietly(self):
        for arguments in (["list", "sources"], ["curve", "batch", "--points", "20000"], ["why", "--json"]):
            with self.subTest(" ".join(arguments)):
                process = subprocess.Popen([RIDGE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
                self.assertGreater(len(process.stdout.readline()), 0)
                process.stdout.close()
                errors = process.stderr.read()
                process.stderr.close()
                # ended by the pipe, as cat would be, or finished before the pipe closed
                self.assertIn(process.wait(timeout=PATIENCE), (0, BAD_INPUT, -signal.SIGPIPE))
                self.assertNotIn(b"Sanitizer", errors)

    def test_closed_standard_streams_do_not_crash(self):
        for redirection in (">&-", "2>&-", ">&- 2>&-", "<&-"):
            with self.subTest(redirection):
                done = subprocess.run(["sh", "-c", f'"$0" why {redirection}', RIDGE], capture_output=True, env=ENVIRONMENT, timeout=PATIENCE)
                self.assertIn(done.returncode, (ANSWERED, BAD_INPUT))

    def test_errors_that_cannot_be_printed_do_not_crash(self):
        for arguments, code in ((["why", "zzz", "--on", "hgx-h100"], BAD_INPUT), (["wyh"], WRONG_USAGE), (["curve", "batch", "--svg", "x.svg"], ANSWERED)):
            with self.subTest(" ".join(arguments)), open("/dev/full", "wb") as full:
                done = subprocess.run([RIDGE, *arguments], stdout=subprocess.DEVNULL, stderr=full, cwd=self.folder, env=ENVIRONMENT, timeout=PATIENCE)
                self.assertEqual(done.returncode, code)

    def test_very_long_arguments_are_refused_shortly(self):
        for name, arguments in {"model": ["why", LONG, "--on", "gb200-nvl72"], "machine": ["why", "deepseek-v3", "--on", LONG], "set": setting(LONG), "set value": setting(f"batch={LONG[:-6]}"),
                                "digits": [*CASE, "--batch", "9" * (len(LONG))], "show": ["show", LONG], "list": ["list", LONG], "claim": ["claims", LONG], "curve": ["curve", LONG],
                                "file": ["why", LONG[:-5] + ".toml"], "catalog": [*CASE, "--catalog", LONG], "derive": [*CASE, "--derive", LONG], "range": [*CASE, "--range", LONG]}.items():
            with self.subTest(name):
                self.check_refused(arguments, [])

    def test_escape_codes_are_not_repeated_to_the_terminal(self):
        for arguments in (["why", "\x1b[31mred", "--on", "gb200-nvl72"], setting("\x1b]0;title\x07=1"), ["wyh\x1b[2J"]):
            with self.subTest(arguments):
                self.assertNotIn("\x1b", self.run_here(*arguments).err)

    def test_other_locales_give_ascii(self):
        for locale in ({}, {"LANG": "C"}, {"LANG": "C.UTF-8", "LC_ALL": "POSIX"}, {"LANG": "xx_YY.nonsense"}, {"LC_ALL": ""}, {"LANG": "\udcff"}):
            with self.subTest(locale):
                run = ridge(*CASE, env={"PATH": "/usr/bin:/bin", **locale})
                self.assertEqual(run.code, ANSWERED)
                self.assertTrue(run.raw.isascii())


class HostileCatalog(Hostile):
    """The same for files of --catalog. Entries are those of the built-in catalog with one thing broken."""

    def entry(self, path, *changes):
        text = (ROOT / "catalog" / path).read_text()
        for pattern, replacement in changes:
            text, count = re.subn(pattern, replacement, text, flags=re.M)
            self.assertGreater(count, 0, f"{pattern} is not in {path}")
        file = self.folder / "catalog" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return text

    def line_of(self, path, word):
        lines = (self.folder / "catalog" / path).read_text().splitlines()
        return f"{path}:{next(i for i, line in enumerate(lines, 1) if word in line)}"

    def check_catalog(self, words):
        for command in ([*CASE, "--catalog", "catalog"], ["list", "--catalog", "catalog"], ["claims", "--catalog", "catalog"]):
            self.check_refused(command, words)

    BROKEN = {
        "unknown key of a chip": ("chip/h100-sxm.toml", r"^vendor", "vender", ['"vender"', "vendor"]),
        "unknown key of a machine": ("machine/hgx-h100.toml", r"^reserved_3y ", "reserved_3 ", ["price.reserved_3", "price.reserved_3y"]),
        "unknown key of a model": ("model/deepseek-v3.toml", r"^hidden_size ", "hiden_size ", ["architecture.hiden_size", "architecture.hidden_size"]),
        "zero bandwidth": ("chip/h100-sxm.toml", r'"3.35 TB/s"', '"0 TB/s"', ["hbm.bandwidth", "above zero"]),
        "negative bandwidth": ("chip/h100-sxm.toml", r'"3.35 TB/s"', '"-3.35 TB/s"', ["hbm.bandwidth", "above zero"]),
        "bandwidth nan": ("chip/h100-sxm.toml", r'"3.35 TB/s"', '"nan TB/s"', ["hbm.bandwidth", "finite"]),
        "bandwidth inf": ("chip/h100-sxm.toml", r'"3.35 TB/s"', "inf", ["hbm.bandwidth"]),
        "bandwidth in bits": ("chip/h100-sxm.toml", r'"3.35 TB/s"', '"26.8 Tb/s"', ["hbm.bandwidth", '"Tb"', "divide by 8"]),
        "bandwidth without unit": ("chip/h100-sxm.toml", r'"3.35 TB/s"', "3.35", ["hbm.bandwidth", "3.35 TB/s", "3.35 GB/s"]),
        "bandwidth in FLOP/s": ("chip/h100-sxm.toml", r'"3.35 TB/s"', '"3.35 TFLOP/s"', ["hbm.bandwidth", "B/s is needed"]),
        "zero capacity seen": ("chip/h100-sxm.toml", r'"81559 MiB"', '"0 MiB"', ["hbm.capacity_visible", "above zero"]),
        "zero peak": ("chip/h100-sxm.toml", r'"989 TFLOP/s"', '"0 TFLOP/s"', ["matmul.bf16", "above zero"]),
        "unknown source": ("chip/h100-sxm.toml", r'(value = "3.35 TB/s", source = )"[^"]*"', r'\1"stas-ml-enginering"', ["hbm.bandwidth", "stas-ml-engineering"]),
        "no source": ("chip/h100-sxm.toml", r'\{ value = "3.35 TB/s"[^}]*\}', '"3.35 TB/s"', ["hbm.bandwidth", "no source"]),
        "missing bandwidth": ("chip/h100-sxm.toml", r"^bandwidth.*\n", "", ["hbm.bandwidth is missing", "chip/h100-sxm.toml"]),
        "unknown chip": ("machine/hgx-h100.toml", r'"h100-sxm"', '"h100-smx"', ["h100-smx", "h100-sxm"]),
        "no chips": ("machine/hgx-h100.toml", r"value = 8,", "value = 0,", ["scale_up.chips", "at least one chip"]),
        "negative rental": ("machine/hgx-h100.toml", r'"\$1.30/h"', '"$-1.30/h"', ["price.reserved_3y"]),
        "life of zero": ("machine/hgx-h100.toml", r'"4 year"', '"0 year"', ["owned.life", "above zero"]),
        "zero experts": ("model/deepseek-v3.toml", r"^count .*", "count = 0", ["experts.count", "at least 1"]),
        "k above E": ("model/deepseek-v3.toml", r"^per_token .*", "per_token = 257", ["experts.per_token", "257", "256"]),
        "k of zero": ("model/deepseek-v3.toml", r"^per_token .*", "per_token = 0", ["experts.per_token"]),
        "no layers": ("model/deepseek-v3.toml", r"^order .*", 'order = "0 dense"', ["architecture.order", "between 1 and 10,000"]),
        "a million layers": ("model/deepseek-v3.toml", r"^order .*", 'order = "999999 dense"', ["architecture.order", "10,000"]),
        "layers of no kind": ("model/deepseek-v3.toml", r"^order .*", 'order = "3 dense, 58 exprt"', ["architecture.order", "exprt"]),
        "an open group": ("model/deepseek-v3.toml", r"^order .*", 'order = "3 (dense, expert"', ["architecture.order", "not closed"]),
        "negative width": ("model/deepseek-v3.toml", r"^hidden_size .*", "hidden_size = -61", ["architecture.hidden_size"]),
        "zero width": ("model/deepseek-v3.toml", r"^hidden_size .*", "hidden_size = 0", ["architecture.hidden_size", "at least 1"]),
        "width nan": ("model/deepseek-v3.toml", r"^hidden_size .*", "hidden_size = nan", ["architecture.hidden_size"]),
        "width with a unit": ("model/deepseek-v3.toml", r"^hidden_size .*", 'hidden_size = "61 GB"', ["architecture.hidden_size", "plain number"]),
        "width 1e300": ("model/deepseek-v3.toml", r"^hidden_size .*", "hidden_size = 1e300", ["architecture.hidden_size"]),
        "unknown attention": ("model/deepseek-v3.toml", r'"latent"', '"laten"', ["attention.type", "latent"]),
        "unknown format": ("model/deepseek-v3.toml", r'^(weights *= )"fp8-block128"', r'\1"fp9-block128"', ["precision.weights", "fp9", "fp8"]),
        "bad TOML": ("chip/h100-sxm.toml", r"^vendor.*", "vendor = = 1", ["chip/h100-sxm.toml:2"]),
        "duplicated key": ("chip/h100-sxm.toml", r"^vendor.*", 'vendor = "a"\nvendor = "b"', ["chip/h100-sxm.toml:3", "vendor"]),
        "number for a word": ("chip/h100-sxm.toml", r"^year.*", 'year = "long ago"', ["year", "number"]),
        "year 1e300": ("chip/h100-sxm.toml", r"^year.*", "year = 1e300", ["year"]),
    }

    def test_broken_entries_are_refused_with_file_and_key(self):
        for name, (path, pattern, replacement, words) in self.BROKEN.items():
            with self.subTest(name):
                self.entry(path, (pattern, replacement))
                self.check_catalog([path, *words])
                (self.folder / "catalog" / path).unlink()

    def test_five_errors_are_reported_at_once_with_file_and_line(self):
        self.entry("chip/h100-sxm.toml", (r'"3.35 TB/s"', '"0 TB/s"'), (r"^vendor", "vender"))
        self.entry("machine/hgx-h100.toml", (r'"h100-sxm"', '"h100-smx"'))
        self.entry("model/deepseek-v3.toml", (r"^count = 256", "count = 0"), (r'"latent"', '"laten"'))
        places = [self.line_of("chip/h100-sxm.toml", "0 TB/s"), self.line_of("chip/h100-sxm.toml", "vender"), self.line_of("machine/hgx-h100.toml", "h100-smx"),
                  self.line_of("model/deepseek-v3.toml", "count = 0"), self.line_of("model/deepseek-v3.toml", '"laten"')]
        self.check_catalog(places)

    def test_errors_of_syntax_in_several_files_are_reported_at_once(self):
        for name in ("a", "b", "c"):
            file = self.folder / "catalog" / "chip" / f"{name}.toml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("title = \n")
        self.check_catalog(["chip/a.toml:1", "chip/b.toml:1", "chip/c.toml:1"])

    def test_files_of_any_content_are_refused(self):
        for name, content in {"empty": b"", "binary": bytes(range(256)), "deep": b"a" + b".a" * 300_000 + b" = 1\n", "array": b"x = []\n", "not UTF-8": b'title = "\xff"\n'}.items():
            with self.subTest(name):
                file = self.folder / "catalog" / "chip" / "odd.toml"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
                self.check_catalog(["chip/odd.toml"])

    def test_odd_files_in_a_catalog_do_no_harm(self):
        self.entry("chip/h100-sxm.toml")
        chip = self.folder / "catalog" / "chip"
        (chip / "notes.txt").write_text("not TOML")
        (chip / "subfolder").mkdir()
        (chip / "link").symlink_to("nowhere")
        self.check_answer([*DENSE, "--catalog", "catalog"], ANSWERED)

    def test_a_folder_called_toml_is_refused(self):
        (self.folder / "catalog" / "chip" / "x.toml").mkdir(parents=True)
        self.check_catalog(["x.toml", "folder"])

    def test_a_format_without_bytes_is_refused(self):
        (self.folder / "catalog").mkdir()
        for size in ("0 B/param", "-1 B/param"):
            with self.subTest(size):
                (self.folder / "catalog" / "format.toml").write_text(f'[bf16]\ntitle = "t"\nbytes = {{ value = "{size}", source = "format-arithmetic" }}\ncomputes_as = "bf16"\n')
                self.check_catalog(["format.toml:3", "bytes"])

    def test_a_format_that_computes_as_nothing_known_is_refused(self):
        (self.folder / "catalog").mkdir()
        (self.folder / "catalog" / "format.toml").write_text('[loop]\ntitle = "t"\nbytes = { value = "1 B/param", source = "format-arithmetic" }\ncomputes_as = "loop"\nfalls_back = "loop"\n')
        run = self.run_here(*CASE, "--weights", "loop", "--catalog", "catalog")
        self.assertEqual(run.code, BAD_INPUT, str(run))
        self.assertIn("hint:", run.err)


# the cases of Hostile run once, not again for its subclass
for inherited in [name for name in dir(Hostile) if name.startswith("test_")]:
    setattr(HostileCatalog, inherited, None)


if __name__ == "__main__":
    unittest.main()
