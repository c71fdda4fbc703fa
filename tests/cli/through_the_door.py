"""Asks libridgeline.so, for tests that ask so much that starting a program each time would take longer than the answers.

tests/door/door_test.py holds that a library's answer is the program's, byte for byte.
"""

import ctypes
import json
import shlex

from ridge_run import BUILD, ROOT

LIBRARY = BUILD / "libridgeline.so"
library = ctypes.CDLL(str(LIBRARY))
library.ridge_ask.restype = ctypes.c_void_p
library.ridge_ask.argtypes = [ctypes.c_char_p]
library.ridge_free.argtypes = [ctypes.c_void_p]
library.ridge_version.restype = ctypes.c_char_p


def ask_text(request):
    text = request if isinstance(request, bytes) else json.dumps(request).encode()
    address = library.ridge_ask(text)
    answer = ctypes.string_at(address).decode()
    library.ridge_free(address)
    return answer


def ask(request):
    return json.loads(ask_text(request))


def request_of(line):
    """What a command line asks, as a request: a text, or its words."""
    first, *words = shlex.split(line) if isinstance(line, str) else [str(word) for word in line]
    if first == "price" and words[:1] == ["history"]:
        first, words = "price history", words[1:]
    request = {"command": first, "arguments": [], "options": {}, "files": {}}
    i = 0
    while i < len(words):
        word = words[i]
        i += 1
        if not word.startswith("--"):
            request["arguments"].append(word)
            if (ROOT / word).is_file():
                request["files"][word] = (ROOT / word).read_text()
            continue
        value = True
        if i < len(words) and not words[i].startswith("--"):
            value = words[i]
            i += 1
        before = request["options"].get(word[2:])
        request["options"][word[2:]] = value if before is None else [before, value]
    return request
