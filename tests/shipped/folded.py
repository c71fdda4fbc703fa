"""Facts in few words: long lists as their rule, names with numbers as ranges; and TOML of nested facts, a line each.

    [0, 1, 0, 1, 0, 1]                  { length = 6, of = [0, 1] }
    ["dense" thrice, "sparse" 58 times] { runs = [[3, "dense"], [58, "sparse"]] }
    [tables, few of them different]     { kinds = [...], order = [0, 0, 1, 0, 2] }
    ["layers.0.mlp", "layers.1.mlp"]    ["layers.{0-1}.mlp"]; keys of equal values likewise

`unfold(fold(value)) == value`, but for the order of names with numbers. TOML has no null: it is the text "null".
"""

import itertools
import json
import re

LONG = 6
NAMES = re.compile(r"(.*)\{([\d -]+)\}(.*)")
RULES = ({"length", "of"}, {"runs"}, {"kinds", "order"})


def fold(value):
    if isinstance(value, dict):
        return fold_keys({key: fold(one) for key, one in value.items()})
    if not isinstance(value, list):
        return "null" if value is None else value
    items = [fold(one) for one in value]
    if odd := [one for one in value if one == "null" or isinstance(one, str) and NAMES.fullmatch(one)]:
        raise ValueError(f"cannot be told from our own notation: {odd[0]}")
    if len(items) > 1 and all(isinstance(one, str) for one in items) and len(set(items)) == len(items):
        return fold_names(items)
    if len(items) <= LONG:
        return items
    for period in range(1, len(items) // 2 + 1):
        if all(one == items[index % period] for index, one in enumerate(items)):
            return {"length": len(items), "of": items[:period]}
    runs = {"runs": [[len(list(group)), one] for one, group in itertools.groupby(items)]}
    kinds = [one for index, one in enumerate(items) if one not in items[:index]]
    ordered = {"kinds": kinds, "order": [kinds.index(one) for one in items]}
    return min((items, runs, ordered), key=lambda one: len(json.dumps(one)))


def fold_names(names):
    """Names that differ in their first number alone become one; the others stay."""
    numbers = {}
    for name in names:
        match = re.match(r"([^{}]*?\.)(\d+)((?:\..*)?)$", name)
        key = (match[1], match[3]) if match and str(int(match[2])) == match[2] else name
        numbers.setdefault(key, []).append(int(match[2]) if isinstance(key, tuple) else None)
    folded = []
    for key, found in numbers.items():
        if isinstance(key, str):
            folded.append(key)
        else:
            before, after = key
            folded.append(before + "{" + " ".join(ranges(sorted(found))) + "}" + after)
    return folded


def fold_keys(table):
    """Keys with numbers and equal values become one."""
    keys = {}
    for key, value in table.items():
        keys.setdefault(json.dumps(value) if re.search(r"\.\d+(\.|$)", key) else key, []).append(key)
    return {name: table[names[0]] for names in keys.values() for name in (fold_names(names) if len(names) > 1 else names)}


def ranges(numbers):
    """3 4 5 9 -> 3-5 9"""
    for _, group in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        group = [number for _, number in group]
        yield str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}"


def numbers_of(text):
    for part in text.split():
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def unfold(value):
    if isinstance(value, dict):
        if set(value) == {"length", "of"}:
            items = unfold_list(value["of"])
            return [items[index % len(items)] for index in range(value["length"])]
        if set(value) == {"runs"}:
            return [unfold(one) for count, one in value["runs"] for _ in range(count)]
        if set(value) == {"kinds", "order"}:
            return [unfold(value["kinds"][index]) for index in value["order"]]
        return {name: unfold(one) for key, one in value.items() for name in unfold_list([key])}
    if isinstance(value, list):
        return unfold_list(value)
    return None if value == "null" else value


def unfold_list(items):
    out = []
    for one in items:
        match = NAMES.fullmatch(one) if isinstance(one, str) else None
        out += [f"{match[1]}{number}{match[3]}" for number in numbers_of(match[2])] if match else [unfold(one)]
    return out


def key_text(key):
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)


def value_text(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key_text(key)} = {value_text(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(value_text(one) for one in value) + "]"
    return json.dumps(value).replace("Infinity", "inf")


def fact_lines(facts, before=""):
    """Nested facts as lines of TOML with dotted keys."""
    for key, value in facts.items():
        name = before + key_text(key)
        if isinstance(value, dict) and value and set(value) not in RULES:
            yield from fact_lines(value, name + ".")
        else:
            yield f"{name} = {value_text(value)}"
