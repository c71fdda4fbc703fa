// Every cost equation compiles for all five scalars, and they agree.

#include <doctest/doctest.h>

#include "base/dual.hpp"
#include "base/interval.hpp"
#include "base/lanes.hpp"
#include "base/traced.hpp"
#include "cost/money.hpp"
#include "model/square_root_attention.hpp"

using namespace ridge;

namespace {

template <class S>
S price_of_a_chip() {
  const OwnershipCase<S> owned{.capex = Dollars<S>(S(54000.0)),
                               .life = Seconds<S>(S(126230400.0)),
                               .power = Watts<S>(S(2100.0)),
                               .pue = Ratio<S>(S(1.25)),
                               .electricity = DollarsPerJoule<S>(S(0.08 / 3.6e6)),
                               .cost_of_capital = Ratio<S>(S(0.08))};
  return owned_price(owned).total().value();
}

template <class S>
S tokens_read() {
  const Tokens<S> context(S(65536.0));
  const Ratio<S> chosen(S(16.0));
  const Tokens<S> ideal = two_level_read(context, best_block(context, chosen), chosen);
  const Tokens<S> compressed = compressed_read(context, chosen, Tokens<S>(S(1024.0)), Tokens<S>(S(512.0)));
  return (ideal + compressed).value();
}

template <class S>
S bytes_read() {
  return indexed_read(Tokens<S>(S(65536.0)), BytesPerToken<S>(S(128.0)), Tokens<S>(S(2048.0)),
                      BytesPerToken<S>(S(576.0)))
      .value();
}

double number(const Dual& x) { return x.value; }
double number(const Traced& x) { return x.value(); }
double number(const Lanes& x) {
  double all[Lanes::size()];
  x.store(all);
  return all[Lanes::size() - 1];
}

template <class Equation>
void all_agree(Equation&& equation) {
  const double expected = equation.template operator()<double>();
  CHECK(number(equation.template operator()<Dual>()) == expected);
  CHECK(number(equation.template operator()<Traced>()) == expected);
  CHECK(number(equation.template operator()<Lanes>()) == expected);
  const Interval around = equation.template operator()<Interval>();
  CHECK(around.contains(expected));
  CHECK(around.width() <= 1e-14 * expected);
}

}  // namespace

TEST_CASE("an owner's price is the same number in all five readings") {
  // by hand: 54000 / 35064 h + 54000 x 0.08 / 2 / 8766 h + 2.1 kW x 1.25 x $0.08 = 1.5400 + 0.2464 + 0.2100 = $1.9964/h
  CHECK(price_of_a_chip<double>() * 3600 == doctest::Approx(1.9964).epsilon(1e-4));
  all_agree([]<class S>() { return price_of_a_chip<S>(); });
}

TEST_CASE("what sparse attention reads is the same number in all five readings") {
  // by hand: 2 sqrt(16 x 65536) = 2048, and 65536 / 16 + 1024 + 512 = 5632
  CHECK(tokens_read<double>() == doctest::Approx(2048 + 5632));
  all_agree([]<class S>() { return tokens_read<S>(); });
  // by hand: 65536 x 128 + 2048 x 576 = 9,568,256
  CHECK(bytes_read<double>() == 9568256);
  all_agree([]<class S>() { return bytes_read<S>(); });
}
