"""The C interface (apps/door/ridgeline.h) through ctypes, which gives the interpreter's lock back while a question is answered."""

from __future__ import annotations

import array
import ctypes
import json
import os
from pathlib import Path
from typing import Any, Mapping, Sequence

_POINTER = ctypes.POINTER(ctypes.c_double)


def _load() -> ctypes.CDLL:
    beside = Path(__file__).with_name("libridgeline.so")
    library = ctypes.CDLL(os.environ.get("RIDGELINE_LIBRARY") or str(beside))
    library.ridge_version.restype = ctypes.c_char_p
    library.ridge_ask.restype = ctypes.c_void_p
    library.ridge_ask.argtypes = [ctypes.c_char_p]
    library.ridge_free.restype = None
    library.ridge_free.argtypes = [ctypes.c_void_p]
    library.ridge_ask_many.restype = ctypes.c_int
    library.ridge_ask_many.argtypes = [
        ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(_POINTER),
        ctypes.c_size_t, ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(_POINTER), ctypes.POINTER(ctypes.c_void_p)]
    return library


_library = _load()
version: str = _library.ridge_version().decode()


class Problem:
    """What is wrong: where, what, and what to do about it."""

    __slots__ = ("where", "what", "hint")

    def __init__(self, where: str, what: str, hint: str) -> None:
        self.where, self.what, self.hint = where, what, hint

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" + (f"\n  hint: {self.hint}" if self.hint else "")

    def __repr__(self) -> str:
        return f"Problem(where={self.where!r}, what={self.what!r}, hint={self.hint!r})"


class RidgeError(ValueError):
    """A question that has no answer; `problems` says why, each with where, what and hint."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(one) for one in problems))
        self.problems = list(problems)


class UsageError(RidgeError, TypeError):
    """There is no such question or option, or it is given something of another kind."""


class InputError(RidgeError):
    """A value that cannot be: an unknown model, a negative batch, a broken file."""


class BugError(RidgeError):
    """Ours: please report it with the question."""


_ERRORS = {1: BugError, 2: UsageError, 3: InputError}


def _raise(exit_code: int, errors: Sequence[Mapping[str, str]]) -> None:
    raise _ERRORS.get(exit_code, InputError)([Problem(one["where"], one["what"], one["hint"]) for one in errors])


def _taken(address: int | None) -> bytes:
    if not address:
        raise MemoryError("ridgeline: there is no more memory")
    text = ctypes.string_at(address)
    _library.ridge_free(address)
    return text


def ask(request: Mapping[str, Any]) -> bytes:
    """The whole answer as JSON; raises where it is a refusal."""
    text = _taken(_library.ridge_ask(json.dumps(request).encode()))
    if text.startswith(b'{"ok":false'):
        answer = json.loads(text)
        _raise(answer["exit"], answer["errors"])
    return text


def _doubles(values: Any) -> Any:
    """Something that holds doubles side by side: as it is where it does already, an array made of it otherwise."""
    try:
        view = memoryview(values)
        if view.format == "d" and view.contiguous and view.ndim == 1:
            return values
    except TypeError:
        pass
    return array.array("d", values)


def _pointer(values: Any) -> Any:
    if len(values) == 0:
        return _POINTER()
    view = memoryview(values)
    if view.readonly:
        copy = array.array("d", values)  # ctypes lends nothing that may not be written
        return ctypes.cast((ctypes.c_double * len(copy)).from_buffer(copy), _POINTER)
    return ctypes.cast((ctypes.c_double * len(view)).from_buffer(view), _POINTER)


def _zeros(count: int) -> "array.array[float]":
    """Made of copies of a block that stays in the cache: a text of all of them would be written first, and read again."""
    block = array.array("d", bytes(8 * 4096))
    out = block * (count // len(block))
    out.extend(block[:count % len(block)])
    return out


def ask_many(request: Mapping[str, Any], inputs: Mapping[str, Any], figures: Sequence[str]) -> dict[str, "array.array[float]"]:
    """A column for each figure, over columns of inputs of one length."""
    columns = {key: _doubles(values) for key, values in inputs.items()}
    lengths = {len(values) for values in columns.values()}
    if len(lengths) != 1:
        raise UsageError([Problem("sweep", f"columns of {sorted(lengths)} values", "all of one length, at least one column")])
    cases = lengths.pop()
    out = {key: _zeros(cases) for key in figures}
    errors = ctypes.c_void_p()
    names, wanted = [key.encode() for key in columns], [key.encode() for key in out]
    pointers = [_pointer(values) for values in columns.values()]
    results = [_pointer(values) for values in out.values()]
    exit_code = _library.ridge_ask_many(
        json.dumps(request).encode(), cases, len(names), (ctypes.c_char_p * len(names))(*names), (_POINTER * len(names))(*pointers),
        len(wanted), (ctypes.c_char_p * len(wanted))(*wanted), (_POINTER * len(wanted))(*results), ctypes.byref(errors))
    if exit_code != 0:
        refusal = json.loads(_taken(errors.value))
        _raise(refusal["exit"], refusal["errors"])
    return out
