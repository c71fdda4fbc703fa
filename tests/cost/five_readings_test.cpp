// Every cost equation compiles for all five scalars, and they agree.

#include <array>
#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "base/number/lanes.hpp"
#include "base/number/traced.hpp"
#include "cost/money.hpp"
#include "cost/operation.hpp"
#include "cost/round_chip.hpp"
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

namespace {

/// What an operation is given beside the chip: a few numbers of every kind.
template <class S>
struct OperationLoad {
  Flops<S> work;
  Bytes<S> moved, sent;
  Ratio<S> tokens, rows, blocks, touched;
  Tokens<S> context;

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit(self.work);
    visit(self.moved);
    visit(self.sent);
    visit(self.tokens);
    visit(self.rows);
    visit(self.blocks);
    visit(self.touched);
    visit(self.context);
  }
};

OperationLoad<double> usual_load() {
  return {.work = Flops<double>(3e11),
          .moved = Bytes<double>(4e8),
          .sent = Bytes<double>(5e5),
          .tokens = 96.0,
          .rows = 192.0,
          .blocks = 64.0,
          .touched = 12.0,
          .context = Tokens<double>(4000.0)};
}

/// The functions of cost/operation.hpp, each in its variants.
const auto kOperations = std::make_tuple(
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return product_time(r, Precision::bits16, x.work, x.moved, x.sent, 4.096);
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return product_time(r, Precision::bits8, x.work, x.moved, x.sent, 4.096);
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return product_time(r, Precision::bits4, x.work, x.moved, x.sent, 4.096);
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return decode_attention_time(r, DecodeAttention<S>{x.work, x.moved, x.blocks, x.touched, x.context, 512});
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return decode_attention_time(r, DecodeAttention<S>{x.work, x.moved, x.blocks, x.touched, x.context, 2176});
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return prefill_attention_time(r, x.rows * x.tokens, x.rows, 512, x.moved, x.blocks);
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return r.chip.small_time * touched_experts(x.tokens, 32.0, 0.03);
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return r.chip.small_time * touched_experts(x.tokens, 32.0, 0.03, r.kernel.expert_skew);
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return r.chip.small_time * busiest(x.touched, x.rows, 1.03);
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return experts_time(r, {Precision::bits8, false, false}, x.tokens, x.rows, x.touched, x.work / x.rows, x.moved,
                          x.sent);
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return experts_time(r, {Precision::bits8, true, false}, x.tokens, x.rows, x.touched, x.work / x.rows, x.moved,
                          x.sent);
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return experts_time(r, {Precision::bits16, false, true}, x.tokens, x.rows, x.touched, x.work / x.rows, x.moved,
                          x.sent);
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) { return small_kernels_time(r, x.rows, x.moved); },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) { return all_reduce_time(r, x.sent, 8.0); },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return all_reduce_time(r, x.sent, Span{8, 3, true, true, false});
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return all_reduce_time(r, x.sent, Span{64, 1, true, false, true});
    },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) { return gather_time(r, x.sent, 8.0); },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) { return all_to_all_time(r, x.sent); },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) { return all_to_all_time(r, x.sent, x.moved); },
    []<class S>(const ChipPaces<S>& r, const OperationLoad<S>& x) {
      return hop_time(r, x.sent, true) + hop_time(r, x.sent, false);
    });

/// Every number of a chip and of a load, as one list.
std::vector<double> all_inputs(const ChipRates<double>& rates, const OperationLoad<double>& load) {
  std::vector<double> values;
  const auto add = [&](const auto& quantity) { values.push_back(quantity.value()); };
  visit_rates(rates, add);
  OperationLoad<double>::visit_fields(load, add);
  return values;
}

/// An operation with its inputs in another reading: make(index) supplies each scalar.
template <class S, class Operation, class Make>
S read(const Operation& operation, Make&& make) {
  ChipRates<S> rates;
  OperationLoad<S> load;
  std::size_t index = 0;
  const auto fill = [&]<Dimension D>(Quantity<D, S>& quantity) { quantity = Quantity<D, S>(make(index++)); };
  visit_rates(rates, fill);
  OperationLoad<S>::visit_fields(load, fill);
  return operation(ChipPaces<S>(rates), load).value();
}

/// The usual inputs, each moved by up to a third: no two of them equal, no minimum of two equals.
std::vector<double> moved_inputs(std::mt19937_64& random) {
  std::uniform_real_distribution<double> factor(0.75, 1.33);
  std::vector<double> values = all_inputs(round_chip(), usual_load());
  for (double& value : values) value *= factor(random);
  return values;
}

/// calls check(operation, inputs) for every operation at several points.
template <class Check>
void over_operations(Check&& check) {
  constexpr unsigned kSeed = 15;
  constexpr int kPoints = 20;
  std::mt19937_64 random(kSeed);
  for (int point = 0; point < kPoints; ++point) {
    const std::vector<double> inputs = moved_inputs(random);
    int which = 0;
    const auto one = [&](const auto& operation) {
      CAPTURE(point);
      CAPTURE(which);
      check(operation, inputs);
      ++which;
    };
    std::apply([&](const auto&... operations) { (one(operations), ...); }, kOperations);
  }
}

}  // namespace

TEST_CASE("every operation takes the same time in all five readings, to the last bit") {
  over_operations([](const auto& operation, const std::vector<double>& x) {
    const double expected = read<double>(operation, [&](std::size_t i) { return x[i]; });
    REQUIRE(expected > 0);
    CHECK(number(read<Dual>(operation, [&](std::size_t i) { return Dual(x[i], 1.0); })) == expected);
    CHECK(number(read<Traced>(operation, [&](std::size_t i) { return Traced(x[i]); })) == expected);
    CHECK(number(read<Lanes>(operation, [&](std::size_t i) { return Lanes(x[i]); })) == expected);
    const Interval around = read<Interval>(operation, [&](std::size_t i) { return Interval(x[i]); });
    CHECK(around.contains(expected));
    CHECK(around.width() <= 1e-12 * expected);  // some tens of roundings, a power among them
  });
}

TEST_CASE("an operation's interval holds its time at every point of the box") {
  std::mt19937_64 random(16);
  std::uniform_real_distribution<double> at(0.98, 1.02);
  over_operations([&](const auto& operation, const std::vector<double>& x) {
    const Interval around =
        read<Interval>(operation, [&](std::size_t i) { return Interval(0.98 * x[i], 1.02 * x[i]); });
    for (int sample = 0; sample < 5; ++sample)
      CHECK(around.contains(read<double>(operation, [&](std::size_t i) { return at(random) * x[i]; })));
  });
}

TEST_CASE("an operation's derivative by every input is the slope of its times") {
  // central differences of 1e-5 of the input: their own error is below 1e-8 of time over input
  constexpr double kStep = 1e-5, kError = 1e-7;
  over_operations([&](const auto& operation, const std::vector<double>& x) {
    const double here = read<double>(operation, [&](std::size_t i) { return x[i]; });
    for (std::size_t moving = 0; moving < x.size(); ++moving) {
      CAPTURE(moving);
      const auto time_at = [&](double factor) {
        return read<double>(operation, [&](std::size_t i) { return i == moving ? factor * x[i] : x[i]; });
      };
      const double slope = (time_at(1 + kStep) - time_at(1 - kStep)) / (2 * kStep * x[moving]);
      const Dual dual = read<Dual>(operation, [&](std::size_t i) { return Dual(x[i], i == moving ? 1.0 : 0.0); });
      CHECK(std::fabs(dual.slope - slope) <= kError * here / x[moving]);
    }
  });
}
