"""Wrong units must not compile. Each case is one line put into a function; the control line must compile."""

import pathlib
import subprocess
import sys

compiler, include, folder = sys.argv[1:4]
PROGRAM = '#include "base/number/units.hpp"\nusing namespace ridge;\nusing namespace ridge::literals;\nvoid f() {{\n{line}\n}}\n'


def compiles(line):
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", "-x", "c++", "-"]
    return subprocess.run(command, input=PROGRAM.format(line=line), text=True, capture_output=True).returncode == 0


failures = 0
for path in sorted(pathlib.Path(folder).glob("*.txt")):
    should = path.stem == "compiles"
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if compiles(line) != should:
            failures += 1
            print(f"{path.name}: {'does not compile' if should else 'compiles'}: {line}")
print(f"{failures} surprises")
sys.exit(1 if failures else 0)
