#!/usr/bin/env python3
"""Writes what is shipped of the world (tests/data, catalog/price) as the files that it came from: tests/shipped/write_out.py FOLDER.

The folder then has the shape of the one that RIDGE_DATA names, with a part of its content, so that a test asks both in the same words.
"""

import shutil
import sys
from pathlib import Path

from models import write_models
from prices import write_prices
from results import write_results
from traces import write_traces

FACTS = Path(__file__).resolve().parents[1] / "data"


def main():
    out = Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    write_models(FACTS / "model_shapes.toml", out)
    write_traces(FACTS / "traces", out)
    write_results(FACTS / "result_files.toml", out)
    write_prices(out)
    (out / "written").touch()


main()
