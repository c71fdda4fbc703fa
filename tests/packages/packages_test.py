"""Do the packages hold all of it, and does what is unpacked answer alone? tools/packages/check.sh installs and times them in bare systems."""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from ridge_run import BUILD, ROOT, command_names, ridge

QUESTIONS = ([], ["why", "deepseek-v3", "--on", "hgx-b200", "--tp", "8", "--json"], ["plan", "gpt-oss-20b", "--on", "hgx-h100", "--tpot", "20ms"], ["--version"])


def made(*words, cwd=ROOT):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Unpacked:
    """Of both kinds; `root` is where the package lies, `program` its ridge."""

    def test_it_answers_as_the_built_program_does(self):
        for words in QUESTIONS:
            with self.subTest(" ".join(words)):
                self.assertEqual(self.ask(*words), ridge(*words, cwd="/", env={"PATH": "/nowhere"}).raw)

    def test_pages_completions_documents_and_the_board_are_there(self):
        pages = {path.name.removesuffix(".gz") for path in (self.prefix / "share/man/man1").iterdir()}
        self.assertEqual(pages, {"ridge.1", *(f"ridge-{name.replace(' ', '-')}.1" for name in command_names())})
        for path in ("share/bash-completion/completions/ridge", "share/zsh/site-functions/_ridge", "share/fish/vendor_completions.d/ridge.fish",
                     "share/doc/ridgeline/README.md", "share/doc/ridgeline/docs/roles/operator.md", "share/ridgeline/catalog/sources.toml"):
            self.assertTrue((self.prefix / path).is_file(), path)
        if (BUILD / "board.html").exists():
            self.assertTrue((self.prefix / "share/ridgeline/board.html").is_file())


class Tarball(Unpacked, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        with tarfile.open(made("sh", "tools/packages/make_tarball.sh", str(BUILD)).strip()) as archive:
            archive.extractall(folder.name)
        (cls.prefix,) = Path(folder.name).iterdir()

    def ask(self, *words):
        """Where there is no other file, if we may; root alone changes its root."""
        alone = ["chroot", str(self.prefix), "/bin/ridge"] if os.geteuid() == 0 else [str(self.prefix / "bin" / "ridge")]
        done = subprocess.run([*alone, *words], capture_output=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_no_library_of_the_system_is_loaded(self):
        self.assertNotIn("INTERP", made("readelf", "-l", str(self.prefix / "bin" / "ridge")))


@unittest.skipIf(any(shutil.which(tool) is None for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps", "file")), "no Debian tools (tools/packages/deb)")
class DebianPackage(Unpacked, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        made("cpack", "-G", "DEB", "-B", folder.name, cwd=BUILD)
        (cls.file,) = Path(folder.name).glob("ridgeline_*.deb")
        cls.others = [path.name for path in Path(folder.name).glob("*.deb") if path != cls.file]
        made("dpkg-deb", "-x", str(cls.file), f"{folder.name}/root")
        cls.prefix = Path(folder.name) / "root" / "usr"

    def ask(self, *words):
        done = subprocess.run([str(self.prefix / "bin" / "ridge"), *words], capture_output=True, env={"PATH": "/nowhere"}, cwd="/", stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_it_says_what_it_needs(self):
        needs = made("dpkg-deb", "-f", str(self.file), "Depends")
        for library in ("libc6", "libfmt9", "libre2-9", "libsqlite3-0", "libgsl27"):
            self.assertIn(library, needs)
        self.assertNotIn("openmpi", needs.lower(), "a calculator does not bring MPI along")
        self.assertFalse((self.prefix / "bin" / "ridge-mpi").exists())
        self.assertEqual([name.partition("_")[0] for name in self.others], ["ridgeline-mpi"] if (BUILD / "ridge-mpi").exists() else [])


if __name__ == "__main__":
    unittest.main()
