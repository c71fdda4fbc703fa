// Are the numbers that decide those of the datasheet?

#include "roofline/chip_numbers.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "catalog_library.hpp"

namespace chip_numbers_test {

using namespace ridge;
using doctest::Approx;

namespace {

const std::vector<ChipNumbers>& numbers() {
  static const std::vector<ChipNumbers> all = chip_numbers(ridge::testing::library(), {});
  return all;
}

const ChipNumbers& numbers_named(const std::string& name) {
  const auto found =
      std::find_if(numbers().begin(), numbers().end(), [&](const ChipNumbers& one) { return one.name == name; });
  REQUIRE(found != numbers().end());
  return *found;
}

}  // namespace

TEST_CASE("an H100 does 295 FLOP a byte in 16 bit, and its memory is swept in 24 ms") {
  const ChipNumbers& h100 = numbers_named("hgx-h100");
  REQUIRE(h100.in("bf16") != nullptr);
  // 989.4 TFLOP/s over 3.35 TB/s; 80 GB over 3.35 TB/s
  CHECK(h100.in("bf16")->intensity.value() == Approx(295.3).epsilon(0.002));
  CHECK(h100.sweep.value() == Approx(0.02388).epsilon(0.001));
  CHECK(h100.in("fp4") == nullptr);
  CHECK(h100.smallest().format == "fp8");
  // a parameter is 2 byte and 2 FLOP: the batch is FLOP a byte; in fp8 twice the FLOP on half of the bytes
  CHECK(h100.in("bf16")->ridge_batch.value() == Approx(h100.in("bf16")->intensity.value()));
  CHECK(h100.in("fp8")->ridge_batch.value() == Approx(h100.in("fp8")->intensity.value() / 2));
}

TEST_CASE("a GB200 rack has 72 chips in reach and is what its chips are together") {
  const ChipNumbers& rack = numbers_named("gb200-nvl72");
  CHECK(rack.domain == 72);
  CHECK(rack.domain_memory.value() == Approx(72 * rack.chip->capacity.value.value()));
  CHECK(rack.domain_bandwidth.value() == Approx(72 * 8e12));
  REQUIRE(rack.network_ratio);
  CHECK(rack.network_ratio->value() == Approx(900.0 / 50));
  // $3.30 an hour for 10 PFLOP/s in fp4 and 8 TB/s
  REQUIRE(rack.smallest().cost);
  CHECK(rack.smallest().cost->value() * 1e15 * 3600 == Approx(0.33));
  REQUIRE(rack.read_cost);
  CHECK(rack.read_cost->value() * 1e12 * 3600 == Approx(0.4125));
  // 13.4 TB in 4 bit: its weights alone
  CHECK(rack.largest.value() == Approx(rack.domain_memory.value() / 0.5));
}

TEST_CASE("every chip of the catalog is there once, and every machine") {
  const Library& library = ridge::testing::library();
  CHECK(numbers().size() >= library.machines.size());
  for (const Chip& chip : library.chips) {
    CAPTURE(chip.name);
    CHECK(std::any_of(numbers().begin(), numbers().end(), [&](const ChipNumbers& one) { return one.chip == &chip; }));
  }
}

TEST_CASE("a generation is compared with the one before it of the same vendor") {
  const auto generations = generations_of(numbers());
  for (const Generation& one : generations) {
    if (one.before == nullptr) continue;
    CHECK(one.before->chip->vendor == one.now->chip->vendor);
    CHECK(one.before->chip->year < one.now->chip->year);
  }
  const auto rubin = std::find_if(generations.begin(), generations.end(),
                                  [](const Generation& one) { return one.now->name == "rubin-nvl144"; });
  REQUIRE(rubin != generations.end());
  CHECK(rubin->before->domain == 72);
}

}  // namespace chip_numbers_test
