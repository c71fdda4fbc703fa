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
  out.reserved_3y =
      Sourced<DollarsPerSecond<double>>{DollarsPerSecond<double>(2.0 / 3600), {"list", Kind::datasheet, "a quote"}};
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

/// On-demand twice as dear as for three years, and a year in between.
Library rules() {
  Library library;
  NumbersEntry rental;
  rental.name = "rental";
  rental.numbers["on_demand"].value.value = 1;
  rental.numbers["reserved_1y"].value.value = 0.8;
  rental.numbers["reserved_3y"].value.value = 0.5;
  library.contracts.push_back(rental);
  return library;
}

}  // namespace

TEST_CASE("a chip is rented for three years where nobody chose") {
  const auto price = chip_price(machine(), {}, rules());
  REQUIRE(price);
  CHECK(price->price.value.value() * 3600 == Approx(2));
  CHECK(price->price.from.note == "rented, reserved-3y, a quote");
  CHECK(!price->owned);
  CHECK(!price->filled);
}

TEST_CASE("a contract that nobody lists is filled from one that is listed, and says so") {
  // $2 for three years are half of on-demand: $4 on demand, and 0.8 of that for a year
  const auto on_demand = chip_price(machine(), PriceBasis::on_demand, rules());
  REQUIRE(on_demand);
  CHECK(on_demand->price.value.value() * 3600 == Approx(4));
  CHECK(on_demand->filled);
  CHECK(on_demand->price.from.kind == Kind::assumed);
  CHECK(on_demand->price.from.note == "rented, on-demand: 2x the reserved-3y price of $2.00/h");
  CHECK(chip_price(machine(), PriceBasis::reserved_1y, rules())->price.value.value() * 3600 == Approx(3.2));
  CHECK(!chip_price(machine(), PriceBasis::on_demand, Library{}));  // no rule, no price
  // a price whose contract nobody says stands for each
  Machine leased = machine();
  leased.rental = leased.reserved_3y;
  leased.reserved_3y.reset();
  for (const PriceBasis basis : {PriceBasis::on_demand, PriceBasis::reserved_1y, PriceBasis::reserved_3y}) {
    const auto price = chip_price(leased, basis, rules());
    CHECK(price->price.value.value() * 3600 == Approx(2));
    CHECK(price->price.from.note == "rented, under a contract nobody says, a quote");
  }
}

TEST_CASE("an owner's price is made of what the catalog has, and says so") {
  // by hand in five_readings_test: $1.9964/h
  const auto price = chip_price(machine(), PriceBasis::owned, rules());
  REQUIRE(price);
  CHECK(price->price.value.value() * 3600 == Approx(1.9964).epsilon(1e-4));
  CHECK(price->price.from.kind == Kind::assumed);
  CHECK(price->owned);
  Machine only_owned = machine();
  only_owned.reserved_3y.reset();
  CHECK(chip_price(only_owned, {}, rules())->price.value == price->price.value);
}

TEST_CASE("a price that the catalog has not is an error about the price") {
  Machine no_rent = machine();
  no_rent.reserved_3y.reset();
  const auto missing = chip_price(no_rent, PriceBasis::reserved_3y, rules());
  REQUIRE(!missing);
  CHECK(missing.error().front().where == "price");
  CHECK(missing.error().front().what == "test-8 has no reserved-3y price");
  CHECK(parse_price_basis("leased", "price_basis").error().front().what == "unknown price basis \"leased\"");
  CHECK(parse_price_basis("rented", "price").value() == kUsualBasis);
  for (const PriceBasis basis : kPriceBases) CHECK(parse_price_basis(name_of(basis), "price").value() == basis);
}

}  // namespace chip_price_test
