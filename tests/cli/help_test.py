"""Is the help true? Every command's --help holds 80 columns, offers only what the command takes, and its examples run."""

import re
import unittest

from docs_test import Folder
from ridge_run import ANSWERED, BAD_INPUT, DOES_NOT_FIT, ROOT, WRONG_USAGE, command_names, ridge

COLUMNS = 80
SLOW = ("ridge board", "--html", "ridge calibrate", "ridge probe", "ridge validate --leave-one-out", "ridge validate --coverage", "ridge validate --decisions", "--on all", "--samples 10M", "--json --all")  # minutes without optimization

# A word that an option of this type takes, so that only "unknown option" or "is not for" can be said against the flag itself.
VALUES = {"N": "2", "N,N,...": "2", "TOKENS": "1k", "SHARE": "0.5", "TIME": "1 s", "TIMES": "5min", "X": "2", "FORMAT": "fp8", "FORMATS": "fp8", "MACHINE": "hgx-h100",
          "MACHINES": "hgx-h100", "PRICE": "$2/h", "MONEY": "$10", "POWER": "1 kW", "KEY=VALUE": "batch=2", "KEY=LOW..HIGH": "batch=1..2", "TYPE=KIND": "x=llama", "I/N": "1/2"}


def helped(command):
    run = ridge(*command.split(), "--help")
    assert run.code == ANSWERED, run
    return run.out


def options(text):
    """(flag, type) of every option; a switch has no type."""
    return re.findall(r"^  (--[a-z-]+)(?: (\S+))?", text.partition("\nExamples:")[0], flags=re.M)


def examples(text):
    """What stands indented under "Examples:", lines that end in a backslash joined."""
    block = text.partition("\nExamples:\n")[2].partition("\n\n")[0]
    return [line.strip() for line in re.sub(r" \\\n\s+", " ", block).splitlines()]


class Help(unittest.TestCase):
    def test_every_command_is_listed_once_by_what_people_want(self):
        names = command_names()
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 25)
        self.assertLessEqual(len(helped("").splitlines()), 66)

    def test_the_help_lists_together_what_shares_a_room(self):
        rooms = {file.stem: file.parent.name for file in (ROOT / "apps" / "cli" / "commands").glob("*/*.cpp")}
        blocks = [re.findall(r"^  ([a-z]+(?:[ -][a-z]+)*)  +\S", block, flags=re.M) for block in helped("").partition("\nExamples:")[0].split("\n\n")]
        shared = [{rooms[re.sub("[ -]", "_", name)] for name in names} for names in blocks if names]
        self.assertEqual([len(each) for each in shared], [1] * len(set(rooms.values())), shared)

    def test_every_help_holds_80_columns(self):
        for command in ("", *command_names()):
            with self.subTest(command):
                self.assertEqual([line for line in helped(command).splitlines() if len(line) > COLUMNS], [])

    def test_every_command_says_how_it_answers(self):
        for command in command_names():
            with self.subTest(command):
                self.assertIn("--json", [flag for flag, _ in options(helped(command))])

    def test_every_example_in_the_help_runs(self):
        for command in ("", *command_names()):
            lines = examples(helped(command))
            self.assertGreater(len(lines), 0, f"ridge {command} --help has no examples")
            with Folder() as folder:
                for line in lines:
                    if any(word in line for word in SLOW):
                        continue
                    with self.subTest(command, line=line):
                        self.assertRegex(line, r"^ridge( |$)")
                        done = folder.run(line)
                        self.assertIn(done.returncode, (ANSWERED, DOES_NOT_FIT), f"{line}\n{done.stdout[-1000:]}\n{done.stderr}")

    def test_no_option_is_offered_and_refused(self):
        """Each alone, beside what the command needs: a wrong value is explained, but nobody says that the option is not for this."""
        on = ["gpt-oss-20b", "--on", "hgx-h100"]
        needed = {"why": on, "fit": on, "curve": ["batch", *on], "plan": [*on, "--max-chips", "2"], "host": on, "price": on,
                  "layout": ["gpt-oss-20b", "hgx-h100"], "context": ["gpt-oss-20b"]}
        for command, words in needed.items():
            for flag, kind in options(helped(command)):
                if flag in words or kind in ("FILE", "FILE...", "DIR", "COMMAND") or flag in ("--json", "--prefill-layout", "--expert-law"):
                    continue
                with self.subTest(command, flag=flag):
                    run = ridge(command, *words, flag, *([VALUES.get(kind, "x")] if kind else []))
                    self.assertNotEqual(run.code, WRONG_USAGE, str(run))
                    self.assertNotRegex(run.err, r"is not (for|read)|is what|leave it out", str(run))

    def test_old_flags_are_refused_with_the_new_ones(self):
        for command, old, new in (("why", "--guesses", "--speculative-tokens"), ("fit", "--chunk", "--token-budget"), ("plan", "--pools", "--aggregated"),
                                  ("curve", "--from", "--min"), ("context", "--to", "--max"), ("cost", "--memory-share", "--memory-cost-share"),
                                  ("lifecycle", "--per-token", "--experts-per-token"), ("layout", "--redundant", "--redundant-experts")):
            with self.subTest(command, old=old):
                run = ridge(command, "x", old, "1")
                self.assertEqual(run.code, WRONG_USAGE)
                self.assertIn(f"{old} is now {new}" if old != "--pools" else "--aggregated", run.err)

    def test_what_a_command_cannot_take_is_explained(self):
        for words, says in ((("plan", "x", "--concurrency", "4"), "finds out the load"), (("price", "x", "--cached", "1"), "apart"),
                            (("cost", "--on", "hgx-h100"), "ridge cost hgx-h100"), (("import", "config.json"), "usage: ridge import WHAT FILE")):
            with self.subTest(words):
                run = ridge(*words)
                self.assertEqual(run.code, WRONG_USAGE)
                self.assertIn(says, run.err)


class Words(unittest.TestCase):
    def test_fields_of_the_core_are_shown_as_flags(self):
        for words, flag in ((["why", "llama-3.1-8b", "--on", "hgx-h100", "--tp", "3"], "--tp:"), (["why", "llama-3.1-8b"], "--on:"), (["lifecycle", "--on", "x"], "--on:"),
                            (["why", "llama-3.1-8b", "--on", "hgx-h100", "--tp", "x"], "--tp:"), (["curve", "batch", "--min", "9", "--max", "3"], "--min:")):
            with self.subTest(words):
                run = ridge(*words)
                self.assertEqual(run.code, BAD_INPUT, str(run))
                self.assertIn(flag, run.err)
                self.assertEqual(ridge(*words, "--json").json()["errors"][0]["where"], flag.rstrip(":"))

    def test_a_format_that_nobody_knows_is_named_by_its_flag_once(self):
        for flag in ("--weights", "--kv", "--experts"):
            for more in ([], ["--tp", "4"]):
                run = ridge("why", "deepseek-v3", "--on", "hgx-h200", flag, "fp7x", *more)
                self.assertEqual(run.code, BAD_INPUT, str(run))
                self.assertEqual([line.split(":")[0] for line in run.err.splitlines() if not line.startswith(" ")], [flag], str(run))

    def test_a_file_of_prices_is_asked_for_by_its_flag(self):
        self.assertIn("name it with --sheet mine.toml", ridge("infer", "mine.toml").err)

    def test_no_mark_of_a_field_reaches_anybody(self):
        for words in (["why", "llama-3.1-405b", "--on", "hgx-h100"], ["fit", "llama-3.1-405b", "--on", "hgx-h100", "--tp", "2"], ["plan", "deepseek-v3", "--on", "hgx-a100", "--tpot", "5ms"],
                      ["infer", "openai/gpt-4o", "--fast-speed", "2", "--samples", "2k"], ["tier"]):
            for more in ([], ["--json"]):
                with self.subTest(words):
                    run = ridge(*words, *more)
                    self.assertNotRegex(run.out + run.err, "[\x01\x02\x03]|\\\\u000[123]")

    def test_counts_take_k_m_b_and_t(self):
        def params(text):
            return ridge("lifecycle", "--params", text, "--json").json()["case"]["inputs"]["params"]["value"]
        for text in ("70B", "70 B", "70G", "70 Gparam", "0.07T", "70000M", "70B params"):
            with self.subTest(text):
                self.assertAlmostEqual(params(text) / 70e9, 1, places=12)
        self.assertEqual(ridge("lifecycle", "--tokens", "15T", "--json").code, ANSWERED)
        self.assertEqual(ridge("why", "llama-3.1-70b", "--on", "hgx-h100", "--context", "128k", "--batch", "1").code, ANSWERED)
        self.assertEqual(ridge("lifecycle", "--params", "70 GB").code, BAD_INPUT)  # bytes need their unit, and are no parameters


if __name__ == "__main__":
    unittest.main()
