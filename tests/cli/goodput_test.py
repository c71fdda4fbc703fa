"""Do published training runs come out of the failures that were published of them?"""

import unittest

from ridge_run import ANSWERED, ridge


class Goodput(unittest.TestCase):
    def test_llama_3_has_the_goodput_it_had(self):
        found = ridge("goodput", "--json").json()
        self.assertAlmostEqual(found["machine_mtbf"] / 3600, 54 * 24 / 419, delta=0.01)  # one unexpected failure in 3.1 h
        for row in found["rows"]:
            self.assertGreater(row["shares"]["goodput"], found["published"]["goodput_least"])
            self.assertAlmostEqual(sum(row["shares"].values()), 1, places=9)
        best = max(row["shares"]["goodput"] for row in found["rows"])
        print(f"\nLlama 3 405B: goodput {best:.1%} at best; published: over {found['published']['goodput_least']:.0%}, so no error can be given")

    def test_an_hour_for_a_restart_contradicts_what_was_published(self):
        found = ridge("goodput", "--restart", "1 h", "--json").json()
        self.assertLess(max(row["shares"]["goodput"] for row in found["rows"]), found["published"]["goodput_least"])

    def test_deepseek_v3_takes_the_days_it_took(self):
        days = 2.664e6 / 2048 / 24  # published GPU-hours
        error = days / 14.8 / 3.7 - 1  # published: 3.7 days a trillion tokens
        print(f"\nDeepSeek-V3: {days / 14.8:.2f} days a trillion tokens, {error:+.1%}")
        self.assertLess(abs(error), 0.015)
        found = ridge("goodput", "--chips", "2048", "--work", f"{days} days", "--json").json()
        self.assertNotIn("published", found)
        self.assertGreater(max(row["shares"]["goodput"] for row in found["rows"]), 0.98)

    def test_formulas_and_simulation_agree(self):
        for words in ([], ["--chips", "2048"], ["--storage", "100 GB/s"], ["--chips", "100000", "--restart", "3 min"]):
            for row in ridge("goodput", *words, "--json").json()["rows"]:
                with self.subTest(words=words, checkpoints=row["checkpoints"]):
                    there = row["simulated"]
                    self.assertAlmostEqual(there["shares"]["goodput"], row["shares"]["goodput"], delta=0.005)
                    self.assertGreaterEqual(there["shares"]["goodput"], there["best_goodput"] - 0.004)  # the interval taken is as good as any

    def test_the_same_seed_gives_the_same_bytes(self):
        self.assertEqual(ridge("goodput", "--seed", "3").raw, ridge("goodput", "--seed", "3").raw)

    def test_a_run_that_cannot_go_on_is_an_answer(self):
        run = ridge("goodput", "--mtbf", "1 h")
        self.assertEqual(run.code, ANSWERED)
        self.assertIn("never end", run.out)


if __name__ == "__main__":
    unittest.main()
