"""The Python package, installed into a fresh environment without a network, answers what the program answers."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from ridge_run import BUILD, ROOT


def interpreter():
    """One that makes environments: Debian's needs python3-venv of tools/packages/test."""
    for python in ("/usr/bin/python3", sys.executable):
        if subprocess.run([python, "-c", "import venv, ensurepip"], capture_output=True).returncode == 0:
            return python
    raise AssertionError("no Python with venv (Debian: python3-venv)")


class Installed(unittest.TestCase):
    def test_the_wheel_is_built_installed_and_right(self):
        with tempfile.TemporaryDirectory() as folder:
            where = Path(folder)
            source = where / "python"
            shutil.copytree(ROOT / "python", source, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
            environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8", "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                           "RIDGELINE_LIBRARY": str(BUILD / "libridgeline.so")}
            run = lambda *words, **more: subprocess.run(words, capture_output=True, text=True, env={**environment, **more}, cwd=where)
            made = run(interpreter(), "-m", "venv", where / "venv")  # fresh: neither wheel nor NumPy is there
            self.assertEqual(made.returncode, 0, made.stderr)
            python = where / "venv" / "bin" / "python"
            installed = run(python, "-m", "pip", "install", "--no-build-isolation", "--quiet", source)
            self.assertEqual(installed.returncode, 0, installed.stdout + installed.stderr)
            del environment["RIDGELINE_LIBRARY"]  # the package carries its own
            listed = run(python, "-m", "pip", "list", "--format=freeze").stdout
            self.assertNotRegex(listed, "(?m)^wheel==", "an environment as it comes has no wheel, and needs none")
            self.assertIn("ridgeline==", listed)
            asked = run(python, "-P" if sys.version_info >= (3, 11) else "-I", ROOT / "tests/python/inside.py",
                        RIDGE=os.environ.get("RIDGE", str(BUILD / "ridge")), RIDGE_ROOT=str(ROOT))
            print(asked.stderr)
            self.assertEqual(asked.returncode, 0, asked.stdout + asked.stderr)

    def test_the_same_sources_give_the_same_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            script = "import sys, build_wheel; print(build_wheel.build_wheel(sys.argv[1]))"
            made = []
            for name in ("a", "b"):
                (Path(folder) / name).mkdir()
                done = subprocess.run([interpreter(), "-c", script, Path(folder) / name], capture_output=True, text=True, cwd=ROOT / "python",
                                      env={"PATH": "/usr/bin:/bin", "RIDGELINE_LIBRARY": str(BUILD / "libridgeline.so"), "PYTHONDONTWRITEBYTECODE": "1"})
                self.assertEqual(done.returncode, 0, done.stderr)
                made.append((Path(folder) / name / done.stdout.strip()).read_bytes())
            self.assertEqual(*made)
            with zipfile.ZipFile(Path(folder) / "a" / done.stdout.strip()) as wheel:
                packed = {name.partition("/")[2] for name in wheel.namelist() if name.startswith("ridgeline/")}
        sources = {path.name for path in (ROOT / "python" / "ridgeline").iterdir() if path.is_file()}
        self.assertEqual(packed, {*sources, "libridgeline.so"})

    def test_a_version_is_said_once(self):
        project = re.search(r"project\(\w+ VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertIn(f'version = "{project}"', (ROOT / "python" / "pyproject.toml").read_text())


if __name__ == "__main__":
    unittest.main()
