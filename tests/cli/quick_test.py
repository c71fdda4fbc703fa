"""Does ./test --quick build what its tests need? In a fresh clone nothing else is there."""

import json
import re
import subprocess
import unittest
from pathlib import Path

from ridge_run import BUILD

LEFT_OUT = {"slow", "soak", "browser"}  # as ./test says


def labels(test):
    return {label for one in test.get("properties", []) if one["name"] == "LABELS" for label in one["value"]}


def files_of(test):
    """Files of the build that a test names: its program, its environment, and what its script has below BUILD. Objects are parts of the program."""
    words = [*test.get("command", []), *(text.partition("=")[2] for one in test.get("properties", []) if one["name"] == "ENVIRONMENT" for text in one["value"])]
    found = {str(Path(word).relative_to(BUILD)) for word in words if word.startswith(f"{BUILD}/") and not word.endswith(".o")}
    for word in words:
        if word.endswith(".py") and word != __file__:
            found |= set(re.findall(r'BUILD / "([\w.-]+)"', Path(word).read_text()))
    return found


class Quick(unittest.TestCase):
    def test_what_its_tests_need_is_built(self):
        tests = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=BUILD, capture_output=True, text=True, check=True).stdout)["tests"]
        rules = re.findall(r"^build tests/(?:CMakeFiles/)?ridge_quick\b.*$", (BUILD / "build.ninja").read_text(), flags=re.M)
        built = {Path(word).name for rule in rules for word in rule.split()}
        quick = [test for test in tests if not labels(test) & LEFT_OUT]
        self.assertGreater(len(quick), 30)
        self.assertLess(len(quick), len(tests))
        for test in quick:
            with self.subTest(test["name"]):
                self.assertEqual({Path(file).name for file in files_of(test)} - built, set(), "make it part of ridge_quick, or label the test")


if __name__ == "__main__":
    unittest.main()
