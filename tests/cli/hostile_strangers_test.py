"""Does text from strangers stay text?

Names in model files, tensors, folders, catalogs, price sheets, commands: whatever stands in them, a terminal obeys none of it
(no control characters, no marks that turn the writing), JSON and SVG stay well-formed, and a spreadsheet computes nothing.
"""

import csv
import io
import json
import os
import pty
import re
import subprocess
import tempfile
import unittest
import xml.dom.minidom
from pathlib import Path

from model_files import LLAMA, gguf, gguf_keys, gguf_tensors, llama_tensors, safetensors, write_config
from ridge_run import ENVIRONMENT, RIDGE, ROOT, parse_json, ridge

# clears the screen, renames the window, types into the terminal, rings, erases, turns the writing, hides, two-byte controls
EVIL = "\x1b[2J\x1b]0;owned\x07\x1b[5n\x08\x7f\u202e\u200b\u009b31mevil"
ON = ["--on", "hgx-h100"]


def unsafe(text):
    return [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0 or ord(c) in (0x202e, 0x200b)]


class Strangers(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def check(self, *words, shown=None):
        """As text and as JSON; `shown` must be seen, harmless, on one of the streams."""
        run = ridge(*words, cwd=self.folder)
        self.assertIn(run.code, (0, 3, 4), str(run))
        self.assertEqual(unsafe(run.out + run.err), [], str(run))
        if shown:
            self.assertIn(shown, run.out + run.err, str(run))
        as_json = ridge(*words, "--json", cwd=self.folder)
        self.assertEqual(unsafe(as_json.out + as_json.err), [], str(as_json))
        if as_json.out:
            parse_json(as_json.out)
        return run

    def test_names_in_a_model_file(self):
        for name, config in {"type": {**LLAMA, "model_type": EVIL}, "key": {**LLAMA, EVIL: 3}, "structural key": {**LLAMA, f"num_{EVIL}_layers": 3},
                             "layer type": {**LLAMA, "layer_types": [EVIL, EVIL]}, "value": {**LLAMA, "hidden_act": EVIL},
                             "number": {**LLAMA, "hidden_size": EVIL}, "quantization": {**LLAMA, "quantization_config": {"quant_method": EVIL}},
                             "architecture": {**LLAMA, "architectures": [EVIL]}}.items():
            path = write_config(self.folder / "m", config)
            for command in (["show", str(path)], ["why", str(path), *ON], ["fit", str(path), *ON], ["import", "model", str(path)]):
                with self.subTest(name, command=command[0]):
                    run = ridge(*command, cwd=self.folder)
                    self.assertIn(run.code, (0, 3, 4), str(run))
                    self.assertEqual(unsafe(run.out + run.err), [], str(run))

    def test_names_of_files_and_folders(self):
        for name in (EVIL, "=HYPERLINK(1)", "<script>alert(1)</script>"):
            path = write_config(self.folder / name.replace("/", "_"))
            self.check("show", str(path), shown="evil" if name == EVIL else None)
            self.check("why", str(path), *ON)
        self.check("show", f"{EVIL}/nowhere.json", shown="evil")
        self.check("why", "llama-3.1-8b", *ON, "--catalog", EVIL)

    def test_names_of_tensors(self):
        folder = self.folder / "checkpoint"
        write_config(folder)
        (folder / "model.safetensors").write_bytes(safetensors({**llama_tensors(), f"model.layers.0.{EVIL}.weight": [8, 8]}))
        self.check("show", str(folder), shown="evil")
        (folder / "tiny.gguf").write_bytes(gguf.gguf([*gguf_keys(), gguf.key(EVIL, 7)], [*gguf_tensors(), (EVIL, [8, 8], 30)]))
        self.check("show", str(folder / "tiny.gguf"))

    def test_titles_of_a_catalog(self):
        catalog = self.folder / "mine"
        for kind, source in (("chip", "h100-sxm"), ("machine", "hgx-h100"), ("model", "llama-3.1-8b")):
            (catalog / kind).mkdir(parents=True)
            text = (ROOT / "catalog" / kind / f"{source}.toml").read_text()
            text = re.sub(r'^title *= *".*"', lambda _: "title = " + json.dumps(EVIL), text, count=1, flags=re.M)
            (catalog / kind / f"{source}.toml").write_text(text)
        for words in (["list", "chips"], ["list", "machines"], ["list", "models"], ["why", "llama-3.1-8b", *ON], ["fit", "llama-3.1-8b", *ON, "--tp", "1"],
                      ["plan", "llama-3.1-8b", *ON, "--max-chips", "2"], ["show", "llama-3.1-8b"], ["layout", "llama-3.1-8b", "hgx-h100", "--tp", "2"]):
            with self.subTest(words):
                self.check(*words, "--catalog", "mine", shown="evil")
        for words in (["curve", "batch", "llama-3.1-8b", *ON], ["plan", "llama-3.1-8b", *ON, "--max-chips", "2"]):
            with self.subTest(words):
                run = ridge(*words, "--catalog", "mine", "--svg", "x.svg", cwd=self.folder)
                self.assertEqual(run.code, 0, str(run))
                picture = (self.folder / "x.svg").read_text()
                self.assertEqual(unsafe(picture), [])
                xml.dom.minidom.parseString(picture.encode())

    def test_price_sheets_of_others(self):
        sheet = {"evil/" + EVIL: {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6, "litellm_provider": EVIL, "mode": "chat", EVIL: 3}}
        (self.folder / "prices.json").write_text(json.dumps(sheet))
        for words in (["infer", "--sheet", "prices.json", "--samples", "1k"], ["host", "llama-3.1-8b", *ON, "--sheet", "prices.json"]):
            with self.subTest(words):
                run = ridge(*words, cwd=self.folder)
                self.assertEqual(unsafe(run.out + run.err), [], str(run))
                self.assertIn(run.code, (0, 2, 3), str(run))

    def test_commands_that_were_pasted(self):
        self.check("why", *ON, "--from", f"vllm serve llama-3.1-8b --{EVIL} 3 --served-model-name '{EVIL}'")
        self.check("why", *ON, "--from", f"vllm serve {EVIL}")
        (self.folder / "start.sh").write_text(f"vllm serve meta-llama/Llama-3.1-8B --foo '{EVIL}'\n")
        self.check("why", *ON, "--from", "@start.sh")

    def test_rows_of_a_sweep(self):
        """A spreadsheet computes what begins with = + - @; the apostrophe keeps it text."""
        for name in ("=cmd|' /C calc'!A0", "+1", "@SUM(1)", "-2+3", EVIL):
            path = self.folder / "s.toml"
            model = write_config(self.folder / name.replace("/", "_"))
            path.write_text(f'machine = "hgx-h100"\nbatch = 4\ncontext = 32\n[sweep]\nmodel = [{json.dumps(str(model.relative_to(self.folder)))}, "llama-3.1-8b"]\n')
            for form in ("csv", "jsonl"):
                with self.subTest(name, form=form):
                    run = ridge("sweep", "s.toml", "--format", form, cwd=self.folder)
                    self.assertEqual(unsafe(run.out + run.err), [], str(run))
                    self.assertEqual(run.code, 0, str(run))
                    if form == "jsonl":
                        self.assertEqual([json.loads(line)["model"] for line in run.out.splitlines()][0], f"{name.replace(chr(47), chr(95))}/config.json")
                    else:
                        for row in csv.reader(io.StringIO(run.out)):
                            for cell in row:
                                self.assertNotRegex(cell, r"^[=+@]|^-[^0-9.]")

    def test_a_terminal_gets_our_colors_and_nothing_else(self):
        """The same in a real terminal, where colors are allowed."""
        path = write_config(self.folder / EVIL.replace("/", "_"))
        master, slave = pty.openpty()
        environment = {**ENVIRONMENT, "TERM": "xterm"}
        environment.pop("NO_COLOR")
        process = subprocess.Popen([RIDGE, "show", str(path)], stdout=slave, stderr=slave, stdin=subprocess.DEVNULL, env=environment)
        os.close(slave)
        read = b""
        while True:
            try:
                block = os.read(master, 65536)
            except OSError:
                break
            if not block:
                break
            read += block
        process.wait()
        os.close(master)
        text = read.decode().replace("\r\n", "\n")
        self.assertIn("\x1b[1m", text)
        self.assertEqual(unsafe(re.sub(r"\x1b\[(0|1|2|1;31)m", "", text)), [])


if __name__ == "__main__":
    unittest.main()
