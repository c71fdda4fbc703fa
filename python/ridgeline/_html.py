"""An answer in a notebook: a chart and a table. Whatever comes from outside is escaped."""

from __future__ import annotations

from typing import Any, List, Tuple

from ._answer import Answer, Quantity, Record, escaped, readable


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
    if not rows:
        return ""
    most, width, height = max(value for _, value in rows), 420, 18
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 230}" height="{height * len(rows) + 4}" role="img" font-size="12">']
    for i, (name, value) in enumerate(rows):
        y, length = i * height, max(1.0, width * value / most)
        out.append(f'<text x="0" y="{y + 13}" fill="currentColor">{escaped(name)}</text>'
                   f'<rect x="140" y="{y + 3}" width="{length:.1f}" height="{height - 6}" fill="#4269d0"/>'
                   f'<text x="{146 + length:.1f}" y="{y + 13}" fill="currentColor">{escaped(readable(value, "s"))}</text>')
    return "".join(out) + "</svg>"


def _row(name: str, value: Any) -> str:
    interval = ""
    if isinstance(value, Quantity) and value.interval and "80" in value.interval:
        low, high = value.interval["80"]
        interval = f"{readable(low, value.unit)} to {readable(high, value.unit)}"
    return f"<tr><th style='text-align:left'>{escaped(name)}</th><td>{escaped(value)}</td><td>{escaped(interval)}</td></tr>"


def page_of(answer: Answer) -> str:
    members = answer._members
    rows = []
    verdict = members.get("verdict")
    head = verdict.get("text", "") if isinstance(verdict, dict) else ""
    for name in answer._names():
        value = answer[name]
        if isinstance(value, (Quantity, str, bool, int)) and not isinstance(value, (Record, list)):
            rows.append(_row(name, value))
    table = "<table><tr><th></th><th></th><th>80% interval</th></tr>" + "".join(rows[:40]) + "</table>"
    return f"<div><strong>ridge {escaped(answer.command)}</strong> {escaped(head)}{_bars(_times(answer))}{table}</div>"
