"""Answers: what the program's --json says, by attributes, with units."""

from __future__ import annotations

import array
import csv
import html
import io
import json
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

# Of answers whose numbers stand without a unit (docs/json.md: base units).
_UNITS = {
    "tpot": "s", "ttft": "s", "ttft_queue": "s", "prefill_time": "s", "step_time": "s", "bound": "s", "transfer_time": "s", "e2e": "s", "itl": "s",
    "tok_s_per_user": "token/s", "output_tok_s": "token/s", "output_tok_s_per_chip": "token/s", "total_tok_s_per_chip": "token/s",
    "requests_per_s": "1/s", "output_cost": "$/token", "input_cost": "$/token", "cost": "$/token", "energy_per_output_token": "J/token",
    "isl": "token", "osl": "token", "capacity": "B", "usable": "B", "weights": "B", "kv_cache": "B", "kv_cache_tokens": "token",
}
_PREFIXES = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n")]


class Quantity(float):
    """A number with its unit; a float in every other way. `interval` has the ranges of a calibrated figure by percent."""

    __slots__ = ("unit", "name", "kind", "interval")
    unit: str
    name: str
    kind: str
    interval: Optional[Dict[str, Tuple[float, float]]]

    def __new__(cls, value: float, unit: str = "", name: str = "", kind: str = "", interval: Any = None) -> "Quantity":
        self = super().__new__(cls, value)
        self.unit, self.name, self.kind = unit, name, kind
        self.interval = None if interval is None else {percent: (low, high) for percent, (low, high) in interval.items()}
        return self

    def __reduce__(self) -> Any:
        return (Quantity, (float(self), self.unit, self.name, self.kind, self.interval))

    def __str__(self) -> str:
        return readable(float(self), self.unit)

    def __repr__(self) -> str:
        return f"<{self.name + ': ' if self.name else ''}{self}>"


def readable(value: float, unit: str) -> str:
    """Four digits and a prefix people use: 44.08 ms, $1.11/Mtok."""
    if unit == "$/token":
        return f"${value * 1e6:.4g}/Mtok"
    if unit in ("", "1/s") or value == 0 or value in (float("inf"), float("-inf")):
        return f"{value:.4g}{' ' + unit if unit else ''}"
    scale, prefix = next(((s, p) for s, p in _PREFIXES if abs(value) >= s), _PREFIXES[-1])
    if unit == "token/s":
        return f"{value:,.4g} tok/s" if abs(value) < 1e4 else f"{value:,.0f} tok/s"
    return f"{value / scale:.4g} {prefix}{unit}"


class Record(Mapping[str, Any]):
    """An object of an answer: its members as attributes, or as of a dictionary."""

    __slots__ = ("_members",)

    def __init__(self, members: Dict[str, Any]) -> None:
        self._members = members

    def _wrapped(self, key: str, value: Any) -> Any:
        if isinstance(value, dict):
            if "value" in value and "unit" in value and isinstance(value["value"], (int, float)):
                return Quantity(value["value"], value["unit"], key, value.get("class", value.get("kind", "")))
            return Record(value)
        if isinstance(value, list):
            return [self._wrapped("", one) for one in value]
        if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and key in _UNITS):
            return Quantity(value, _UNITS.get(key, ""), key)
        return value

    def __getitem__(self, key: str) -> Any:
        return self._wrapped(key, self._members[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            import difflib
            near = difflib.get_close_matches(name, list(self._names()), 3)
            raise AttributeError(f"no {name!r} in this answer" + (f"; did you mean {' or '.join(near)}?" if near else "")) from None

    def _names(self) -> List[str]:
        return list(self._members)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *(name for name in self._names() if name.isidentifier())]

    def to_dict(self) -> Dict[str, Any]:
        """Plain dictionaries, lists and numbers."""
        return self._members

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={self[key]!s:.40}" for key in list(self._members)[:6])
        return f"{type(self).__name__}({shown}{', ...' if len(self) > 6 else ''})"


class Columns(Mapping[str, "array.array[float]"]):
    """Columns of doubles: numpy.asarray(columns["ttft"]) takes them without copying, pandas.DataFrame(dict(columns)) too."""

    def __init__(self, columns: Dict[str, "array.array[float]"]) -> None:
        self._columns = columns

    def __getitem__(self, key: str) -> "array.array[float]":
        return self._columns[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def to_dict(self) -> Dict[str, List[float]]:
        return {key: list(values) for key, values in self._columns.items()}

    def __repr__(self) -> str:
        return f"Columns({', '.join(self._columns)}; {self.rows:,} rows)"

    def _repr_html_(self) -> str:
        from ._html import page_of_columns
        return page_of_columns(self)

    @staticmethod
    def of_csv(text: str) -> "Columns":
        rows = csv.reader(io.StringIO(text))
        names = next(rows)
        columns = {name: array.array("d") for name in names}
        for row in rows:
            for name, word in zip(names, row):
                try:
                    columns[name].append(float(word) if word else float("nan"))
                except ValueError:  # a word: no number
                    columns[name].append(float("nan"))
        return Columns(columns)


class Derivation(Record):
    """How figures come about: for each symbol its formula, with numbers, and its value."""

    def __str__(self) -> str:
        return "\n".join(f"{symbol} = {one['formula']}\n  = {one['numbers']}\n  = {one['shown']}" for symbol, one in self._members.items())


class Answer(Record):
    """What a command answers: figures first, then every member of its JSON."""

    __slots__ = ("command", "_text", "_ask", "_parsed", "_rest")

    def __init__(self, command: str, text: bytes, ask: Callable[..., "Answer"]) -> None:
        self.command, self._text, self._ask = command, text, ask
        self._parsed: Optional[Dict[str, Any]] = None

    @property
    def _whole(self) -> Dict[str, Any]:
        if self._parsed is None:
            self._parsed = json.loads(self._text)
        return self._parsed

    @property
    def _members(self) -> Dict[str, Any]:  # type: ignore[override]
        return self._whole["json"] if "json" in self._whole else {"text": self._whole["text"]}

    @property
    def exit(self) -> int:
        """0; 4 where the answer is no: it does not fit, or nothing meets the target."""
        return int(self._whole["exit"])

    @property
    def files(self) -> Dict[str, str]:
        """What the program would have written."""
        return self._whole.get("files", {})

    def _names(self) -> List[str]:
        figures = self._members.get("figures")
        return [*(figures if isinstance(figures, dict) else ()), *self._members]

    def __getitem__(self, key: str) -> Any:
        members = self._members
        if key in members:
            interval = members.get("intervals", {}).get(key) if isinstance(members.get("intervals"), dict) else None
            value = members[key]
            if interval and isinstance(value, (int, float)):
                return Quantity(value, _UNITS.get(key, ""), key, str(members.get("class", "")), interval)
            return self._wrapped(key, value)
        figures = members.get("figures")
        if isinstance(figures, dict) and key in figures:
            return self._wrapped(key, figures[key])
        raise KeyError(key)

    @property
    def requests(self) -> Columns:
        """Of a simulation: every request as a row, times in the file's units (docs/simulate.md)."""
        if self.command != "simulate":
            raise AttributeError("requests are of a simulation")
        again = self._ask(csv="requests.csv") if "requests.csv" not in self.files else self
        return Columns.of_csv(again.files["requests.csv"])

    def derive(self, figure: Optional[str] = None) -> Derivation:
        """The derivation of a figure, or of all."""
        members = self._members if "derivation" in self._members else self._ask(derive=figure or True)._members
        steps = members.get("derivation", {})
        if figure is None:
            return Derivation(steps)
        symbol = self._symbol(figure, steps)
        return Derivation({symbol: steps[symbol]})

    def _symbol(self, figure: str, steps: Dict[str, Any]) -> str:
        """A figure's symbol: its own name, t_ for a time, or whatever has its value."""
        value = float(self[figure])
        stem = figure[:-5] if figure.endswith("_time") else figure
        for symbol in (figure, "t_" + stem, *steps):
            if symbol in steps and steps[symbol].get("value") == value:
                return symbol
        raise AttributeError(f"{figure!r} has no derivation of its own in this answer; derive() has all")

    def svg(self, **options: Any) -> str:
        """The picture that the command draws; an error where it draws none."""
        return str(self._ask(_format="svg", **options)._whole["text"])

    def text(self) -> str:
        """The screen that the program prints."""
        return str(self._ask(_format="text")._whole["text"])

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from ._html import page_of
        return page_of(self)


def escaped(text: Any) -> str:
    return html.escape(str(text), quote=True)
