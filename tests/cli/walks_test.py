"""Do the walks still show what the program prints, and are the pictures those it draws?

A ```console block of README.md, docs/ and examples/ holds commands ($ ridge ...), each with the first lines of its output; a
line of three dots says that more follows. Every ```sh line of the documents has its first lines in tests/golden/documents.first. Every
picture of docs/pictures and examples/questions is drawn again by the line above it. GOLDEN_WRITE=1 writes all of them: review the diff.
"""

import os
import re
import unittest
from pathlib import Path

from docs_test import Folder, documents, ridge_lines, shell_lines
from ridge_run import ROOT, ridge

WRITE = os.environ.get("GOLDEN_WRITE") == "1"
FIRST_LINES = ROOT / "tests" / "golden" / "documents.first"
KEPT = 3  # lines of the output of each command
NOT_THE_SAME = ("ridge probe",)  # measures this machine

CONSOLE = re.compile(r"^```console\n(.*?)^```\n", flags=re.M | re.S)
PICTURE = re.compile(r"^!\[[^\]]*\]\((?P<path>[^)]*\.svg)\)", flags=re.M)
DRAWN = re.compile(r"^(?:\$ )?(?P<line>ridge .*--svg (?P<name>[\w.-]+\.svg).*)$", flags=re.M)


def walks():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]


def steps(block):
    """(command, lines shown, whether more follows) of a console block; a line that ends in a backslash goes on."""
    found = []
    lines = iter(block.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command = command[:-1] + next(lines).strip()
            found.append([command, [], False, line])
        elif line == "...":
            found[-1][2] = True
        else:
            found[-1][1].append(line)
    return found


def shown(command, kept, output):
    """The text of a step: the command as it was typed, the first lines of what it printed, three at least."""
    kept = max(kept, KEPT)
    first = output.splitlines()[:kept]
    more = len(output.splitlines()) > kept
    return "\n".join([command, *(line.rstrip() for line in first), *(["..."] if more else [])])


class Walks(unittest.TestCase):
    maxDiff = None

    def renewed(self, file):
        """The file with every console block as the program prints it today."""
        with Folder() as folder:
            def block(match):
                out = []
                typed = re.split(r"^(?=\$ )", match[1], flags=re.M)[1:]
                for text, (command, lines, _, _) in zip(typed, steps(match[1])):
                    done = folder.run(command)
                    self.assertIn(done.returncode, (0, 4), f"{file.name}: {command}\n{done.stderr}")
                    head = text[:re.search(r"(?<!\\)\n", text).end() - 1]
                    out.append(shown(head, len(lines), done.stdout))
                return "```console\n" + "\n".join(out) + "\n```\n"
            return CONSOLE.sub(block, file.read_text())

    def test_every_walk_shows_what_the_program_prints(self):
        seen = 0
        for file in walks():
            text = file.read_text()
            if "```console" not in text:
                continue
            seen += 1
            with self.subTest(str(file.relative_to(ROOT))):
                renewed = self.renewed(file)
                if WRITE:
                    file.write_text(renewed)
                else:
                    self.assertEqual(text, renewed)
        self.assertGreater(seen, 6)

    def test_every_role_of_the_first_screen_has_a_walk_that_begins_with_its_line(self):
        screen = ridge().out
        roles = re.findall(r"^  (\w+(?: \w+)?) {2,}(ridge .*)$", screen.partition("What to type next")[2], flags=re.M)
        self.assertEqual(len(roles), 6)
        front = (ROOT / "docs" / "README.md").read_text()
        for role, line in roles:
            with self.subTest(role):
                name = role.replace(" ", "-") + ".md"
                self.assertIn(f"roles/{name}", front)
                self.assertIn(f"$ {line}\n", (ROOT / "docs" / "roles" / name).read_text())

    def test_a_first_screen_is_a_screen(self):
        self.assertLess(len(ridge().out.splitlines()), 25)
        self.assertLess(len((ROOT / "README.md").read_text().splitlines()), 150)


class FirstLines(unittest.TestCase):
    """Of every other command in the documents."""
    maxDiff = None

    def test_every_command_in_the_documents_prints_what_it_did(self):
        out = []
        for file in documents():
            with Folder() as folder:  # one a document: a later line may use a file that an earlier one saved
                for line in ridge_lines(shell_lines(file.read_text())):
                    out.append(f"{file.relative_to(ROOT)}: $ {line}")
                    done = folder.run(line)
                    wanted = 4 if re.search(r"# exit 4\s*$", line) else 0
                    with self.subTest(file.name, line=line):
                        self.assertEqual(done.returncode, wanted, f"{line}\n{done.stdout[-1000:]}\n{done.stderr}")
                    if not line.startswith(NOT_THE_SAME):
                        out += [f"  {one.rstrip()[:120]}" for one in done.stdout.splitlines()[:KEPT]]
        text = "\n".join(out) + "\n"
        if WRITE:
            FIRST_LINES.write_text(text)
        self.assertEqual(FIRST_LINES.read_text(), text)


class Pictures(unittest.TestCase):
    def folders(self):
        return [(ROOT / "docs" / "pictures", [ROOT / "docs" / "pictures" / "README.md"]),
                (ROOT / "examples" / "questions", sorted((ROOT / "examples" / "questions").glob("*.md")))]

    def test_every_picture_is_drawn_by_the_line_beside_it(self):
        for kept, files in self.folders():
            drawn = set()
            for file in files:
                with Folder() as folder:
                    for match in DRAWN.finditer(file.read_text().replace("\\\n", " ")):
                        with self.subTest(match["name"]):
                            drawn.add(match["name"])
                            done = folder.run(match["line"])
                            self.assertEqual(done.returncode, 0, done.stderr)
                            new = (Path(folder.temporary.name) / match["name"]).read_bytes()
                            if WRITE:
                                (kept / match["name"]).write_bytes(new)
                            self.assertEqual((kept / match["name"]).read_bytes(), new, "GOLDEN_WRITE=1 draws it again: look at it")
            self.assertEqual({path.name for path in kept.glob("*.svg")}, drawn, "a picture that no line draws")

    def test_every_picture_that_is_shown_is_there(self):
        pictures = 0
        for file in walks():
            for match in PICTURE.finditer(file.read_text()):
                pictures += 1
                with self.subTest(file.name, picture=match["path"]):
                    self.assertTrue((file.parent / match["path"]).is_file())
        self.assertGreaterEqual(pictures, 8)
        self.assertEqual(len(PICTURE.findall((ROOT / "README.md").read_text())), 2)


class Links(unittest.TestCase):
    def test_every_link_between_documents_leads_somewhere(self):
        for file in [*walks(), ROOT / "HACKING.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]:
            text = re.sub(r"^```.*?^```", "", file.read_text(), flags=re.M | re.S)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, heading = target.partition("#")
                with self.subTest(file.name, target=target):
                    there = (file.parent / path).resolve() if path else file
                    self.assertTrue(there.exists(), f"{file.relative_to(ROOT)} links to {target}")
                    if heading and there.suffix == ".md":
                        anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", there.read_text(), flags=re.M)}
                        self.assertIn(heading, anchors)


class Parsing(unittest.TestCase):
    def test_steps_are_found(self):
        found = steps("$ ridge a \\\n    --b\nx\n...\n$ ridge c\ny\n")
        self.assertEqual([(command, lines, more) for command, lines, more, _ in found], [("ridge a --b", ["x"], True), ("ridge c", ["y"], False)])

    def test_what_is_shown_says_whether_more_follows(self):
        self.assertEqual(shown("$ ridge", 4, "a\nb\nc\nd\ne\n"), "$ ridge\na\nb\nc\nd\n...")
        self.assertEqual(shown("$ ridge", 2, "a\nb\n"), "$ ridge\na\nb")

    def test_a_step_that_shows_nothing_is_given_lines(self):
        self.assertEqual(shown("$ ridge", 0, "a\nb\nc\nd\n"), "$ ridge\na\nb\nc\n...")


if __name__ == "__main__":
    unittest.main()
