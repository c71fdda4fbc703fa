"""An independent reader of printed formulas and units: written from the description of the output, not from the C++.

A formula has numbers with units ("8 TB/s", "$3.3/h"), symbols, brackets, max, min, sqrt, ln and balance; · or * multiply, " / " divides
(a slash without spaces belongs to a unit), ^ is a power. GB is 10^9 bytes, GiB 2^30.
"""

import math
import re

PREFIXES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "m": 1e-3, "u": 1e-6, "µ": 1e-6, "n": 1e-9,
            "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
PREFIXED = {"B": 1, "FLOP": 1, "s": 1, "$": 1, "tok": 1, "token": 1, "tokens": 1, "param": 1, "params": 1, "J": 1, "W": 1, "Wh": 3600}
PLAIN = {"h": 3600, "min": 60, "day": 86400, "year": 31557600, "%": 0.01}

NUMBER = re.compile(r"\$?-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
UNIT = re.compile(r" ?(?:[kMBT] params|[A-Za-zµ%$]+(?:/[A-Za-zµ]+)*)|(?:/[A-Za-zµ]+)+")
SYMBOL = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


def balance(c, m, q):
    """The x with x (1 + m x)^q = c, by halving."""
    low, high = 0.0, c
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * (1 + m * middle) ** q < c else (low, middle)
    return high


FUNCTIONS = {"max": max, "min": min, "sqrt": math.sqrt, "ln": math.log, "balance": balance}


def unit_scale(word):
    """How many base units (B, FLOP, s, $, token, param, J) one of these is: "TB/s" is 1e12."""
    scale = 1.0
    for index, part in enumerate(word.strip().split("/")):
        if index == 0 and part == "":
            continue
        scale = scale * _one_unit(part) if index == 0 else scale / _one_unit(part)
    return scale


def _one_unit(word):
    if word.endswith(" params"):  # "69.5 B params"
        return {"k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}[word[0]]
    if word in PLAIN:
        return PLAIN[word]
    for name, size in PREFIXED.items():
        if word.endswith(name) and word[: len(word) - len(name)] in PREFIXES:
            return PREFIXES[word[: len(word) - len(name)]] * size
    raise ValueError(f"unknown unit {word!r}")


def quantity(text):
    """ "8 TB/s", "$0.07/Mtok", "2048" in base units."""
    value, rest = _number(text)
    if rest:
        raise ValueError(f"{rest!r} after the quantity in {text!r}")
    return value


def _number(text):
    found = NUMBER.match(text)
    if not found:
        raise ValueError(f"no number at {text!r}")
    value = float(found.group().replace("$", ""))
    rest = text[found.end():]
    unit = UNIT.match(rest)
    if unit and not rest.startswith(" / "):
        value *= unit_scale(unit.group())
        rest = rest[unit.end():]
    return value, rest


class Formula:
    """Recursive descent, one method for each level of binding."""

    def __init__(self, text, symbols=None):
        self.text, self.rest, self.symbols = text, text, symbols or {}

    def value(self):
        value = self.sum()
        if self.rest:
            raise ValueError(f"{self.rest!r} is left over in {self.text!r}")
        return value

    def take(self, *words):
        for word in words:
            if self.rest.startswith(word):
                self.rest = self.rest[len(word):]
                return word
        return None

    def sum(self):
        value = self.product()
        while word := self.take(" + ", " - "):
            other = self.product()
            value = value + other if word == " + " else value - other
        return value

    def product(self):
        value = self.power()
        while word := self.take("·", "*", " / "):
            other = self.power()
            value = value / other if word == " / " else value * other
        return value

    def power(self):
        value = self.primary()
        return value ** self.primary() if self.take("^") else value

    def primary(self):
        if self.take("("):
            return self.closed([self.sum()])[0]
        if NUMBER.match(self.rest):
            value, self.rest = _number(self.rest)
            return value
        found = SYMBOL.match(self.rest)
        if not found:
            raise ValueError(f"no operand at {self.rest!r} of {self.text!r}")
        self.rest = self.rest[found.end():]
        if found.group() in FUNCTIONS and self.take("("):
            arguments = [self.sum()]
            while self.take(", "):
                arguments.append(self.sum())
            return FUNCTIONS[found.group()](*self.closed(arguments))
        return self.symbols[found.group()]

    def closed(self, arguments):
        if not self.take(")"):
            raise ValueError(f"a bracket is open in {self.text!r}")
        return arguments


def evaluate(text, symbols=None):
    return Formula(text, symbols).value()
