"""Does every command we print for people to copy work?

Runs the lines that begin with ./ridge or ridge in the ```sh blocks of README.md, HACKING.md and docs/, and every scenario in
examples/. A line that ends in "# exit 4" must exit with 4, all others with 0. Examples of --help: see help_test.py.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, ENVIRONMENT, RIDGE, ROOT, SANITIZED, command_names, ridge

def documents():
    files = [ROOT / "README.md", ROOT / "HACKING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [file for file in files if file.exists()]


def shell_lines(text):
    """The lines of ```sh blocks, those that end in a backslash joined."""
    for block in re.findall(r"^```sh\n(.*?)^```", text, flags=re.M | re.S):
        yield from block.replace("\\\n", " ").splitlines()


def ridge_lines(lines):
    return [line.strip() for line in lines if re.match(r"\s*(\./ridge|ridge)( |$)", line)]


def unclosed_fence(text):
    """The line number of a fence that is never closed, or opened again inside; 0: none."""
    opened = 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("```"):
            continue
        if opened and line.strip() != "```":
            return opened
        opened = 0 if opened else number
    return opened


class Folder:
    """A temporary folder that looks like a checkout to these commands: ./ridge, ridge in the path, examples/, catalog/."""

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        path = Path(self.temporary.name)
        (path / "ridge").symlink_to(RIDGE)
        for name in ("examples", "catalog"):
            (path / name).symlink_to(ROOT / name)
        self.environment = {**ENVIRONMENT, "PATH": f"{path}:{ENVIRONMENT['PATH']}"}
        return self

    def __exit__(self, *unused):
        self.temporary.cleanup()

    def run(self, line):
        return subprocess.run(["sh", "-e", "-c", line], cwd=self.temporary.name, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=900 if SANITIZED else 120)


class Documents(unittest.TestCase):
    """Their commands are run by walks_test.py, which looks at what they print, too."""

    def test_the_documents_show_commands(self):
        self.assertGreaterEqual(len(ridge_lines(shell_lines((ROOT / "docs" / "commands.md").read_text()))), 50)

    def test_every_fence_is_closed(self):
        for file in documents():
            with self.subTest(file.name):
                self.assertEqual(unclosed_fence(file.read_text()), 0, "a block that is never closed hides its commands from these tests")

    def test_every_option_in_a_document_exists(self):
        known = set()
        for command in ("", *command_names()):
            known |= set(re.findall(r"--[a-z-]+", ridge(*command.split(), "--help").out))
        for file in documents():
            for line in ridge_lines(shell_lines(file.read_text())):
                with self.subTest(file.name, line=line):
                    ours = re.sub(r"'[^']*'", "''", line)  # between quotes may be another program's command
                    self.assertLessEqual(set(re.findall(r"(?<=\s)--[a-z-]+", ours)), known)


def validation_rows():
    """docs/validation.md as {(heading, how, row): {"rows", "bias", "mean"}}; coverage_test.py says that it is what `ridge validate` prints."""
    rows, heading = {}, ""
    for line in (ROOT / "docs" / "validation.md").read_text().splitlines():
        if line.startswith("## "):
            heading = line[3:]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 5 and cells[1].isdigit() and ": " in cells[0]:
            how, name = cells[0].split(": ", 1)
            rows[heading, how, name] = {"rows": int(cells[1]), "bias": float(cells[2].split()[0]), "mean": float(cells[3].split()[0])}
    return rows


class Figures(unittest.TestCase):
    """Figures about accuracy that a sentence repeats are those of the page that is computed."""

    def setUp(self):
        self.rows = validation_rows()
        self.readme = " ".join((ROOT / "README.md").read_text().split())
        self.front = " ".join((ROOT / "docs" / "README.md").read_text().split())
        self.theory = " ".join((ROOT / "docs" / "theory" / "serving.md").read_text().split())

    def means(self, heading, how):
        return [row["mean"] for (group, seen, _), row in self.rows.items() if (group, seen) == (heading, how)]

    def says(self, text, pattern, *wanted):
        found = re.search(pattern, text)
        self.assertIsNotNone(found, pattern)
        self.assertEqual([float(number.replace(",", "")) for number in found.groups()], list(wanted), found.group(0))

    def accuracy_table(self):
        """What the README says of accuracy, from the page that is computed."""
        page = (ROOT / "docs" / "validation.md").read_text()
        faster, runs = re.search(r"(\d+) of (\d+) runs are faster than the bound", page).groups()
        noise = re.search(r"differ by themselves: TPOT ([\d.]+) %", page)[1]
        tpot = self.means("TPOT", "in-sample")
        new = {kind: [self.rows["TPOT", f"without its {kind}", which]["mean"] for which in ("dense", "mixture of experts")] for kind in ("model", "chip")}
        # | model | calibrated, 90 % | 696 | 1.0 % | 5.4 % | 6.4 % | 4 | 6.9 % | 3.1 % |
        losses = {by: loss for by, loss in re.findall(r"^\| model \| ([^|]+) \| \d+ \| [^|]+ \| [^|]+ \| ([^|]+) \|", page, flags=re.M)}
        rows = [("TPOT of runs that the fit has seen", f"off by {min(tpot)} to {max(tpot)} %"),
                *((f"TPOT of a {kind} that no fit has seen", f"off by {dense} % (dense), {experts} % (mixture of experts)") for kind, (dense, experts) in new.items()),
                ("TPOT of the same run, measured twice", f"differs by {noise} %"),
                (f"runs faster than the bound, of {int(runs):,}", faster),
                ("choosing for a TPOT target, model never seen: `ridge plan`", f"loses {losses['calibrated, 90 %']}"),
                ("the same by a datasheet roofline", f"loses {losses['datasheet roofline, points']}"),
                ("by a roofline times one fitted factor", f"loses {losses['roofline times one factor, 90 %']}"),
                ("by the nearest measured run", f"loses {losses['nearest measured run, 90 %']}")]
        return "| | |\n|---|---|\n" + "".join(f"| {what} | {figure} |\n" for what, figure in rows)

    def test_how_right_it_is_in_the_readme(self):
        file = ROOT / "README.md"
        begin, end = "GOLDEN_WRITE=1 -->\n", "<!-- end -->"
        head, rest = file.read_text().split(begin)
        said, tail = rest.split(end)
        if os.environ.get("GOLDEN_WRITE") == "1":
            file.write_text(head + begin + self.accuracy_table() + end + tail)
        else:
            self.assertEqual(said, self.accuracy_table())
        runs = re.search(r"of (\d+) runs are faster", (ROOT / "docs" / "validation.md").read_text())[1]
        self.says(self.readme, r"against ([\d,]+) public serving runs", float(runs))

    def test_errors_on_the_front_page(self):
        tpot = self.means("TPOT", "in-sample")
        self.says(self.front, r"TPOT is off by ([\d.]+) to ([\d.]+) % on average", min(tpot), max(tpot))
        kinds = ("dense", "mixture of experts")
        models = [self.rows["TPOT", "without its model", kind]["mean"] for kind in kinds]
        self.says(self.front, r"never seen by ([\d.]+) % \(dense\) or ([\d.]+) % \(mixture of experts\)", *models)
        chips = [self.rows["TPOT", "without its chip", kind]["mean"] for kind in kinds]
        self.says(self.front, r"for a chip by ([\d.]+) % or ([\d.]+) %", *chips)
        page = (ROOT / "docs" / "validation.md").read_text()
        faster, runs = re.search(r"(\d+) of (\d+) runs are faster than the bound", page).groups()
        self.says(self.front, r"of ([\d,]+) public serving runs (\d+) do", float(runs), float(faster))

    def test_errors_in_the_theory(self):
        ttft = self.means("TTFT and prefill", "in-sample")
        self.says(self.theory, r"\*\*TTFT\*\* is off by ([\d.]+) to ([\d.]+) %", min(ttft), max(ttft))
        wide = {name.rsplit(" ep", 1)[0]: row["bias"] for (_, how, name), row in self.rows.items() if how == "never fitted"}
        self.says(self.theory, r"predicted ([\d.]+) % \(decode\) and ([\d.]+) % \(prefill\) too slow",
                  -wide["deepseek-profile decode"], -wide["deepseek-profile prefill"])
        self.says(self.theory, r"decode is predicted ([\d.]+) % too slow and prefill ([\d.]+) % too fast",
                  -wide["deepseek-production decode"], wide["deepseek-production prefill"])


class Numbers(unittest.TestCase):
    """docs/numbers.md is what the catalog holds."""

    def test_the_page_is_fresh(self):
        self.assertEqual((ROOT / "docs" / "numbers.md").read_text(), ridge("validate", "--numbers", "--page").out, "ridge validate --numbers --page > docs/numbers.md")

    def test_every_number_has_a_meaning_a_value_and_what_it_bought(self):
        numbers = ridge("validate", "--numbers", "--json").json()["numbers"]
        self.assertEqual({one["of"] for one in numbers}, {"chip", "kernel", "engine"})
        for one in numbers:
            with self.subTest(one["name"]):
                self.assertTrue(one["meaning"])
                self.assertTrue(one["values"])
                if not one["name"].startswith("fresh_"):  # in bursts alone, which are simulated; docs/theory/simulation.md says what they bought
                    self.assertIn("held", one)


class Examples(unittest.TestCase):
    files = sorted((ROOT / "examples").glob("*.toml"))

    def test_there_are_examples(self):
        self.assertGreaterEqual(len(self.files), 5)

    def test_every_example_answers(self):
        for file in self.files:
            with self.subTest(file.name):
                asks = [["sweep"]] if "[sweep]" in file.read_text() else [["why"], ["fit"], ["curve", "batch"]]
                for command in asks:
                    run = ridge(*command, str(file))
                    self.assertEqual(run.code, ANSWERED, str(run))

    def test_every_example_says_what_to_look_at(self):
        for file in self.files:
            with self.subTest(file.name):
                text = file.read_text()
                comment = [line for line in text.splitlines() if line.startswith("#")]
                self.assertIn(len(comment), (2, 3))
                self.assertIn("Look at", text)
                self.assertRegex(file.name, r"^\d\d-[a-z-]+\.toml$")


class Parsing(unittest.TestCase):
    def test_lines_are_found(self):
        text = "x\n```sh\n$ ls\n./ridge why \\\n  a\nridge\nridges\n# ridge no\n```\n```\nridge not\n```\n"
        self.assertEqual(ridge_lines(shell_lines(text)), ["./ridge why    a", "ridge"])

    def test_a_fence_that_is_never_closed_is_found(self):
        self.assertEqual(unclosed_fence("a\n```sh\nridge\nmore\n\n```sh\nridge\n```\n"), 2)
        self.assertEqual(unclosed_fence("```sh\nridge\n```\n"), 0)


if __name__ == "__main__":
    unittest.main()
