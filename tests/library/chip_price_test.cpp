// What a chip costs by the catalog, and what is said where it does not say.

#include "library/chip_price.hpp"

#include <doctest/doctest.h>

namespace chip_price_test {

using namespace ridge;
using doctest::Approx;

namespace {

Machine machine() {
  Machine out;
  out.name = "test-8";
  out.rental =
      Sourced<DollarsPerSecond<double>>{DollarsPerSecond<double>(2.0 / 3600), {"list", Kind::datasheet, "1 y"}};
  const Provenance guess{"guess", Kind::assumed};
  Ownership owned;
  owned.capex = {Dollars<double>(54000), guess};
  owned.life = {Seconds<double>(126230400.0), guess};
  owned.power = {Watts<double>(2100), guess};
  owned.pue = {Ratio<double>(1.25), guess};
  owned.electricity = {DollarsPerJoule<double>(0.08 / 3.6e6), guess};
  owned.cost_of_capital = {Ratio<double>(0.08), guess};
  out.owned = owned;
  return out;
}

}  // namespace

TEST_CASE("a chip is rented where nobody chose and the catalog has a rent") {
  const auto price = chip_price(machine(), {});
  REQUIRE(price);
  CHECK(price->price.value.value() * 3600 == Approx(2));
  CHECK(price->price.from.note == "rented, 1 y");
  CHECK(!price->owned);
}

TEST_CASE("an owner's price is made of what the catalog has, and says so") {
  // by hand in five_readings_test: $1.9964/h
  const auto price = chip_price(machine(), "owned");
  REQUIRE(price);
  CHECK(price->price.value.value() * 3600 == Approx(1.9964).epsilon(1e-4));
  CHECK(price->price.from.kind == Kind::assumed);
  CHECK(price->owned);
  Machine only_owned = machine();
  only_owned.rental.reset();
  CHECK(chip_price(only_owned, {})->price.value == price->price.value);
}

TEST_CASE("a price that the catalog has not is an error about the price") {
  Machine no_rent = machine();
  no_rent.rental.reset();
  const auto missing = chip_price(no_rent, "rental");
  REQUIRE(!missing);
  CHECK(missing.error().front().where == "price");
  CHECK(missing.error().front().what == "test-8 has no rental price");
  CHECK(chip_price(machine(), "leased").error().front().what == "test-8 has no \"leased\" price");
}

}  // namespace chip_price_test
