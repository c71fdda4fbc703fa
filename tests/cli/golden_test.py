"""Did any printed answer change?

Each file of tests/golden says in its first line what was asked, "$ ridge why deepseek-v3 ...", quoted as for a shell. What is
below is compared byte for byte with what the program prints. Two more lines may stand between them:

    # exit 4            it ends with this exit code, and not with 0
    # file chart.svg    what is compared is this file that it writes, and not its standard output

To add one: a file that has only such lines. To write what it prints, or to accept a change that was meant:

    GOLDEN_WRITE=1 RIDGE=build/release/ridge python3 tests/cli/golden_test.py && git diff tests/golden

Review the diff line by line and say in the commit which numbers moved and why. Never bless blindly: a golden file that
nobody read checks nothing.
"""

import difflib
import os
import re
import shlex
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

from ridge_run import ANSWERED, ROOT, not_numbers, ridge

FOLDER = ROOT / "tests" / "golden"
WRITE = os.environ.get("GOLDEN_WRITE") == "1"

MOE = ["deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8"]
DENSE = ["llama-3.1-70b", "--on", "hgx-h100", "--chips", "4", "--batch", "64", "--context", "4k"]


@dataclass
class Golden:
    name: str
    header: str
    arguments: list
    code: int  # of the exit
    file: str  # that is written and compared; empty: standard output is
    wanted: bytes

    def answer(self):
        """The run, and what is compared of it."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "examples").symlink_to(ROOT / "examples")  # what is asked about may lie there
            run = ridge(*self.arguments, cwd=folder)
            written = Path(folder) / self.file
            return run, written.read_bytes() if self.file and written.exists() else run.raw


def words_of(command):
    """The words as a shell reads them; None while a quote is open."""
    try:
        return shlex.split(command)
    except ValueError:
        return None


def read_golden(name, content):
    header, newline, rest = content.partition(b"\n")
    while words_of(header.decode()) is None and rest:  # a quoted text goes on in the next line
        line, newline, rest = rest.partition(b"\n")
        header += b"\n" + line
    words = words_of(header.decode())
    if not words or words[:2] != ["$", "ridge"]:
        raise ValueError(f"tests/golden/{name}.txt does not begin with $ ridge ...")
    header += b"\n"
    said = {"exit": str(ANSWERED), "file": ""}
    while match := re.match(rb"# (exit|file) (\S+)(\n|$)", rest):
        said[match[1].decode()] = match[2].decode()
        header += match[0].rstrip(b"\n") + b"\n"
        rest = rest[match.end():]
    return Golden(name, header.decode(), words[2:], int(said["exit"]), said["file"], rest)


def goldens():
    return [read_golden(path.stem, path.read_bytes()) for path in sorted(FOLDER.glob("*.txt"))]


class Answers(unittest.TestCase):
    maxDiff = None

    def test_every_printed_answer_is_as_reviewed(self):
        for golden in goldens():
            with self.subTest(golden.name):
                run, text = golden.answer()
                self.assertEqual(run.code, golden.code, str(run))
                if WRITE:
                    (FOLDER / f"{golden.name}.txt").write_bytes(golden.header.encode() + text)
                elif text != golden.wanted:
                    self.fail("\n" + "\n".join(difflib.unified_diff(golden.wanted.decode().splitlines(), text.decode(errors="replace").splitlines(),
                                                                    f"tests/golden/{golden.name}.txt", run.command, lineterm="")))

    def test_an_answer_is_the_same_twice(self):
        for golden in goldens():
            if golden.name in ("bare", "why_dense", "why_does_not_fit", "curve_svg_step"):
                with self.subTest(golden.name):
                    self.assertEqual(golden.answer()[1], golden.answer()[1])

    def test_every_list_has_its_golden_file(self):
        names = [row["name"] for row in ridge("list", "--json").json()["rows"]]
        self.assertGreater(len(names), 10)
        for name in names:
            with self.subTest(name):
                self.assertTrue((FOLDER / f"list_{name}.txt").exists())

    def test_no_printed_answer_holds_nan_or_inf(self):
        for golden in goldens():
            with self.subTest(golden.name):
                self.assertEqual(not_numbers(golden.wanted.decode()), [])

    def test_plain_answers_are_ascii(self):
        for arguments in (["why", *MOE], ["why", *DENSE, "--derive", "cost"], ["curve", "batch", *MOE], ["why", *MOE, "--sensitivity"], ["show", "deepseek-v3"],
                          ["lifecycle"], ["lifecycle", "--derive", "best_params", "--depth", "0"], ["activations", "llama-3-70b"], ["curve", "sparsity", *MOE],
                          ["tier"], ["context"], ["demand", *MOE],
                          ["cost", "hgx-h100"], ["day"], ["price", "history", "deepseek"], ["host", "llama-3.1-8b", "--on", "hgx-h100"]):
            with self.subTest(arguments[0]):
                text = ridge(*arguments, "--plain").raw
                self.assertTrue(text.isascii(), [line for line in text.splitlines() if not line.isascii()])
                self.assertNotIn(b"\x1b", text)

    def test_what_is_not_a_terminal_gets_no_colors(self):
        environment = {"LANG": "C.UTF-8", "TERM": "xterm-256color"}
        self.assertNotIn(b"\x1b", ridge("why", *MOE, env=environment).raw)


class Headers(unittest.TestCase):
    def test_a_file_says_how_it_is_made(self):
        plain = read_golden("x", b"$ ridge list\nname\n# not a header\n")
        self.assertEqual((plain.arguments, plain.code, plain.file, plain.wanted), (["list"], 0, "", b"name\n# not a header\n"))
        long = read_golden("x", b"$ ridge fit --from 'a \\\n  --tp 8' --on b\n# exit 4\n# file c.svg\n<svg>\n")
        self.assertEqual((long.arguments, long.code, long.file, long.wanted), (["fit", "--from", "a \\\n  --tp 8", "--on", "b"], 4, "c.svg", b"<svg>\n"))
        self.assertEqual(long.header, "$ ridge fit --from 'a \\\n  --tp 8' --on b\n# exit 4\n# file c.svg\n")
        new = read_golden("x", b"$ ridge\n# exit 4")
        self.assertEqual((new.header, new.arguments, new.wanted), ("$ ridge\n# exit 4\n", [], b""))

    def test_a_file_without_its_command_is_refused(self):
        for content in (b"", b"name\n", b"$ ls\n", b"$ ridge 'open\n"):
            with self.subTest(content), self.assertRaises(ValueError):
                read_golden("x", content)


if __name__ == "__main__":
    unittest.main()
