#!/usr/bin/env python3
"""Does a new ridge give the numbers that an old one gave?

Record what the old program answers, then compare a new one with it:

    tools/same_answers.py record RIDGE DIR [--root ROOT]
    tools/same_answers.py compare DIR RIDGE [--root ROOT]
        [--table docs/json.md] [--write REPORT] [--only GLOB]

`record` runs every line of tests/answers/commands.txt in ROOT (default: this
repository) and keeps exit codes and answer, one file a command. `compare`
translates each recorded command by the table of old and new flags, runs it, and
looks up every old number in the new answer, at its path translated by the table
of old and new keys. Numbers agree to a relative 1e-12; true, false and null
agree exactly. Strings never fail: those that differ are counted and listed.
Exit status 1: a number differs or is missing, or an exit code differs, and no
line of tests/answers/expected_changes.txt says why.

A line of commands.txt is one or more steps with ` && ` between them:

    ridge WORDS [< FILE] [> FILE]       runs the program
    file FILE 'TEXT'                    writes a file; \\n in TEXT ends a line

`{tmp}` is a folder of the line's own. The answer is a file {tmp}/answer.* where
there is one, else what the last step printed: JSON, JSON Lines, CSV or text.
Of a text, only the numbers in it count, in any order.

Expected changes: `command glob | path glob | reason`, one a line; `*` is any
text; the OLD command and the OLD path (`exit` for the exit code).

The tables are Markdown, under `## Old and new flags` and `## Old and new keys`,
with the columns where, old, new and note; old and new in backticks; a new of
`-` says that it was removed. Several names in one `old` cell share a `new`.

Flags: `where` is `every` or subcommands (`why, fit`; `price history`).
    `--old`              -> `--new`            its value stays where it is
    `--price rental`     -> `--price market`   this value of it alone
    `--set old=VALUE`    -> `--set new=VALUE`  a word in capitals is any text
    `--depth N`          -> `-`                the flag goes with its value
    `ridge day DAY`      -> `ridge fleet DAY`  from the start of a command

Keys: `where` is `every` or schemas without version (`ridge.why, ridge.fit`).
    `old`                -> `new`              this key at any depth
    `$.old`              -> `new`              this key at the top alone
    `a.*.b`              -> `c.*.d`            a path from the top, and what is
                                               below it; `*` is one key or index
A note with `times 1e-6` says that the new number is the old one times that.
A new key may have dots: `tpot` -> `times.tpot.value`.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterator

HOME = Path(__file__).resolve().parent.parent
COMMANDS = HOME / "tests" / "answers" / "commands.txt"
EXPECTED = HOME / "tests" / "answers" / "expected_changes.txt"
TOLERANCE = 1e-12
AT_ONCE = 2  # commands run together
LONGEST = 120  # seconds a step may take
SHOWN = 4  # findings printed of one command

Keys = tuple[str, ...]  # a place in an answer; an index of a list is text, too

# --- running commands -------------------------------------------------------


@dataclass
class Answer:
    """What a line of commands.txt gave."""

    codes: list[int]
    answer: Any  # JSON, or {"text": ...}
    error: str


def line_of(steps: list[list[str]]) -> str:
    """The steps as a line of commands.txt."""
    plain = re.compile(r"[\w{}./@:=,%+<>-]+")
    return " && ".join(
        " ".join(word if plain.fullmatch(word) else shlex.quote(word)
                 for word in words) for words in steps)


def steps_of(line: str) -> list[list[str]]:
    """The words of each step."""
    steps: list[list[str]] = [[]]
    for word in shlex.split(line):
        if word == "&&":
            steps.append([])
        else:
            steps[-1].append(word)
    return steps


def redirected(words: list[str]) -> tuple[list[str], str, str]:
    """The words before `<` and `>`, and the files behind them."""
    files = {"<": "", ">": ""}
    while len(words) > 2 and words[-2] in files:
        files[words[-2]] = words[-1]
        words = words[:-2]
    return words, files["<"], files[">"]


def run_step(words: list[str], ridge: str, root: Path) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of one step."""
    if words[0] == "file":
        Path(words[1]).parent.mkdir(parents=True, exist_ok=True)
        Path(words[1]).write_text(words[2].replace("\\n", "\n"))
        return 0, "", ""
    words, source, target = redirected(words)
    given = Path(root, source).read_bytes() if source else b""
    try:
        done = subprocess.run(
            [ridge, *words[1:]], cwd=root, input=given, capture_output=True,
            timeout=LONGEST, env={**os.environ, "LC_ALL": "C.UTF-8"})
    except subprocess.TimeoutExpired:
        return -1, "", f"no answer within {LONGEST} s"
    if target:
        Path(target).write_bytes(done.stdout)
        return done.returncode, "", text_of(done.stderr)
    return done.returncode, text_of(done.stdout), text_of(done.stderr)


def text_of(data: bytes) -> str:
    return data.decode(errors="replace")


def run_line(steps: list[list[str]], ridge: str, root: Path) -> Answer:
    """Runs steps until one fails."""
    with tempfile.TemporaryDirectory() as folder:
        codes: list[int] = []
        out = error = ""
        for words in steps:
            words = [word.replace("{tmp}", folder) for word in words]
            code, out, error = run_step(words, ridge, root)
            codes.append(code)
            if code:
                break
        for file in Path(folder).glob("answer.*"):
            if file.suffix != ".state":  # what a sweep keeps beside its rows
                out = file.read_text(errors="replace")
        clean = out.replace(folder, "{tmp}")
        return Answer(codes, parsed(clean), error.replace(folder, "{tmp}"))


# --- what an answer says ----------------------------------------------------


def parsed(text: str) -> Any:
    """An answer as JSON; a text that is none is {"text": ...}."""
    for read in (json.loads, from_lines, from_csv):
        try:
            return read(text)
        except ValueError:
            pass
    return {"text": text}


def from_lines(text: str) -> Any:
    """JSON Lines as a list."""
    return [json.loads(line) for line in text.splitlines() or ["-"]]


def from_csv(text: str) -> Any:
    """CSV as a list of rows, or by the first column if that has names."""
    rows = list(csv.reader(io.StringIO(text), strict=True))
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("not CSV")
    if len(rows[0]) < 2 or any(" " in name for name in rows[0]):
        raise ValueError("not CSV")
    named = [dict(zip(rows[0], map(cell, row))) for row in rows[1:]]
    names = [row[0] for row in rows[1:]]
    if len(set(names)) == len(names) and not any(map(is_number, names)):
        return dict(zip(names, named))
    return named


def is_number(text: str) -> bool:
    try:
        float(text)
        return True
    except ValueError:
        return False


def cell(text: str) -> Any:
    if text in ("", "true", "false"):
        return {"": None, "true": True, "false": False}[text]
    return float(text) if is_number(text) else text


def numbers_in(text: str) -> Counter[float]:
    """How often each number stands in a text."""
    found = re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?", text)
    return Counter(float(one.replace(",", "")) for one in found)


def leaves(tree: Any, at: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    """Every number, string, true, false and null with its place."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, (*at, key))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from leaves(value, (*at, str(index)))
    else:
        yield at, tree


def lookup(tree: Any, path: Keys) -> tuple[Keys, Any] | None:
    """The place and value at a path, whose keys may have been cut at dots."""
    if not path:
        return (), tree
    if isinstance(tree, list):
        tree = {str(index): value for index, value in enumerate(tree)}
    if not isinstance(tree, dict):
        return None
    for count in range(1, len(path) + 1):
        key = ".".join(path[:count])
        if key not in tree:
            continue
        below = lookup(tree[key], path[count:])
        if below is not None:
            return (key, *below[0]), below[1]
    return None


def schema_of(tree: Any, command: str) -> str:
    """`ridge.why` of `ridge.why/1`; by the subcommand where there is none."""
    if isinstance(tree, dict) and isinstance(tree.get("schema"), str):
        return tree["schema"].split("/")[0]
    named = "sweep" if command == "merge" else command.replace(" ", "_")
    return "ridge." + named


def schemas(tree: Any, command: str) -> Iterator[tuple[Keys, str, Any]]:
    """An answer by schema: one, or each of a list of answers or rows."""
    if not isinstance(tree, list):
        yield (), schema_of(tree, command), tree
        return
    for index, part in enumerate(tree):
        yield (str(index),), schema_of(part, command), part


# --- the tables of old and new ----------------------------------------------


@dataclass
class Row:
    """A row of a table; `new` is None where it was removed."""

    where: set[str]
    old: str
    new: str | None
    factor: float = 1.0

    def holds_in(self, where: str) -> bool:
        return where in self.where or "every" in self.where


def rows_under(page: str, heading: str) -> list[Row]:
    """The rows of every table below a heading, up to the next as high."""
    rows: list[Row] = []
    inside = False
    for line in page.splitlines():
        if re.match(r"#{1,2} ", line):
            inside = line.lstrip("# ").strip().lower() == heading.lower()
        elif inside and line.lstrip().startswith("|"):
            rows += table_rows(line)
    return rows


def table_rows(line: str) -> list[Row]:
    """The rules of one line of a table; none of a header."""
    cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    cells = [one.replace("\\|", "|").strip() for one in cells]
    if len(cells) < 3 or not re.findall("`[^`]+`", cells[1]):
        return []
    where = {one.strip(" `") for one in cells[0].split(",")}
    new = (re.findall("`([^`]+)`", cells[2]) or [cells[2]])[0]
    note = " ".join(cells[3:])
    factor = re.search(r"times ([0-9.]+(?:e[+-]?[0-9]+)?)", note)
    return [Row(where, old, None if new == "-" else new,
                float(factor[1]) if factor else 1.0)
            for old in re.findall("`([^`]+)`", cells[1])]


CAPITALS = re.compile(r"\b[A-Z]+\b")


class Flags:
    """Old commands as new ones."""

    def __init__(self, rows: list[Row]) -> None:
        """Rules of one subcommand come first, then those with more to say."""
        self.rows = sorted(
            rows, key=lambda row: ("every" in row.where, -len(row.old.split()),
                                   len(CAPITALS.findall(row.old))))

    def step(self, words: list[str]) -> list[str]:
        """A step in the new words."""
        if words[0] == "file":
            return [*words[:2], self.file_text(words[2])]
        command, old = subcommand(words), apart(words)
        new: list[str] = []
        while old:
            taken, put = self.replaced(old, command, not new)
            new, old = new + put, old[taken:]
        return new

    def replaced(self, words: list[str], command: str,
                 first: bool) -> tuple[int, list[str]]:
        """How many words the first rule takes, and what it puts there."""
        for row in self.rows:
            pattern = row.old.split()
            at_start = pattern[0] == "ridge"
            if at_start != first or not row.holds_in(command):
                continue
            captured = match_words(pattern, words)
            if captured is None:
                continue
            new = (row.new or "").split()
            return len(pattern), [filled(word, captured) for word in new]
        return 1, words[:1]

    def file_text(self, text: str) -> str:
        """A scenario or sweep: its keys have the names of flags."""
        if not text.startswith("scenario"):
            return text
        return "\\n".join(map(self.file_line, text.split("\\n")))

    def file_line(self, line: str) -> str:
        """`key = "value"` as a flag and its value would be."""
        found = re.match(r'"?([\w.-]+)"?(\s*=\s*)(.*)', line)
        if not found or found[1] in ("scenario", "columns"):
            return line
        key, value = self.file_key(found[1]), found[3]

        def value_of(word: re.Match[str]) -> str:
            pair = self.replaced(["--" + found[1], word[1]], "why", False)
            return f'"{pair[1][1]}"' if pair[0] == 2 else word[0]

        quoted = f'"{key}"' if "." in key else key
        return quoted + found[2] + re.sub('"([^"]*)"', value_of, value)

    def file_key(self, key: str) -> str:
        """By the rule of the flag of that name, or of --set of that input."""
        taken, put = self.replaced(["--" + key], "why", False)
        if put and put != ["--" + key]:
            return put[0].lstrip("-")
        taken, put = self.replaced(["--set", key + "=0"], "why", False)
        return put[1].split("=")[0] if taken == 2 and len(put) == 2 else key


def subcommand(words: list[str]) -> str:
    """`price history` and `bare` (no words at all) are subcommands."""
    if words[1:3] == ["price", "history"]:
        return "price history"
    named = [word for word in words[1:2] if not word.startswith("-")]
    return named[0] if named else "bare"


def apart(words: list[str]) -> list[str]:
    """`--flag=value` as two words."""
    out: list[str] = []
    for word in words:
        found = re.match(r"(--[a-z][a-z-]*)=(.+)", word, re.S)
        out += [found[1], found[2]] if found else [word]
    return out


def match_words(pattern: list[str], words: list[str]) -> dict[str, str] | None:
    """What the words in capitals stand for; None where it does not match."""
    captured: dict[str, str] = {}
    if len(words) < len(pattern):
        return None
    for wanted, word in zip(pattern, words):
        names = CAPITALS.findall(wanted)
        if names == [wanted] and word.startswith("--"):
            return None
        parts = map(re.escape, CAPITALS.split(wanted))
        found = re.fullmatch("(.+)".join(parts), word, re.S)
        if not found:
            return None
        captured.update(zip(names, found.groups()))
    return captured


def filled(word: str, captured: dict[str, str]) -> str:
    return CAPITALS.sub(lambda one: captured.get(one[0], one[0]), word)


class Places:
    """Old paths as new ones."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = sorted(rows, key=lambda row: "every" in row.where)
        self.paths = [row for row in self.rows if re.search(r"[.*]", row.old)]
        self.paths.sort(key=lambda row: -len(row.old.split(".")))
        self.known: dict[tuple[str, str], Row | None] = {}

    def translated(self, schema: str, path: Keys) -> tuple[Keys | None, float]:
        """The new path, None where it was removed, and the factor."""
        for row in self.paths:
            if not row.holds_in(schema):
                continue
            found = match_path(row.old.removeprefix("$.").split("."), path)
            if found is None:
                continue
            return self.moved(schema, row, found, path)
        return self.renamed(schema, path)

    def moved(self, schema: str, row: Row, found: tuple[int, list[str]],
              path: Keys) -> tuple[Keys | None, float]:
        """By a rule of a path; keys at its stars and below it by theirs."""
        if row.new is None:
            return None, 1.0
        new: list[str] = []
        factor = row.factor
        stars = iter(found[1])
        for part in row.new.removeprefix("$.").split("."):
            put: Keys | None = (part,)
            if part == "*":
                put, times = self.renamed(schema, (next(stars, "*"),))
                factor *= times
            new += put or ()
        below, times = self.renamed(schema, path[found[0]:])
        return (None if below is None else (*new, *below)), factor * times

    def renamed(self, schema: str, path: Keys) -> tuple[Keys | None, float]:
        """By the rules of single keys."""
        new: list[str] = []
        factor = 1.0
        for key in path:
            row = self.rule_of(schema, key)
            if row is None:
                new.append(key)
            elif row.new is None:
                return None, 1.0
            else:
                new += row.new.split(".")
                factor *= row.factor
        return tuple(new), factor

    def rule_of(self, schema: str, key: str) -> Row | None:
        """The first rule of a key, those of its schema before `every`."""
        if (schema, key) not in self.known:
            self.known[schema, key] = next(
                (row for row in self.rows
                 if row.old == key and row.holds_in(schema)), None)
        return self.known[schema, key]


def match_path(rule: list[str], path: Keys) -> tuple[int, list[str]] | None:
    """How many keys a rule takes and those at its stars; keys may have dots."""
    at, stars = 0, []
    for count, key in enumerate(path):
        if at == len(rule):
            return count, stars
        parts = key.split(".")
        if rule[at] == "*":
            stars.append(key)
            at += 1
        elif rule[at:at + len(parts)] == parts:
            at += len(parts)
        else:
            return None
    return (len(path), stars) if at == len(rule) else None


def columns_renamed(steps: list[list[str]], places: Places) -> None:
    """The columns that a sweep's own file asks for are keys of its rows."""

    def column(word: re.Match[str]) -> str:
        new, _ = places.renamed("ridge.sweep", (word[1],))
        return '"%s"' % ".".join(new) if new else word[0]

    for words in steps:
        if words[0] == "file" and words[2].startswith("scenario"):
            words[2] = "\\n".join(
                re.sub(r'"([\w.]+)"', column, line)
                if line.startswith("columns") else line
                for line in words[2].split("\\n"))


# --- comparing --------------------------------------------------------------


@dataclass
class Finding:
    """What is not as it was."""

    kind: str  # exit, different or missing
    path: str
    old: Any
    new: Any = None
    at: str = ""  # the new path
    why: str = ""  # the reason, where it was expected

    def line(self) -> str:
        moved = f" (now {self.at})" if self.at not in ("", self.path) else ""
        new = "" if self.kind == "missing" else f" -> {shown(self.new)}"
        return f"{self.kind} {self.path}{moved}: {shown(self.old)}{new}"


@dataclass
class Compared:
    """One command, old and new."""

    line: str
    command: str
    new_line: str = ""
    error: str = ""
    numbers: int = 0
    removed: int = 0
    added: int = 0
    findings: list[Finding] = field(default_factory=list)
    words: list[tuple[str, str, str]] = field(default_factory=list)

    def count(self, *kinds: str) -> int:
        return sum(one.kind in kinds and not one.why for one in self.findings)

    def expected(self) -> int:
        return sum(bool(one.why) for one in self.findings)


def shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def is_count(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same(old: Any, new: Any, factor: float) -> bool:
    """Numbers to the tolerance; true, false and null exactly."""
    if is_count(old) and is_count(new):
        return math.isclose(old * factor, new, rel_tol=TOLERANCE)
    return type(old) is type(new) and old == new


def compare_trees(old: Any, new: Any, places: Places, done: Compared) -> None:
    """Every leaf of the old answer against the new one."""
    seen: set[Keys] = set()
    for prefix, schema, part in schemas(old, done.command):
        for path, value in leaves(part):
            to, factor = places.translated(schema, path)
            if to is None:
                done.removed += not isinstance(value, str)
                continue
            found = lookup(new, (*prefix, *to))
            if found:
                seen.add(found[0])
            judge((*prefix, *path), (*prefix, *to), value, found, factor, done)
    done.added = sum(path not in seen and is_count(value)
                     for path, value in leaves(new))


def judge(path: Keys, to: Keys, old: Any, found: tuple[Keys, Any] | None,
          factor: float, done: Compared) -> None:
    """Adds what is to be said of one leaf."""
    name, at = ".".join(path), ".".join(to)
    if isinstance(old, str):
        new = found[1] if found else None
        if old != new:
            done.words.append((name, old, shown(new)))
        return
    done.numbers += 1
    if found is None:
        done.findings.append(Finding("missing", name, old, at=at))
    elif not same(old, found[1], factor):
        done.findings.append(Finding("different", name, old, found[1], at))


def compare_texts(old: str, new: str, done: Compared) -> None:
    """Every number of the old text is in the new one as often."""
    before, after = numbers_in(old), numbers_in(new)
    done.numbers += sum(before.values())
    done.added += sum((after - before).values())
    for number, times in (before - after).items():
        done.findings += [Finding("missing", "text", number)] * times
    if old != new:
        done.words.append(("text", "a text", "another"))


def compare_answers(old: Answer, new: Answer, places: Places,
                    done: Compared) -> None:
    """Exit codes, then what was answered."""
    done.error = new.error
    if old.codes != new.codes:
        done.findings.append(Finding("exit", "exit", old.codes, new.codes))
    texts = [set(one.answer) == {"text"} if isinstance(one.answer, dict)
             else False for one in (old, new)]
    if all(texts):
        compare_texts(old.answer["text"], new.answer["text"], done)
    elif texts[0]:
        compare_texts(old.answer["text"], json.dumps(new.answer), done)
    else:
        compare_trees(old.answer, new.answer, places, done)


def glob(pattern: str) -> re.Pattern[str]:
    """`*` is any text; nothing else is special."""
    return re.compile(".*".join(map(re.escape, pattern.strip().split("*"))),
                      re.S)


@dataclass
class Expected:
    """A line of expected_changes.txt."""

    line: str
    command: re.Pattern[str]
    path: re.Pattern[str]
    reason: str
    used: int = 0


def expected_changes(file: Path) -> list[Expected]:
    out: list[Expected] = []
    for line in lines_of(file) if file.exists() else []:
        parts = line.rsplit("|", 2)
        if len(parts) != 3:
            sys.exit(f"{file}: not `command | path | reason`: {line}")
        out.append(Expected(line, glob(parts[0]), glob(parts[1]),
                            parts[2].strip()))
    return out


def excuse(done: Compared, changes: list[Expected]) -> None:
    """Gives findings that were expected their reason."""
    for change in changes:
        if not change.command.fullmatch(done.line):
            continue
        for one in done.findings:
            if not one.why and change.path.fullmatch(one.path):
                one.why = change.reason
                change.used += 1


# --- the report -------------------------------------------------------------


def command_report(done: Compared, most: int) -> list[str]:
    """What is wrong with one command."""
    bad = [one for one in done.findings if not one.why]
    if not bad:
        return []
    out = [done.line]
    if done.new_line != done.line:
        out.append(f"  now: {done.new_line}")
    out += ["  " + one.line() for one in bad[:most]]
    if len(bad) > most:
        out.append(f"  ... and {len(bad) - most} more")
    if any(one.kind == "exit" for one in bad) and done.error.strip():
        out.append("  says: " + done.error.strip().splitlines()[0])
    return out + [""]


COLUMNS: list[tuple[str, Callable[[Compared], int]]] = [
    ("commands", lambda one: 1),
    ("numbers", lambda one: one.numbers),
    ("different", lambda one: one.count("different")),
    ("missing", lambda one: one.count("missing")),
    ("exit", lambda one: one.count("exit")),
    ("expected", Compared.expected),
    ("removed", lambda one: one.removed),
    ("new", lambda one: one.added),
    ("strings", lambda one: len(one.words)),
]


def summary(all_done: list[Compared]) -> list[str]:
    """A Markdown table by subcommand."""
    groups: dict[str, list[Compared]] = defaultdict(list)
    for one in all_done:
        groups[one.command].append(one)
    rows = [["subcommand", *(name for name, _ in COLUMNS)]]
    for name, group in [*sorted(groups.items()), ("all", all_done)]:
        rows.append([name, *(str(sum(map(count, group)))
                             for _, count in COLUMNS)])
    wide = [max(map(len, column)) for column in zip(*rows)]
    rows.insert(1, ["-" * wide[0], *("-" * (one - 1) + ":"
                                     for one in wide[1:])])
    return ["| " + " | ".join(
        [row[0].ljust(wide[0]),
         *(one.rjust(size) for one, size in zip(row[1:], wide[1:]))]) + " |"
        for row in rows]


def without_indices(path: str) -> str:
    return re.sub(r"(?<![^.])\d+(?![^.])", "*", path)


def most_common(counted: Counter[str], title: str, most: int) -> list[str]:
    """The most frequent of what was counted."""
    if not counted:
        return []
    out = [f"{title} ({len(counted)} kinds):"]
    out += [f"  {times:6} x {what}"
            for what, times in counted.most_common(most)]
    if len(counted) > most:
        out.append(f"  ... and {len(counted) - most} more")
    return out + [""]


def common_findings(all_done: list[Compared], most: int) -> list[str]:
    """Findings by path: a key that was not translated is one line."""
    return most_common(
        Counter(f"{one.kind} {done.command}: {without_indices(one.path)}"
                for done in all_done for one in done.findings if not one.why),
        "not as before, by path", most)


NAME = re.compile(r"\S+|[a-z]+\d+( [a-z]+\d+)*")  # deepseek-v3; dp8 ep8
QUANTITY = re.compile(r"[-$]?\d[\d,.]*( ?\S+)?")  # 80 GB; $2.10/h


def common_words(all_done: list[Compared], most: int) -> list[str]:
    """Strings that differ: names and quantities; sentences are only counted."""
    names: Counter[str] = Counter()
    quantities: Counter[str] = Counter()
    for done in all_done:
        for path, old, new in done.words:
            change = f"{without_indices(path).split('.')[-1]}: {old} -> {new}"
            if QUANTITY.fullmatch(old):
                quantities[change] += 1
            elif NAME.fullmatch(old):
                names[change] += 1
    return [*most_common(quantities, "strings that are quantities, changed "
                         "(no failure)", most),
            *most_common(names, "strings that are names, changed (no failure)",
                         most)]


def report(all_done: list[Compared], changes: list[Expected], seconds: float,
           per_command: int, most: int) -> list[str]:
    """All that is printed."""
    out: list[str] = []
    for one in all_done:
        out += command_report(one, per_command)
    out += common_findings(all_done, most)
    out += common_words(all_done, most)
    out += [f"expected, and did not happen: {one.line}"
            for one in changes if not one.used]
    out += summary(all_done)
    bad = sum(one.count("different", "missing", "exit") for one in all_done)
    failed = sum(bool(one.count("different", "missing", "exit"))
                 for one in all_done)
    kept = sum(map(Compared.expected, all_done))
    gone = sum(one.removed for one in all_done)
    said = (f"{bad} things are not as before, in {failed} commands" if bad
            else "every number is as before")
    if kept or gone:
        said += f"; {kept} changed as expected, {gone} removed on purpose"
    out += ["", f"{len(all_done)} commands in {seconds:.0f} s: {said}"]
    return out


# --- the two calls ----------------------------------------------------------


def lines_of(file: Path) -> list[str]:
    """The lines that are not empty and no comments."""
    lines = map(str.strip, file.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def record(options: argparse.Namespace) -> int:
    """Keeps what a program answers."""
    lines, folder = lines_of(COMMANDS), Path(options.dir)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("[0-9]*.json"):
        old.unlink()

    def one(number: int, line: str) -> float:
        begun = time.monotonic()
        got = run_line(steps_of(line), options.ridge, options.root)
        kept = {"command": line, "codes": got.codes, "answer": got.answer,
                "error": got.error}
        file = folder / f"{number:04}.json"
        file.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
        return time.monotonic() - begun

    begun = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        times = list(pool.map(one, range(1, len(lines) + 1), lines))
    slowest = max(zip(times, lines))
    print(f"{len(lines)} commands in {time.monotonic() - begun:.0f} s into "
          f"{folder}; the slowest took {slowest[0]:.1f} s: {slowest[1]}")
    return 0


def translate(line: str, flags: Flags, places: Places) -> list[list[str]]:
    """The steps of an old line in new words."""
    steps = [flags.step(words) for words in steps_of(line)]
    columns_renamed(steps, places)
    return steps


def compare(options: argparse.Namespace) -> int:
    """Runs recorded commands with another program."""
    table = Path(options.table)
    page = table.read_text() if table.exists() else ""
    flags = Flags(rows_under(page, "Old and new flags"))
    places = Places(rows_under(page, "Old and new keys"))
    changes = expected_changes(EXPECTED)
    wanted = glob(options.only)

    def one(file: Path) -> Compared | None:
        kept = json.loads(file.read_text())
        line = kept.pop("command")
        if not wanted.fullmatch(line):
            return None
        steps = translate(line, flags, places)
        done = Compared(line, subcommand(steps_of(line)[-1]))
        done.new_line = line if steps == steps_of(line) else line_of(steps)
        new = run_line(steps, options.ridge, options.root)
        compare_answers(Answer(**kept), new, places, done)
        excuse(done, changes)
        return done

    begun = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        files = sorted(Path(options.dir).glob("[0-9]*.json"))
        all_done = [done for done in pool.map(one, files) if done]
    if not all_done:
        sys.exit(f"{options.dir}: nothing recorded, or none like --only")
    seconds = time.monotonic() - begun
    print("\n".join(report(all_done, changes, seconds, SHOWN, 25)))
    if options.write:
        full = report(all_done, changes, seconds, 1000, 10000)
        Path(options.write).write_text("\n".join(full) + "\n")
    bad = any(one.count("different", "missing", "exit") for one in all_done)
    return 1 if bad else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    calls = parser.add_subparsers(required=True)
    first = calls.add_parser("record")
    first.add_argument("ridge")
    first.add_argument("dir")
    first.set_defaults(call=record)
    second = calls.add_parser("compare")
    second.add_argument("dir")
    second.add_argument("ridge")
    second.add_argument("--table", default=HOME / "docs" / "json.md")
    second.add_argument("--write", metavar="REPORT")
    second.add_argument("--only", default="*", metavar="GLOB")
    second.set_defaults(call=compare)
    for one in (first, second):
        one.add_argument("--root", default=HOME, type=Path)
    options = parser.parse_args()
    options.ridge = str(Path(options.ridge).resolve())
    return options.call(options)


if __name__ == "__main__":
    sys.exit(main())
