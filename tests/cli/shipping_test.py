"""What a stranger meets first: version, lecture, completions, manual pages, reports without secrets, the catalog's upkeep."""

import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, BAD_INPUT, ENVIRONMENT, RIDGE, ROOT, command_names, ridge


class Version(unittest.TestCase):
    def test_it_says_how_old_the_catalog_is(self):
        newest = max(re.findall(r'^date\s*=\s*"([\d-]+)"', (ROOT / "catalog" / "sources.toml").read_text(), flags=re.M))
        self.assertRegex(ridge("--version").out, rf"^ridge \d+\.\d+\.\d+, catalog of {newest}\n$")


class Lecture(unittest.TestCase):
    def setUp(self):
        self.steps = ridge("lecture", "--json").json()["steps"]

    def test_every_step_is_two_sentences_and_a_command_that_answers(self):
        self.assertGreaterEqual(len(self.steps), 12)
        for number, step in enumerate(self.steps, 1):
            with self.subTest(step["name"]):
                self.assertEqual(len(re.findall(r"[.](?:\s|$)", step["text"])), 2, step["text"])
                run = ridge("lecture", str(number))
                self.assertEqual(run.code, ANSWERED, str(run))
                self.assertIn(f"$ {step['command']}\n", run.out)
                own = subprocess.run(["sh", "-c", step["command"].replace("ridge", RIDGE, 1)], env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout
                self.assertIn(own, run.out, "a step shows what its command prints")

    def test_the_steps_follow_the_recording(self):
        times = [step["at"] for step in self.steps if step["at"]]
        self.assertEqual(times, sorted(times))

    def test_a_step_too_far_is_refused(self):
        run = ridge("lecture", "999")
        self.assertEqual(run.code, BAD_INPUT)
        self.assertIn("STEP", run.err)


class Completions(unittest.TestCase):
    def bash(self, line):
        """What bash offers for the last word of a line."""
        words = line.split(" ")
        script = (f"source <({RIDGE} completions bash); COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}; _ridge; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        environment = {**ENVIRONMENT, "PATH": f"{Path(RIDGE).parent}:{ENVIRONMENT['PATH']}"}
        return subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True).stdout.split()

    def test_bash_offers_commands_flags_and_names(self):
        self.assertEqual(self.bash("ridge wh"), ["why"])
        self.assertIn("--concurrency", self.bash("ridge why --conc"))
        self.assertEqual(self.bash("ridge why x --on hgx-b2"), ["hgx-b200"])
        self.assertIn("deepseek-v3", self.bash("ridge why deepseek"))
        self.assertEqual(self.bash("ridge why x --isl "), [])
        self.assertIn("history", self.bash("ridge price hist"))

    def test_every_command_is_in_every_script(self):
        for shell in ("bash", "zsh", "fish"):
            text = ridge("completions", shell).out
            for name in command_names():
                with self.subTest(shell, command=name):
                    self.assertRegex(text, rf"\b{re.escape(name.split()[-1])}\b")

    def test_the_shells_read_their_scripts(self):
        for shell, check in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
            if shutil.which(shell) is None:
                continue
            with self.subTest(shell), tempfile.NamedTemporaryFile("w", suffix=shell) as file:
                file.write(ridge("completions", shell).out)
                file.flush()
                done = subprocess.run([*check, file.name], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_unknown_shell_is_refused_with_the_nearest(self):
        run = ridge("completions", "bsh")
        self.assertEqual(run.code, BAD_INPUT)
        self.assertIn("bash", run.err)


class Manual(unittest.TestCase):
    def test_there_is_a_page_for_every_command(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(ridge("man", "--out", folder).code, ANSWERED)
            pages = {path.name for path in Path(folder).iterdir()}
        self.assertEqual(pages, {"ridge.1", *(f"ridge-{name.replace(' ', '-')}.1" for name in command_names())})

    @unittest.skipIf(shutil.which("groff") is None, "no groff")
    def test_groff_has_nothing_to_complain_of(self):
        for name in ("", *command_names()):
            with self.subTest(name):
                page = ridge("man", *name.split()).out
                done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True, text=True, check=False)
                self.assertEqual(done.stderr, "")

    def test_a_page_has_every_option(self):
        page = ridge("man", "why").out.replace("\\-", "-")
        for flag in re.findall(r"^  (--[a-z-]+)", ridge("why", "--help").out, flags=re.M):
            self.assertIn(flag, page)


class Reports(unittest.TestCase):
    SECRETS = ("bob", "acme-internal", "10.0.0.7", "sk-12345", "us-east")

    def test_nothing_private_leaves(self):
        result = json.loads((ROOT / "examples" / "09-your-results" / "sweep.jsonl").read_text().splitlines()[0])
        result |= {"label": "acme-internal", "base_url": "http://10.0.0.7:8000", "api_key": "sk-12345", "tokenizer_id": "/home/bob/models/x", "generated_texts": ["bob said"]}
        with tempfile.TemporaryDirectory(prefix="bob") as folder:
            file = Path(folder) / "acme-internal.json"
            file.write_text(json.dumps(result))
            command = "vllm serve meta-llama/Llama-3.1-8B-Instruct -tp 1 --host 10.0.0.7 --api-key sk-12345 --served-model-name us-east-bob --frobnicate bob"
            for more in ([], ["--json"]):
                run = ridge("report-bad-prediction", str(file), "--on", "mi300x", "--from", command, *more)
                self.assertEqual(run.code, ANSWERED, str(run))
                for secret in self.SECRETS:
                    with self.subTest(secret, more=more):
                        self.assertNotIn(secret, run.out)
            report = run.json()
        self.assertIn("--frobnicate", report["unread_flags"])
        self.assertEqual(report["runs"][0]["model"], "llama-3.1-8b")

    def test_a_model_of_ones_own_is_sent_without_its_name(self):
        with tempfile.TemporaryDirectory(prefix="bob") as folder:
            shutil.copy(ROOT / "examples" / "06-your-model" / "config.json", folder)
            run = ridge("report-bad-prediction", str(ROOT / "examples" / "09-your-results" / "sweep.jsonl"), "--on", "hgx-h100", "--tp", "4", "--model", folder)
            self.assertEqual(run.code, ANSWERED, str(run))
            self.assertNotIn("bob", run.out)

    def test_the_line_asks_for_the_same_prediction(self):
        report = ridge("report-bad-prediction", str(ROOT / "examples" / "09-your-results" / "sweep.jsonl"), "--on", "mi300x", "--tp", "1", "--json").json()
        for one in report["runs"]:
            tpot = next(figure for figure in one["figures"] if figure["figure"] == "tpot")
            again = subprocess.run(["sh", "-c", one["line"].replace("ridge", RIDGE, 1) + " --json"], env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout
            self.assertAlmostEqual(json.loads(again)["tpot"] / tpot["predicted"], 1, places=9)


class Upkeep(unittest.TestCase):
    def test_old_prices_are_listed_machines_first_and_the_oldest_first(self):
        rows = ridge("list", "stale", "--json").json()["rows"]
        order = [(row["price"] == "sheet", -int(row["days"])) for row in rows]
        self.assertGreater(len(rows), 0)
        self.assertEqual(order, sorted(order))
        self.assertFalse(order[0][0], "a machine's price is where one begins")
        self.assertGreater(min(int(row["days"]) for row in rows), 180)

    def test_what_is_assumed_is_listed(self):
        rows = ridge("list", "unsourced", "--json").json()["rows"]
        self.assertIn("ridge-assumption-capex", {row["source"] for row in rows})


class Workflow(unittest.TestCase):
    """The steps of .github/workflows/test.yml as a script: those that only look are run, the long ones are asked whether they would begin."""

    def setUp(self):
        self.steps = re.findall(r"^ +- run: (.+)$", (ROOT / ".github" / "workflows" / "test.yml").read_text(), flags=re.M)

    def test_every_step_is_shell_and_the_packages_come_first(self):
        self.assertEqual(len(self.steps), 4)
        for step in self.steps:
            subprocess.run(["bash", "-n", "-c", step], check=True)
        self.assertIn("git", self.steps[0], "without git there is no list of tracked files, which tests look at")
        with tempfile.TemporaryDirectory() as home:
            subprocess.run(["bash", "-c", self.steps[1]], cwd=ROOT, env={**ENVIRONMENT, "HOME": home}, check=True)
            self.assertIn(f"directory = {ROOT}", (Path(home) / ".gitconfig").read_text())

    def test_a_push_is_tested_quickly_and_a_night_completely(self):
        self.assertEqual(self.steps[2:], [".ci/run --quick", ".ci/run"])
        # ./test knows its words before it does anything: one that it does not know ends it
        done = subprocess.run(["bash", "-c", self.steps[3] + " --no-such-word"], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "usage: ./test [--quick]\n"))


if __name__ == "__main__":
    unittest.main()
