"""Ridgeline: the math of how LLMs are trained and served.

    import ridgeline as rl
    answer = rl.why("deepseek-v3", on="hgx-b200", dp=8, ep=8, isl="8k", osl="1k", rate=4)
    answer.tpot, answer.tpot.unit, answer.tpot.interval["80"]
    answer.derive("tpot"), answer.to_dict()

Every command of `ridge --help` that reads and writes no files of its own is a function; options are keyword arguments named like
the flags. Answers equal the program's to the last bit. Questions run without the interpreter's lock: threads answer side by side.
"""

from __future__ import annotations

import os as _os
from typing import Any, Dict, Mapping, Optional, Sequence

from ._answer import Answer, Columns, Derivation, Quantity, Record
from ._library import BugError, InputError, Problem, RidgeError, UsageError
from ._library import ask as _ask_library
from ._library import ask_many as _ask_many
from ._library import version as __version__

_COMMANDS = ("why", "fit", "plan", "host", "compare", "simulate", "layout", "context", "cost", "curve", "tier", "lifecycle", "schedule", "train",
             "activations", "goodput", "chips", "price", "infer", "demand", "claims", "list", "show", "diff", "day", "results")

__all__ = ["Answer", "BugError", "Columns", "Derivation", "InputError", "Problem", "Quantity", "Record", "RidgeError", "UsageError", "ask",
           "price_history", "sweep", *(name for name in _COMMANDS if name != "list")]


def _request(command: str, arguments: Sequence[Any], options: Mapping[str, Any], files: Optional[Mapping[str, str]]) -> Dict[str, Any]:
    texts = dict(files or {})
    words = []
    for one in arguments:
        word = _os.fspath(one) if isinstance(one, _os.PathLike) else str(one)
        words.append(word)
        if word not in texts and _os.path.isfile(word):
            with open(word, encoding="utf-8") as file:
                texts[word] = file.read()
    return {"command": command, "arguments": words, "options": dict(options), "files": texts}


def ask(command: str, *arguments: Any, files: Optional[Mapping[str, str]] = None, **options: Any) -> Answer:
    """Any command by its name: ask("why", "deepseek-v3", on="gb200-nvl72"). Arguments that are paths of texts are read."""
    form = options.pop("_format", "json")
    request = _request(command, arguments, options, files)
    if form != "json":
        request["format"] = form

    def again(_format: str = "json", **more: Any) -> Answer:
        return ask(command, *arguments, files=files, _format=_format, **{**options, **more})

    return Answer(command, _ask_library(request), again)


def _command(name: str) -> Any:
    def call(*arguments: Any, files: Optional[Mapping[str, str]] = None, **options: Any) -> Answer:
        return ask(name, *arguments, files=files, **options)

    call.__name__ = call.__qualname__ = name.replace(" ", "_")
    call.__doc__ = f"`ridge {name}`: its arguments in order, its options by name; `ridge {name} --help` lists them."
    return call


for _name in _COMMANDS:
    globals()[_name] = _command(_name)
price_history = _command("price history")


def sweep(*arguments: Any, figures: Sequence[str] = ("step_time", "cost"), columns: Optional[Mapping[str, Any]] = None,
          files: Optional[Mapping[str, str]] = None, **options: Any) -> Columns:
    """Many decode steps at once: `why` with columns in place of inputs, sweep("deepseek-v3", on="gb200-nvl72", columns={"batch": [1, 64]}).

    Columns are anything with doubles, in base units, of one length; NumPy arrays of float64 are taken without copying.
    """
    inputs = dict(columns or {})
    return Columns({**{}, **_ask_many(_request("why", arguments, options, files), inputs, tuple(figures))})
