"""Does `ridge lifecycle` say what an independent calculation says?

The bill and the optimum are worked out again here, from the inputs that the JSON names, by brute force over sizes; the printed
formulas are read by the independent reader of formulas.py.
"""

import math
import unittest

import formulas
from ridge_run import ANSWERED, not_numbers, ridge

CASES = {
    "lecture": [],
    "tokens": ["--tokens", "200T"],
    "model": ["deepseek-v3", "--tokens", "14.8T", "--rl-tokens", "100G", "--served", "1M tok/s", "--for", "180 days", "--on", "hgx-h100"],
    "loss": ["--params", "13G", "--loss", "2.05", "--law", "hoffmann-2022-tex", "--input-share", "0.7", "--rl-reference-passes", "2", "--rl-trained-share", "1"],
    "budget": ["--budget", "$2G", "--price", "$1/h"],
    "budget in FLOP": ["--budget", "1e26 FLOP"],
}


class Life:
    """The same equations, written from docs/theory/lifecycle.md."""

    def __init__(self, answer):
        self.input = {key: one["value"] for key, one in answer["case"]["inputs"].items()}
        i = self.input
        self.floor, self.a, self.alpha = i["loss.floor"], i["loss.size"] / i["multiple"] ** i["loss.size_power"], i["loss.size_power"]
        self.b, self.beta = i["loss.data"], i["loss.data_power"]
        self.pre = 6 / i["mfu.training"]
        self.roll = 2 / i["mfu.decode"] + i["rl.trained"] * 6 / i["mfu.training"] + i["rl.references"] * 2 / i["mfu.prefill"]
        self.serve = i["serving.cost"] * (2 * (1 - i["prompts"]) / i["mfu.decode"] + 2 * i["prompts"] / i["mfu.prefill"])
        self.served = i["served"] * i["life"]
        self.rollouts = i.get("rl_tokens", self.serve * self.served / self.roll)
        self.others = self.roll * self.rollouts + self.serve * self.served
        self.flop = i["price"] / i["peak"]
        if "loss" in i:
            self.reducible = i["loss"] - self.floor
            self.tokens = self.tokens_at(i["params"])
        else:
            self.tokens = i.get("tokens", self.serve * self.served / self.pre)
            self.reducible = self.a / i["params"] ** self.alpha + self.b / self.tokens ** self.beta

    def tokens_at(self, params):
        left = self.reducible - self.a / params ** self.alpha
        return (self.b / left) ** (1 / self.beta) if left > 0 else math.inf

    def cost(self, params, tokens):
        return self.flop * params * (self.pre * tokens + self.others)

    def loss(self, params, tokens):
        return self.floor + self.a / params ** self.alpha + self.b / tokens ** self.beta


def around(center, steps=400, width=0.5):
    return [center * math.exp(width * (2 * i / steps - 1)) for i in range(steps + 1)]


class Lifecycle(unittest.TestCase):
    def answers(self):
        for name, case in CASES.items():
            run = ridge("lifecycle", *case, "--json")
            self.assertEqual(run.code, ANSWERED, str(run))
            answer = run.json()
            yield name, answer, {key: one["value"] for key, one in answer["figures"].items()}, Life(answer)

    def close(self, a, b, tolerance=1e-9):
        self.assertTrue(math.isclose(a, b, rel_tol=tolerance), f"{a} is not {b}")

    def test_the_bill_adds_up(self):
        for name, answer, figure, life in self.answers():
            with self.subTest(name):
                params = life.input["params"]
                self.close(figure["served_tokens"], life.served)
                self.close(figure["tokens"], life.tokens, 1e-7)
                self.close(figure["rl_tokens"], life.rollouts)
                self.close(figure["cost"], life.cost(params, life.tokens), 1e-7)
                self.close(figure["cost_pretraining"] + figure["cost_rl"] + figure["cost_serving"], figure["cost"])
                self.close(figure["loss"], life.loss(params, life.tokens))
                self.close(figure["over_rule"], life.tokens / life.input["tokens_per_param"] / params, 1e-7)

    def test_no_other_size_reaches_the_loss_for_less(self):
        for name, answer, figure, life in self.answers():
            with self.subTest(name):
                best = figure["best_params"]
                self.close(figure["best_tokens"], life.tokens_at(best), 1e-6)
                self.close(figure["best_cost"], life.cost(best, life.tokens_at(best)), 1e-6)
                self.assertLessEqual(figure["best_cost"], min(life.cost(n, life.tokens_at(n)) for n in around(best)) * (1 + 1e-9))

    def test_no_other_split_of_the_budget_has_a_lower_loss(self):
        for name, answer, figure, life in self.answers():
            with self.subTest(name):
                product = figure["budget"] / life.flop
                size = lambda tokens: product / (life.pre * tokens + life.others)
                self.close(figure["budget_params"], size(figure["budget_tokens"]), 1e-7)
                self.close(figure["budget_loss"], life.loss(figure["budget_params"], figure["budget_tokens"]))
                self.assertLessEqual(figure["budget_loss"], min(life.loss(size(d), d) for d in around(figure["budget_tokens"])) * (1 + 1e-12))

    def test_the_flat_range_is_where_it_says(self):
        for name, answer, figure, life in self.answers():
            for one in answer["flat"]:
                with self.subTest(name, within=one["within"]):
                    for end in (one["smallest"], one["largest"]):
                        self.close(life.cost(end, life.tokens_at(end)), figure["best_cost"] * (1 + one["within"]), 1e-5)

    def test_each_printed_formula_gives_its_value(self):
        for name, answer, figure, life in self.answers():
            self.assertGreater(len(answer["derivation"]), 40)
            for symbol, line in answer["derivation"].items():
                with self.subTest(name, symbol=symbol):
                    self.close(formulas.evaluate(line["formula"], line["operands"]), line["value"], 1e-9)
                    shown = formulas.quantity(line["shown"])
                    self.assertTrue(math.isclose(formulas.evaluate(line["numbers"]), shown, rel_tol=0.5001e-3), f"{line['numbers']} is not {line['shown']}")

    def test_a_budget_in_flop_is_that_many_at_the_efficiency_of_training(self):
        answer = ridge("lifecycle", "--budget", "1e26 FLOP", "--json").json()
        i = {key: one["value"] for key, one in answer["case"]["inputs"].items()}
        self.close(answer["figures"]["budget"]["value"], 1e26 / i["mfu.training"] / i["peak"] * i["price"])

    def test_ranges_hold_the_point_and_no_answer_holds_nan(self):
        answer = ridge("lifecycle", "--range", "served=1..100 Mtok/s", "--range", "mfu.decode=0.05..0.3", "--json").json()
        for key, one in answer["figures"].items():
            with self.subTest(key):
                self.assertLessEqual(one["range"][0], one["value"] * (1 + 1e-12))
                self.assertGreaterEqual(one["range"][1], one["value"] * (1 - 1e-12))
        for extreme in (["--served", "1e30 tok/s"], ["--tokens", "1"], ["--params", "1"], ["--params", "1e30"], ["--budget", "$1e-20"], ["--loss", "1e6"]):
            with self.subTest(extreme):
                run = ridge("lifecycle", *extreme)
                self.assertEqual(run.code, ANSWERED, str(run))
                self.assertEqual(not_numbers(run.out), [], run.out)
                self.assertEqual(ridge("lifecycle", *extreme, "--sensitivity", "--json").code, ANSWERED)


if __name__ == "__main__":
    unittest.main()
