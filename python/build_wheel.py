"""Builds the wheel, as pip asks for it (PEP 517): compiles libridgeline.so with CMake and packs it with the package.

Python's own library is all it needs, so `pip install --no-build-isolation ./python` works in a fresh environment without a network.
RIDGELINE_LIBRARY names a library that is built already.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TAG = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
TIME = (2020, 1, 1, 0, 0, 0)  # of every file, so that the same sources give the same wheel


def facts():
    """name, version, ... of pyproject.toml: plain `key = "text"` lines of [project]."""
    project = (HERE / "pyproject.toml").read_text(encoding="utf-8").partition("[project]\n")[2]
    return dict(re.findall(r'^([\w-]+) = "([^"]*)"', project, flags=re.M))


def built_library(folder):
    given = os.environ.get("RIDGELINE_LIBRARY")
    if given:
        return Path(given).resolve()
    if not (HERE.parent / "CMakeLists.txt").is_file():
        raise SystemExit(f"ridgeline: {HERE.parent} is not the source tree: install ./python of a clone, or name a built libridgeline.so in RIDGELINE_LIBRARY")
    if shutil.which("cmake") is None:
        raise SystemExit("ridgeline: cmake is missing; ./ridge installs all that compiling needs (or: apt-get install the packages of tools/packages/build)")
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", HERE.parent, "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG",
                    "-DRIDGE_LIBRARY=ON", "-DRIDGE_TESTS=OFF"], check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", folder, "--target", "ridgeline", "--parallel", str(os.cpu_count() or 1)], check=True, stdout=sys.stderr)
    return Path(folder) / "libridgeline.so"


def metadata(project):
    return (f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\nSummary: {project['description']}\n"
            f"License: Apache-2.0\nRequires-Python: {project['requires-python']}\nDescription-Content-Type: text/markdown\n\n"
            + (HERE / project["readme"]).read_text(encoding="utf-8"))


def wheel_facts():
    return f"Wheel-Version: 1.0\nGenerator: ridgeline\nRoot-Is-Purelib: false\nTag: {TAG}\n"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Without it pip would compile to learn the name."""
    project = facts()
    folder = Path(metadata_directory) / f"{project['name']}-{project['version']}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(metadata(project), encoding="utf-8")
    (folder / "WHEEL").write_text(wheel_facts(), encoding="utf-8")
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = facts()
    stem = f"{project['name']}-{project['version']}"
    with tempfile.TemporaryDirectory() as folder:
        library = built_library(folder)
        files = [(f"ridgeline/{path.name}", path.read_bytes()) for path in sorted((HERE / "ridgeline").iterdir())
                 if path.suffix in (".py", ".pyi") or path.name == "py.typed"]
        files.append(("ridgeline/libridgeline.so", library.resolve().read_bytes()))
    files.append((f"{stem}.dist-info/METADATA", metadata(project).encode()))
    files.append((f"{stem}.dist-info/WHEEL", wheel_facts().encode()))
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files) + f"{stem}.dist-info/RECORD,,\n"
    files.append((f"{stem}.dist-info/RECORD", record.encode()))
    name = f"{stem}-{TAG}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files:
            entry = zipfile.ZipInfo(path, TIME)
            entry.external_attr, entry.compress_type = 0o100644 << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name
