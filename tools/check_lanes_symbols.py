"""No function compiled for one instruction set may be shared with another: the linker would keep any one copy.

Weak symbols of the SIMD objects must carry their own namespace (ridge_avx2, ...) or a vector type of their own width.
"""

import re
import subprocess
import sys


def shared_symbols(objects):
    owners = {}
    for path in objects:
        names = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout
        for line in names.splitlines():
            kind, name = line.split()[-2:]
            if kind in "WV" and not name.startswith("DW.ref"):
                owners.setdefault(name, []).append(path)
    return {name: paths for name, paths in owners.items()
            if len({instruction_set(path) for path in paths}) > 1 or not re.search(r"ridge_|simd|experimental", name)}


def instruction_set(path):
    """Files of one set may share: whichever copy is kept, it is compiled alike."""
    found = re.search(r"ridge_lanes_(\w+)\.dir", path)
    return found[1] if found else path


def main():
    found = shared_symbols(sys.argv[1:])
    for name, paths in found.items():
        print(f"{name} is defined in {', '.join(paths)}")
    print(f"{len(sys.argv) - 1} objects, {len(found)} shared symbols")
    return 1 if found or len(sys.argv) < 2 else 0


sys.exit(main())
