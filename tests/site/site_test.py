"""Are the documents a site: every page reached, every link alive, formulas drawn, the board inside? mkdocs itself is run where it is installed."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from ridge_run import RIDGE, ROOT, command_names, ridge

sys.path.insert(0, str(ROOT / "tools"))
import make_docs
import typeset


class Formulas(unittest.TestCase):
    def mathml(self, text):
        return re.sub(r"</?math>|<mspace[^>]*></mspace>|</?mrow>", "", typeset.mathml(text))

    def test_what_is_written_is_drawn(self):
        for text, drawn in (
                ("t_step = max(a, b)", "<msub><mi>t</mi><mi>step</mi></msub><mo>=</mo><mi>max</mi><mo>(</mo><mi>a</mi><mo>,</mo><mi>b</mi><mo>)</mo>"),
                ("x = a·S / C_a", "<mi>x</mi><mo>=</mo><mfrac><mi>a</mi><mo>·</mo><mi>S</mi><msub><mi>C</mi><mi>a</mi></msub></mfrac>"),
                ("y = (1 - k/E)^B", "<mi>y</mi><mo>=</mo><msup><mo>(</mo><mn>1</mn><mo>−</mo><mfrac><mi>k</mi><mi>E</mi></mfrac><mo>)</mo><mi>B</mi></msup>"),
                ("y = weights_all / (n·W)", "<mi>y</mi><mo>=</mo><mfrac><mi>weights_all</mi><mi>n</mi><mo>·</mo><mi>W</mi></mfrac>"),
                ("z = x + √(a + b)", "<mi>z</mi><mo>=</mo><mi>x</mi><mo>+</mo><msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>"),
                ("v <= b K / P", "<mi>v</mi><mo>≤</mo><mfrac><mi>b</mi><mi>K</mi><mi>P</mi></mfrac>")):
            with self.subTest(text):
                self.assertEqual(self.mathml(text), drawn)

    def test_prose_is_not_guessed_at(self):
        for text in ("strict = the same, with all tokens", "calibrated = Σ time of each operation", 'input = "$2/Mtok"', "a token of input", "answer = rl.why(\"x\")", "steps = 1 where b - 1 <= r"):
            with self.subTest(text), self.assertRaises(typeset.NoFormula):
                typeset.mathml(text)

    def test_no_symbol_is_lost_and_the_theory_is_drawn(self):
        drawn = 0
        for file in sorted((ROOT / "docs" / "theory").glob("*.md")):
            for block in typeset.BLOCK.finditer(file.read_text()):
                for line in typeset.logical_lines(block[1]):
                    page, found = typeset.typeset_line(line)
                    drawn += found
                    with self.subTest(file.name, line=line):
                        words = re.sub(r"\W|_", "", line.replace("alpha", "α").replace("beta", "β").replace("Σ", ""))
                        shown = re.sub(r"\W|_", "", "".join(xml.fromstring(page).itertext()).replace("∑", "").replace("Σ", ""))
                        self.assertEqual("".join(sorted(shown)), "".join(sorted(re.sub("[²³⁴]", lambda power: typeset.POWERS[power[0]], words))))
        self.assertGreaterEqual(drawn, 85)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        # a board's place beside the program; its page is tested in tests/web
        (cls.folder / "bin").mkdir()
        (cls.folder / "bin" / "ridge").write_text(f'#!/bin/sh\nexec {RIDGE} "$@"\n')
        (cls.folder / "bin" / "ridge").chmod(0o755)
        (cls.folder / "bin" / "board.html").write_text("<!doctype html><title>board</title>")
        cls.pages = cls.folder / "pages"
        make_docs.write_pages(str(cls.folder / "bin" / "ridge"), cls.pages)

    def test_every_link_leads_to_a_page(self):
        links = 0
        for file in self.pages.rglob("*.md"):
            text = re.sub(r"^```.*?^```", "", file.read_text(), flags=re.M | re.S)
            for target in [*re.findall(r"\]\(([^)\s]+)\)", text), *re.findall(r'(?:src|href)="([^"#]+)"', text)]:
                if re.match(r"[a-z]+:|#", target):
                    continue
                links += 1
                with self.subTest(str(file.relative_to(self.pages)), target=target):
                    self.assertTrue((file.parent / target.partition("#")[0]).exists())
        self.assertGreater(links, 300)

    def test_every_document_is_in_the_navigation(self):
        nav = make_docs.navigation(self.pages)
        for file in (ROOT / "docs").rglob("*.md"):
            name = str(file.relative_to(ROOT / "docs"))
            with self.subTest(name):
                self.assertIn(f": {'index.md' if name == 'README.md' else name}\n", nav)

    def test_catalog_commands_schemas_and_board_are_there(self):
        for kind, listed in (("model", "models"), ("chip", "chips"), ("machine", "machines")):
            rows = ridge("list", listed, "--json").json()["rows"]
            self.assertEqual({row["name"] for row in rows}, {path.stem for path in (self.pages / "catalog" / kind).glob("*.md")})
        self.assertIn("datasheet", (self.pages / "catalog" / "chip" / "h100-sxm.md").read_text())
        self.assertEqual({name.replace(" ", "-") for name in command_names()} | {"index"}, {path.stem for path in (self.pages / "command").glob("*.md")})
        self.assertGreaterEqual(len(set(re.findall(r"^## (ridge\.\w+/\d)$", (self.pages / "schemas.md").read_text(), flags=re.M))), 28)
        self.assertIn('<iframe class="board" src="the-board.html"', (self.pages / "board.md").read_text())
        self.assertIn("<math>", (self.pages / "theory" / "decode.md").read_text())

    @unittest.skipIf(shutil.which("mkdocs") is None, "no mkdocs (Debian: mkdocs-material): the pages above were looked at all the same")
    def test_mkdocs_builds_it_and_finds_nothing_to_warn_of(self):
        site = self.folder / "site"
        done = subprocess.run([sys.executable, ROOT / "tools" / "make_docs.py", self.folder / "bin" / "ridge", site], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((site / "search" / "search_index.json").is_file())
        self.assertTrue((site / "the-board.html").is_file())


if __name__ == "__main__":
    unittest.main()
