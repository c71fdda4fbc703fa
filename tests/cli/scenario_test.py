"""Is a saved scenario the whole case, and does the printed derivation say what the program computed?"""

import math
import re
import tempfile
import tomllib
import unittest
from pathlib import Path

import formulas
from ridge_run import ANSWERED, BAD_INPUT, DOES_NOT_FIT, ROOT, ridge

CASES = {
    "moe": ["deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8"],
    "dense": ["llama-3.1-70b", "--on", "hgx-h100", "--chips", "4", "--batch", "64", "--context", "4k"],
    "odd numbers": ["qwen3-30b-a3b", "--on", "rtx-4090-1", "--batch", "37", "--context", "777", "--price", "$0.3333/h", "--utilization", "0.61"],
    "owned": ["kimi-k2", "--on", "gb300-nvl72", "--price", "owned", "--weights", "nvfp4"],
    "no context": ["mixtral-8x7b", "--on", "mi300x-8", "--context", "0"],
    "does not fit": ["llama-3.1-405b", "--on", "hgx-h100", "--context", "128k", "--batch", "32"],
    "overridden": ["deepseek-v3", "--on", "hgx-h200", "--set", "hbm.bandwidth=4.1 TB/s", "--set", "kv.read=1 kB/token", "--set", "matmul.fp8=1.5 PFLOP/s"],
    "wide": ["llama-2-7b", "--on", "l4-1", "--kv", "fp8", "--batch", "1"],
}


class Saved(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "case.toml"

    def answer(self, *arguments):
        run = ridge("why", *arguments, "--json", cwd=self.folder)
        self.assertIn(run.code, (ANSWERED, DOES_NOT_FIT), str(run))
        self.assertNotIn("hint:", run.err)
        return run.json()

    def save(self, case):
        return self.answer(*case, "--save", "case.toml")

    def test_a_saved_case_answers_the_same_to_the_last_bit(self):
        for name, case in CASES.items():
            with self.subTest(name):
                first = self.save(case)
                again = self.answer("case.toml")
                self.assertEqual(again["figures"], first["figures"])
                # the ways out are advice from the catalog: fewer are left once the numbers are fixed
                without_advice = lambda answer: {key: one for key, one in answer["fit"].items() if key != "ways_out"}
                self.assertEqual(without_advice(again), without_advice(first))
                self.assertEqual(again["derivation"], first["derivation"])
                values = lambda answer: {key: one["value"] for key, one in answer["case"]["inputs"].items()}
                self.assertEqual(values(again), values(first))

    def test_a_saved_number_keeps_its_source(self):
        for name, case in CASES.items():
            with self.subTest(name):
                origin = lambda answer: {key: (one["source"], one["kind"], one["note"]) for key, one in answer["case"]["inputs"].items()}
                self.assertEqual(origin(self.save(case)), origin(self.answer("case.toml")))

    def test_saving_a_saved_case_gives_the_same_file(self):
        for name, case in CASES.items():
            with self.subTest(name):
                self.save(case)
                self.answer("case.toml", "--save", "again.toml")
                self.assertEqual((self.folder / "again.toml").read_text(), self.file.read_text())

    def test_the_file_is_toml_with_the_numbers_of_the_json(self):
        for name, case in CASES.items():
            with self.subTest(name):
                inputs = self.save(case)["case"]["inputs"]
                saved = tomllib.loads(self.file.read_text())["inputs"]
                self.assertEqual(list(saved), list(inputs))
                for key, one in saved.items():
                    number, _, unit = one["value"].partition(" ")
                    self.assertEqual(float(number), inputs[key]["value"], key)  # base units on both sides: no rounding
                    self.assertEqual(unit, inputs[key]["unit"], key)
                    self.assertEqual(one["source"], inputs[key]["source"], key)

    def test_a_saved_case_needs_no_catalog_entry(self):
        for name, case in CASES.items():
            with self.subTest(name):
                first = self.save(case)
                text = self.file.read_text()
                for word in ("model", "machine"):
                    text = re.sub(rf'^{word}( *)= ".*"$', rf'{word}\1= "unheard-of"', text, flags=re.M)
                self.assertEqual(text.count("unheard-of"), 2)
                self.file.write_text(text)
                again = self.answer("case.toml")
                self.assertEqual(again["figures"], first["figures"])
                run = ridge("why", "case.toml", cwd=self.folder)  # and as text
                self.assertIn(run.code, (ANSWERED, DOES_NOT_FIT), str(run))
                self.assertIn("unheard-of", run.out)

    def test_an_incomplete_case_of_an_unknown_model_is_refused(self):
        self.save(CASES["moe"])
        text = re.sub(r'^model( *)= ".*"$', r'model\1= "unheard-of"', self.file.read_text(), flags=re.M)
        self.file.write_text("\n".join(line for line in text.splitlines() if not line.startswith('"kv.read"')))
        run = ridge("why", "case.toml", cwd=self.folder)
        self.assertEqual(run.code, BAD_INPUT, str(run))
        self.assertIn("unheard-of", run.err)
        self.assertIn("hint:", run.err)

    def test_a_flag_wins_over_the_file(self):
        self.save(CASES["moe"])
        case = [*CASES["moe"], "--batch", "512", "--set", "hbm.bandwidth=7 TB/s", "--price", "$2/h"]
        self.assertEqual(self.answer("case.toml", "--batch", "512", "--set", "hbm.bandwidth=7 TB/s", "--price", "$2/h")["figures"],
                         self.answer(*case)["figures"])

    def test_a_format_flag_wins_over_the_saved_numbers(self):
        # the file holds the widths, so a format given beside it must replace them, or be refused: never be ignored
        self.save(CASES["dense"])
        for flags in (["--kv", "fp8"], ["--weights", "fp8"], ["--price", "owned"]):
            with self.subTest(flags):
                run = ridge("why", "case.toml", *flags, "--json", cwd=self.folder)
                if run.code == BAD_INPUT:
                    self.assertIn("hint:", run.err)
                else:
                    self.assertEqual(run.json()["figures"], self.answer(*CASES["dense"], *flags)["figures"])

    def test_another_machine_beside_a_saved_case_is_not_ignored(self):
        self.save(CASES["dense"])
        run = ridge("why", "case.toml", "--on", "hgx-h200", "--json", cwd=self.folder)
        if run.code == BAD_INPUT:
            self.assertIn("hint:", run.err)
        else:
            self.assertEqual(run.json()["case"]["inputs"]["hbm.bandwidth"]["value"], 4.8e12)

    def test_the_names_of_options_may_stand_in_either_table(self):
        (self.folder / "a.toml").write_text('model = "deepseek-v3"\nmachine = "gb200-nvl72"\nbatch = 100\n"hbm.bandwidth" = "7 TB/s"\n')
        (self.folder / "b.toml").write_text('model = "deepseek-v3"\nmachine = "gb200-nvl72"\n[inputs]\nbatch = 100\nhbm.bandwidth = "7 TB/s"\n')
        self.assertEqual(self.answer("a.toml")["figures"], self.answer("b.toml")["figures"])

    def test_curve_and_fit_read_the_same_file(self):
        self.save(CASES["moe"])
        self.assertEqual(ridge("fit", "case.toml", cwd=self.folder).out, ridge("fit", *CASES["moe"], cwd=self.folder).out)
        from_file, from_flags = (ridge("curve", "batch", *case, "--csv", cwd=self.folder) for case in (["case.toml"], CASES["moe"]))
        self.assertEqual(from_file.code, ANSWERED, str(from_file))
        self.assertEqual(from_file.out, from_flags.out)


class OwnCatalog(unittest.TestCase):
    def test_my_machines_stand_in_the_comparison(self):
        with tempfile.TemporaryDirectory() as folder:
            machine = Path(folder) / "machine" / "mine-16.toml"
            machine.parent.mkdir()
            text = (ROOT / "catalog" / "machine" / "hgx-h100.toml").read_text()
            machine.write_text(text.replace('value = 8,', 'value = 16,', 1))
            run = ridge("layout", "deepseek-v3", "--compare", "--catalog", folder, "--json")
            self.assertEqual(run.code, ANSWERED, str(run))
            mine = [one for one in run.json()["machines"] if one["machine"] == "mine-16"]
            self.assertEqual([one["chips"] for one in mine], [16])
        usual = [one["machine"] for one in ridge("layout", "deepseek-v3", "--compare", "--json").json()["machines"]]
        self.assertNotIn("mine-16", usual)
        asked = ridge("layout", "deepseek-v3", "--compare", "--on", "hgx-b200", "--json").json()["machines"]
        self.assertEqual([one["machine"] for one in asked], [*usual, "hgx-b200"])

    def test_a_curve_along_chips_says_where_the_scale_up_domain_ends(self):
        run = ridge("curve", "chips", "deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8")
        self.assertIn("scale-up domain", run.out)
        marks = ridge("curve", "chips", "deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8", "--json").json()["marks"]
        self.assertEqual(marks["scale_up_domain"], 72)


class Names(unittest.TestCase):
    def test_a_word_near_an_alias_or_a_name_gets_it_as_a_hint(self):
        for command, near in ((["why", "llama-3.1-8b", "--on", "h1000"], "h100"), (["show", "lama-70b"], "llama-"), (["show", "h1000"], "h100")):
            with self.subTest(" ".join(command)):
                run = ridge(*command)
                self.assertEqual(run.code, BAD_INPUT, str(run))
                self.assertIn("did you mean " + near, run.err)


class Dimensions(unittest.TestCase):
    """A model's dimension changes everything that follows from it."""

    def figures(self, *more):
        return ridge("why", "deepseek-v3", "--on", "gb200-nvl72", "--batch", "256", *more, "--json").json()

    def test_more_experts_are_not_free(self):
        plain, twice = self.figures(), self.figures("--set", "experts.count=512")
        value = lambda answer, key: answer["figures"][key]["value"]
        self.assertGreater(value(twice, "weights_stored"), 1.9 * value(plain, "weights_stored"))
        self.assertAlmostEqual(value(twice, "experts_time") / value(plain, "experts_time"), 1, places=9)
        self.assertAlmostEqual(twice["case"]["inputs"]["params.routed"]["value"] / plain["case"]["inputs"]["params.routed"]["value"], 2, places=9)

    def test_where_the_layers_themselves_count_it_is_refused_with_the_way(self):
        run = ridge("why", "deepseek-v3", "--on", "gb200-nvl72", "--tp", "8", "--set", "experts.count=512")
        self.assertNotEqual(run.code, ANSWERED)
        self.assertIn("describe a model", run.err)


class Derivation(unittest.TestCase):
    def lines(self):
        for name, case in CASES.items():
            answer = ridge("why", *case, "--json").json()
            self.assertGreater(len(answer["derivation"]), 40)
            for symbol, line in answer["derivation"].items():
                yield name, symbol, line

    def test_each_formula_gives_its_value(self):
        for name, symbol, line in self.lines():
            with self.subTest(name, symbol=symbol):
                if line["value"] is None:
                    continue  # unbounded: the divisor is not positive; see the next test
                value = formulas.evaluate(line["formula"], line["operands"])
                # both sides round each operation once, in the same order; pow may differ in its last bits
                self.assertTrue(math.isclose(value, line["value"], rel_tol=1e-12, abs_tol=1e-300), f"{line['formula']} is {value}, not {line['value']}")

    def test_an_unbounded_line_has_a_divisor_that_is_not_positive(self):
        seen = 0
        for name, symbol, line in self.lines():
            if line["value"] is not None:
                continue
            with self.subTest(name, symbol=symbol):
                seen += 1
                above, _, below = line["formula"].rpartition(" / ")
                if below.endswith(")") and "(" not in below:  # the last " / " was inside the divisor's brackets
                    above, below = line["formula"].split(" / (", 1)
                    below = "(" + below
                self.assertTrue(above)
                self.assertLessEqual(formulas.evaluate(below, line["operands"]), 0.0, line["formula"])
        self.assertGreater(seen, 0)

    def test_each_line_of_numbers_gives_what_is_shown(self):
        for name, symbol, line in self.lines():
            with self.subTest(name, symbol=symbol):
                if line["value"] is None:
                    self.assertEqual(line["shown"], "unbounded")
                    continue
                shown = formulas.quantity(line["shown"])
                # four digits shown: half a unit of the fourth, seen from either side
                self.assertTrue(math.isclose(formulas.evaluate(line["numbers"]), shown, rel_tol=0.5001e-3, abs_tol=0.0), f"{line['numbers']} is not {line['shown']}")
                self.assertTrue(math.isclose(line["value"], shown, rel_tol=0.5001e-3, abs_tol=0.0), f"{line['value']} is not {line['shown']}")

    def test_operands_are_the_inputs_or_other_lines(self):
        for name, case in CASES.items():
            answer = ridge("why", *case, "--json").json()
            case_inputs = [*answer["case"]["inputs"].values(), *answer["case"].get("owned", {}).values()]
            inputs = {one["symbol"]: one["value"] for one in case_inputs if one["symbol"] not in answer["derivation"]}
            for symbol, line in answer["derivation"].items():
                for operand, value in line["operands"].items():
                    with self.subTest(name, symbol=symbol, operand=operand):
                        # what is zero (the experts of a dense model) has no line of its own
                        lines = answer["derivation"].get(operand, {"value": 0.0})
                        self.assertEqual(value, inputs[operand] if operand in inputs else lines["value"])

    def test_every_figure_has_its_line(self):
        answer = ridge("why", *CASES["moe"], "--json").json()
        values = [line["value"] for line in answer["derivation"].values()]
        for key, figure in answer["figures"].items():
            with self.subTest(key):
                self.assertIn(figure["value"], values)

    def test_the_printed_derivation_is_the_one_in_the_json(self):
        answer = ridge("why", *CASES["dense"], "--json").json()
        text = ridge("why", *CASES["dense"], "--derive", "cost", "--depth", "0").out
        printed = re.findall(r"^ *(\w+) = (.*)\n +(= .*) = (.*)$", text, flags=re.M)
        self.assertGreater(len(printed), 8)
        for symbol, formula, numbers, shown in printed:
            with self.subTest(symbol):
                line = answer["derivation"][symbol]
                self.assertEqual([formula, numbers, shown], [line["formula"], "= " + line["numbers"], line["shown"]])


    def test_depth_0_opens_everything(self):
        for name, case in CASES.items():
            with self.subTest(name):
                self.assertNotIn("not opened here", ridge("why", *case, "--derive", "cost", "--depth", "0").out)


class Units(unittest.TestCase):
    """The independent reader itself, by hand."""

    def test_quantities(self):
        for text, value in (("8 TB/s", 8e12), ("$3.6/h", 1e-3), ("$0.5/Mtok", 0.5e-6), ("2 FLOP/param", 2), ("71.96 us", 71.96e-6), ("1 GiB", 2**30), ("6.38e+05 tok/s", 638000), ("2048", 2048)):
            self.assertTrue(math.isclose(formulas.quantity(text), value, rel_tol=1e-15), text)

    def test_formulas(self):
        self.assertEqual(formulas.evaluate("1 - (1 - 8 / 256)^2"), 1 - (31 / 32) ** 2)
        self.assertEqual(formulas.evaluate("max(2 ms, 670 GB / (72·8 TB/s) + 1 s)"), 670e9 / (72 * 8e12) + 1)
        self.assertEqual(formulas.evaluate("p / (u·1)", {"p": 3.0, "u": 0.5}), 6.0)
        with self.assertRaises(ValueError):
            formulas.evaluate("1 + 2 3")


if __name__ == "__main__":
    unittest.main()
