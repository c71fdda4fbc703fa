// Is the price of an owned chip right? Worked by hand.

#include "cost/money.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"

using namespace ridge;
using doctest::Approx;

namespace {

constexpr double kHour = 3600;

OwnershipCase<double> h100() {
  return {.capex = Dollars<double>(31000),
          .life = Seconds<double>(4 * 365.25 * 86400),  // 35,064 hours
          .power = Watts<double>(1730),
          .pue = 1.0,
          .electricity = DollarsPerJoule<double>(0.08 / 3.6e6),
          .cost_of_capital = 0.08};
}

}  // namespace

TEST_CASE("an owned H100 costs its capex over its life, interest on half of it, and its energy") {
  const auto price = owned_price(h100());
  // 31,000 / 35,064 h = $0.88410/h
  CHECK(price.depreciation.value() * kHour == Approx(0.884098).epsilon(1e-5));
  // 8 % of 15,500 (half the capex) a year = 1,240 / 8,766 h = $0.14146/h
  CHECK(price.interest.value() * kHour == Approx(0.141456).epsilon(1e-5));
  // 1.73 kW * $0.08/kWh = $0.1384/h
  CHECK(price.energy.value() * kHour == Approx(0.1384).epsilon(1e-12));
  CHECK(price.total().value() * kHour == Approx(1.163954).epsilon(1e-5));
}

TEST_CASE("each part scales with what drives it and nothing else") {
  auto dear = h100();
  dear.electricity = dear.electricity * 3.0;
  CHECK(owned_price(dear).energy.value() == Approx(3 * owned_price(h100()).energy.value()));
  CHECK(owned_price(dear).depreciation == owned_price(h100()).depreciation);
  CHECK(owned_price(dear).interest == owned_price(h100()).interest);
  auto hot = h100();
  hot.pue = 1.5;
  CHECK(owned_price(hot).energy.value() == Approx(1.5 * owned_price(h100()).energy.value()));
  auto lasting = h100();
  lasting.life = lasting.life * 2.0;
  CHECK(owned_price(lasting).depreciation.value() == Approx(0.5 * owned_price(h100()).depreciation.value()));
  CHECK(owned_price(lasting).interest == owned_price(h100()).interest);  // half the price is tied up, however long
}

TEST_CASE("asking for the owned price of the catalog's H100 gives the price worked by hand") {
  const Library& library = testing::library();
  const Machine* machine = find_named(library.machines, "hgx-h100");
  REQUIRE(machine != nullptr);
  REQUIRE(machine->owned.has_value());
  const Ownership& owned = *machine->owned;
  const auto price =
      owned_price(OwnershipCase<double>{owned.capex.value, owned.life.value, owned.power.value, owned.pue.value,
                                        owned.electricity.value, owned.cost_of_capital.value});
  CHECK(price.total().value() * kHour == Approx(1.163954).epsilon(1e-5));
}
