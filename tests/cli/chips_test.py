"""ridge chips from the outside: ratios of the catalog's numbers, by vendor and order."""

import unittest

from ridge_run import BAD_INPUT, WRONG_USAGE, ridge


class Chips(unittest.TestCase):
    def test_numbers_follow_from_the_catalog(self):
        found = ridge("chips", "--json").json()
        self.assertEqual(found["sparsity"], 32)  # 256 experts, 8 for a token
        for row in found["rows"]:
            with self.subTest(row["name"]):
                for one in row["formats"]:
                    self.assertAlmostEqual(one["ridge_batch_sparse"], 32 * one["ridge_batch"])
                    self.assertAlmostEqual(one["flop_per_byte"] / (one["peak"] / (row["domain_bandwidth"] / row["chips"])), 1)
                    if row["price"]:
                        self.assertAlmostEqual(one["dollars_per_flop"] * one["peak"], row["price"])
                if row["scale_up"] and row["scale_out"]:
                    self.assertAlmostEqual(row["network_ratio"], row["scale_up"] / row["scale_out"])

    def test_vendor_and_order(self):
        rows = ridge("chips", "--vendor", "amd", "--sort", "sweep", "--json").json()["rows"]
        self.assertTrue(rows)
        self.assertEqual({row["vendor"] for row in rows}, {"AMD"})
        sweeps = [row["sweep"] for row in rows]
        self.assertEqual(sweeps, sorted(sweeps, reverse=True))
        for wrong in (["--vendor", "acme"], ["--sort", "color"]):
            self.assertEqual(ridge("chips", *wrong).code, BAD_INPUT, wrong)
        self.assertEqual(ridge("chips", "--sparsity", "0.5").code, WRONG_USAGE)
        self.assertIn("NVIDIA", ridge("chips", "--vendor", "acme").err)


if __name__ == "__main__":
    unittest.main()
