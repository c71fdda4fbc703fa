"""Does every option of every command answer or refuse whatever it is given?

The options are read from the commands' own help, so that a new one is tried the day it is written. Each is added with each of
the values below to an example of its command. Whatever it is: an answer has only numbers, a refusal names the place and the
remedy, nothing takes 10 s or 1 GiB, and no control character reaches the terminal. A part of all tries runs each time;
RIDGE_SOAK=1 runs all, SHARD=1/16 every sixteenth of what would run.
"""

import os
import shlex
import tempfile
import unittest
from pathlib import Path

from help_test import examples, helped, options
from ridge_run import ANSWERED, BAD_INPUT, DOES_NOT_FIT, ENVIRONMENT, RIDGE, ROOT, SANITIZED, WRONG_USAGE, command_names, not_numbers

SOAK = os.environ.get("RIDGE_SOAK") == "1"
SECONDS, MEBIBYTES = 10, 1024
EVERY = 1 if SOAK else 160 if SANITIZED else 12  # of all tries
SHARD, SHARDS = (int(word) for word in os.environ.get("SHARD", "1/1").split("/"))

NUMBERS = ["", " ", "0", "-0", "-1", "0.5", "1e-9", "1e-300", "1e9", "1e30", "1e300", "1e308", "1e309", "nan", "-inf", "inf", "0x10", "1,2", "1e", "+-1", "\u0661\u0662", "\u00bd"]
TEXTS = ["\x1b[2J\x1b]0;owned\x07", "\u202eevil", "\x7f\x08", "=cmd|' /C calc'!A0", "@", "../../../etc/passwd", "a=b=c", "%s%n", "'\"`$(id)", "x" * 5000, "{", "[1", "--json", "-", "/dev/null/x", "\U0001f4a5"]
BYTES = [b"\xff\xfe", b"caf\xe9", b"\x80\x1b"]

# what an example takes minutes for, or would write
SLOW = ("calibrate", "validate", "probe")
SERVES = ("board",)  # until it is ended: tried with a page that is not there
WRITES = ("--out", "--svg", "--save")
BASE = {"demand": "ridge demand deepseek-v3 --on gb200-nvl72 --kv fp8",  # plans no fleet
        "infer": "ridge infer openai/gpt-4o --samples 1k", "plan": "ridge plan llama-3.1-8b --on hgx-h100 --max-chips 4",
        "import": "ridge import models/x.json", "merge": "ridge merge all.csv a.csv b.csv", "claims": "ridge claims C01",
        "probe": "ridge probe --seconds 1"}  # refused before it measures


def tries():
    """(command line as a list) of every try, in an order that spreads commands and values."""
    for command in command_names():
        text = helped(command)
        line = BASE.get(command) or next(line for line in examples(text) if line.startswith(f"ridge {command}"))
        words = [word for word in shlex.split(line)[1:]]
        while any(word in WRITES for word in words):
            place = next(i for i, word in enumerate(words) if word in WRITES)
            del words[place:place + 2]
        if command.split()[0] in SLOW:
            words = [*command.split(), "--evidence", "nowhere"]
        if command in SERVES:
            words = [command, "--page", "nowhere"]
        for flag, kind in options(text):
            if command in SERVES and flag == "--page":
                continue
            if flag in words and flag in ("--evidence",):
                continue
            if kind:
                for value in [*NUMBERS, *TEXTS, *BYTES]:
                    yield [*words, flag, value]
                yield [*words, flag]
            else:
                yield [*words, flag, flag]
        for value in [*NUMBERS, *TEXTS, *BYTES]:
            if command.split()[0] not in (*SLOW, *SERVES):
                yield [*command.split(), value]
            yield [*words, value]


class HostileOptions(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)
        for name in ("examples", "catalog"):
            (self.folder / name).symlink_to(ROOT / name)

    def run_limited(self, words):
        """(code, stdout, stderr, seconds of CPU, MiB)."""
        out, err = self.folder / "out", self.folder / "err"
        with open(out, "wb") as stdout, open(err, "wb") as stderr, open(os.devnull, "rb") as stdin:
            pid = os.posix_spawn(RIDGE, [RIDGE, *words], ENVIRONMENT,
                                 file_actions=[(os.POSIX_SPAWN_DUP2, stdin.fileno(), 0), (os.POSIX_SPAWN_DUP2, stdout.fileno(), 1), (os.POSIX_SPAWN_DUP2, stderr.fileno(), 2)])
            _, status, used = os.wait4(pid, 0)
        return os.waitstatus_to_exitcode(status), out.read_bytes(), err.read_bytes(), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

    def test_every_option_with_every_nasty_value(self):
        os.chdir(self.folder)
        self.addCleanup(os.chdir, ROOT)
        done = 0
        for number, words in enumerate(tries()):
            if number % (EVERY * SHARDS) != EVERY * (SHARD - 1):
                continue
            done += 1
            with self.subTest(" ".join(repr(word)[:60] for word in words)):
                code, out, err, seconds, memory = self.run_limited(words)
                self.assertIn(code, (ANSWERED, WRONG_USAGE, BAD_INPUT, DOES_NOT_FIT, 5), err[-800:])
                self.assertLess(seconds, SECONDS * (10 if SANITIZED else 1))
                if not SANITIZED:
                    self.assertLess(memory, MEBIBYTES)
                for name, text in (("stdout", out), ("stderr", err)):
                    self.assertEqual([c for c in text.decode() if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0 or c == "\u202e"], [], name)
                if code in (WRONG_USAGE, BAD_INPUT):
                    said = err.decode()
                    self.assertRegex(said, r"(?m)^\S.*: \S", "a place and a cause")
                    self.assertRegex(said, r"hint:|see: ridge", "a remedy")
                if code == ANSWERED:
                    self.assertEqual(not_numbers(out.decode()), [])
        self.assertGreater(done, 1 if SANITIZED else 1000 // SHARDS)
        print(f"{done} tries")

    def tearDown(self):
        self.assertFalse((self.folder / "--json").exists(), "an option taken for a file's name")


if __name__ == "__main__":
    unittest.main()
