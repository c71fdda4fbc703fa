"""A folder of src/ includes only itself and the folders before it; see HACKING.md for why the order is what it is.

    tools/check_layers.py [FOLDER]    without one: src/ of this repository
"""

import pathlib
import re
import sys

ORDER = ["base", "machine", "model", "layout", "cost", "engine", "library", "roofline",
         "serve", "simulate", "train", "price", "search", "calibrate", "claims",
         "catalog", "report"]
# Heavy headers live in few files: including one elsewhere costs seconds in every build.
HEAVY = {"toml++": {"catalog/facts/read_toml.cpp"}, "nlohmann": {"report/base/json.hpp"},
         "rapidjson": {"catalog/json/json_value.cpp"}, "gsl/": {"calibrate/fit/least_squares.cpp"}}


def complaints(root):
    for path in sorted(root.rglob("*.[hci]pp")):
        where = path.relative_to(root)
        folder = where.parts[0]
        if folder not in ORDER:
            yield f"{where}: folder {folder} is not in the order {ORDER}"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := re.match(r'#include "([a-z_]+)/', line):
                if match[1] not in ORDER or ORDER.index(match[1]) > ORDER.index(folder):
                    yield f"src/{where}:{number}: {folder}/ may not include {match[1]}/"
                if line.endswith('.ipp"') and path.suffix == ".hpp":
                    yield f"src/{where}:{number}: an .ipp is included only by files that instantiate it"
            for library, allowed in HEAVY.items():
                if line.startswith("#include") and library in line and str(where) not in allowed:
                    yield f"src/{where}:{number}: {library} belongs in {', '.join(sorted(allowed))}"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent / "src"
    found = list(complaints(root))
    print("\n".join(found) or "every include points downwards")
    return 1 if found else 0


sys.exit(main())
