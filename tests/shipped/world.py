"""The folders of real files that a test may ask: the part that is shipped, written out by the build, and all of RIDGE_DATA where it is set."""

import os
from pathlib import Path

SHIPPED = Path(os.environ["RIDGE_BUILD"]) / "shipped"
WHOLE = Path(os.environ["RIDGE_DATA"]) if os.environ.get("RIDGE_DATA") else None


def has(path):
    """Whether there is a whole collection, and it has this."""
    return WHOLE is not None and (WHOLE / path).exists()


def best(path):
    """The folder to ask for a file: the whole one where it has it."""
    return WHOLE if has(path) else SHIPPED


def both(path):
    """The shipped folder, and the whole one where it has this."""
    return [SHIPPED, WHOLE] if has(path) else [SHIPPED]
