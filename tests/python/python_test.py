"""The Python package, installed into a fresh environment without a network, answers what the program answers."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from ridge_run import BUILD, ROOT


def interpreter():
    """One that can build a wheel: Debian's has the packages that tools/packages/test lists."""
    for python in ("/usr/bin/python3", sys.executable):
        if subprocess.run([python, "-c", "import setuptools, wheel, venv, pip"], capture_output=True).returncode == 0:
            return python
    raise AssertionError("no Python with setuptools, wheel, venv and pip (Debian: python3-setuptools python3-wheel python3-venv python3-pip)")


class Installed(unittest.TestCase):
    def test_the_wheel_is_built_installed_and_right(self):
        with tempfile.TemporaryDirectory() as folder:
            where = Path(folder)
            source = where / "python"
            shutil.copytree(ROOT / "python", source, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
            environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8", "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                           "RIDGELINE_LIBRARY": str(BUILD / "libridgeline.so")}
            run = lambda *words, **more: subprocess.run(words, capture_output=True, text=True, env={**environment, **more}, cwd=where)
            made = run(interpreter(), "-m", "venv", "--system-site-packages", where / "venv")
            self.assertEqual(made.returncode, 0, made.stderr)
            python = where / "venv" / "bin" / "python"
            installed = run(python, "-m", "pip", "install", "--no-build-isolation", "--quiet", source)
            self.assertEqual(installed.returncode, 0, installed.stdout + installed.stderr)
            del environment["RIDGELINE_LIBRARY"]  # the package carries its own
            asked = run(python, "-P" if sys.version_info >= (3, 11) else "-I", ROOT / "tests/python/inside.py",
                        RIDGE=os.environ.get("RIDGE", str(BUILD / "ridge")), RIDGE_ROOT=str(ROOT))
            print(asked.stderr)
            self.assertEqual(asked.returncode, 0, asked.stdout + asked.stderr)


if __name__ == "__main__":
    unittest.main()
