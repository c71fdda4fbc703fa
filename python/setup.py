"""Builds libridgeline.so with CMake and puts it into the package. RIDGELINE_LIBRARY names one that is built already."""

import os
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

SOURCE = Path(__file__).resolve().parent.parent


def built_library(folder: Path) -> Path:
    given = os.environ.get("RIDGELINE_LIBRARY")
    if given:
        return Path(given).resolve()
    subprocess.run(["cmake", "-S", SOURCE, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG",
                    "-DRIDGE_LIBRARY=ON", "-DRIDGE_TESTS=OFF"], check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "ridgeline", "--parallel", str(os.cpu_count() or 1)], check=True)
    return folder / "libridgeline.so"


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        library = built_library(Path(self.get_finalized_command("build").build_temp).resolve() / "ridgeline")
        target = Path(self.build_lib) / "ridgeline" / "libridgeline.so"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library.resolve(), target)


class WithLibrary(Distribution):
    def has_ext_modules(self):  # the wheel is for this kind of machine
        return True


setup(cmdclass={"build_py": BuildWithLibrary}, distclass=WithLibrary)
