"""An answer in a notebook: a chart and tables. Whatever comes from outside is escaped, or stands in a picture of its own."""

from __future__ import annotations

import base64
from typing import Any, Dict, List, Tuple

from ._answer import Answer, Columns, Quantity, Record, escaped, readable
from ._library import RidgeError

_FIGURES, _ROWS, _COLUMNS, _TABLES = 40, 30, 9, 3  # shown at most


def _times(answer: Answer) -> List[Tuple[str, float]]:
    """What a step's time is made of, or what its two resources take."""
    members = answer._members
    step = members.get("decode_step") or members.get("prefill_step")
    if isinstance(step, dict) and isinstance(step.get("parts"), dict):
        return [(name.replace("_", " "), value) for name, value in step["parts"].items() if value]
    figures = members.get("figures")
    if isinstance(figures, dict):
        wanted = ("weights_time", "kv_time", "memory_time", "compute_time")
        return [(key.replace("_", " "), figures[key]["value"]) for key in wanted if isinstance(figures.get(key), dict) and figures[key].get("value")]
    return []


def _bars(rows: List[Tuple[str, float]]) -> str:
    most, width, height = max(value for _, value in rows), 420, 18
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 230}" height="{height * len(rows) + 4}" role="img" font-size="12">']
    for i, (name, value) in enumerate(rows):
        y, length = i * height, max(1.0, width * value / most)
        out.append(f'<text x="0" y="{y + 13}" fill="currentColor">{escaped(name)}</text>'
                   f'<rect x="140" y="{y + 3}" width="{length:.1f}" height="{height - 6}" fill="#4269d0"/>'
                   f'<text x="{146 + length:.1f}" y="{y + 13}" fill="currentColor">{escaped(readable(value, "s"))}</text>')
    return "".join(out) + "</svg>"


def _chart(answer: Answer) -> str:
    """A step's parts as bars; else the picture that the command draws, where it draws one."""
    times = _times(answer)
    if times:
        return _bars(times)
    try:
        picture = answer.svg()
    except (RidgeError, KeyError):
        return ""
    return f'<img alt="ridge {escaped(answer.command)}" style="max-width:100%" src="data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}">'


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, bool, int, float))


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and not isinstance(value, Quantity):
        return f"{value:.4g}"
    return str(value)


def _row(name: str, value: Any) -> str:
    interval = ""
    if isinstance(value, Quantity) and value.interval and "80" in value.interval:
        low, high = value.interval["80"]
        interval = f"{readable(low, value.unit)} to {readable(high, value.unit)}"
    return f"<tr><th style='text-align:left'>{escaped(name)}</th><td>{escaped(_shown(value))}</td><td>{escaped(interval)}</td></tr>"


def _figures(answer: Answer) -> str:
    """Plain members, then those of its objects, each by the name that reaches it: best.tpot."""
    rows, inner = [], []
    for name in answer._names():
        value = answer[name]
        if name != "schema" and _is_plain(value):
            rows.append(_row(name, value))
        elif isinstance(value, Record) and name not in ("figures", "derivation", "intervals", "case", "inputs", "units"):
            inner += [_row(f"{name}.{key}", value[key]) for key in value if _is_plain(value[key]) and value[key] is not None]
    rows = [*rows, *inner][:_FIGURES]
    return "<table><tr><th></th><th></th><th>80% interval</th></tr>" + "".join(rows) + "</table>" if rows else ""


def _table(title: str, rows: List[Record]) -> str:
    columns: Dict[str, None] = {}
    for row in rows:
        columns.update((key, None) for key in row if _is_plain(row[key]))
    names = list(columns)[:_COLUMNS]
    head = "".join(f"<th>{escaped(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{escaped(_shown(row.get(name)) if _is_plain(row.get(name)) else '')}</td>" for name in names) + "</tr>" for row in rows[:_ROWS])
    more = f"<p>{len(rows) - _ROWS:,} more</p>" if len(rows) > _ROWS else ""
    return f"<p><em>{escaped(title)}</em></p><table><tr>{head}</tr>{body}</table>{more}"


def _tables(answer: Answer) -> str:
    """Lists of objects: rows, runs, models, policies, whatever the answer calls them."""
    out = []
    for name in answer._names():
        value = answer[name]
        if isinstance(value, list) and value and all(isinstance(one, Record) for one in value) and any(_is_plain(value[0][key]) for key in value[0]):
            out.append(_table(name, value))
    return "".join(out[:_TABLES])


def page_of(answer: Answer) -> str:
    verdict = answer._members.get("verdict")
    head = verdict.get("text", "") if isinstance(verdict, dict) else answer._members.get("headline", "")
    return (f"<div><strong>ridge {escaped(answer.command)}</strong> {escaped(head if isinstance(head, str) else '')}"
            f"<div>{_chart(answer)}</div>{_figures(answer)}{_tables(answer)}</div>")


def page_of_columns(columns: Columns) -> str:
    names = list(columns)
    head = "".join(f"<th>{escaped(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{columns[name][i]:.6g}</td>" for name in names) + "</tr>" for i in range(min(columns.rows, _ROWS)))
    return f"<div><strong>{columns.rows:,} rows</strong><table><tr>{head}</tr>{body}</table></div>"
