// What tokens cost, by hand; the same in all five readings; and what can be read back.

#include <cmath>

#include <doctest/doctest.h>

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "base/number/lanes.hpp"
#include "base/number/traced.hpp"
#include "price/infer/observables.ipp"
#include "price/make/price_break.hpp"

namespace sheet_terms_test {

using namespace ridge;
using doctest::Approx;

namespace {

/// 100 billion parameters of a byte, all used, on one chip of 1 PFLOP/s and 4 TB/s at $3.60 an hour; 100 sequences of
/// 10,000 tokens that keep 10 kB for each.
template <class S>
SheetCase<S> plain_case() {
  SheetCase<S> c;
  DecodeCase<S>& d = c.decode;
  const auto number = [](double value) { return Ratio<S>(S(value)); };
  d.chips = d.experts = d.experts_per_token = number(1);
  d.matmul_weights = d.matmul_experts = d.matmul_attention = FlopsPerSecond<S>(S(1e15));
  d.hbm_bandwidth = BytesPerSecond<S>(S(4e12));
  d.hbm_capacity = Bytes<S>(S(200e9));
  d.price = DollarsPerSecond<S>(S(1e-3));
  d.utilization = number(0.5);
  d.params_dense = Params<S>(S(100e9));
  d.params_routed = d.params_lookup = Params<S>(S(0.0));
  d.width_weights = d.width_experts = d.width_lookup = BytesPerParam<S>(S(1.0));
  d.kv_stored = d.kv_read = BytesPerToken<S>(S(10e3));
  d.attention_flops = FlopsPerToken<S>(S(0.0));
  d.batch = number(100);
  d.context = Tokens<S>(S(10e3));
  c.mfu_prefill = number(0.5);
  c.share_decode = number(0.5);
  c.markup = number(2);
  c.prefill_attention = FlopsPerToken<S>(S(20e9));
  c.fetch = BytesPerSecond<S>(S(40e9));
  c.write = BytesPerSecond<S>(S(20e9));
  c.hold = DollarsPerByteSecond<S>(S(1e-16));
  c.fast_input = number(1.5);
  c.fast_output = number(3);
  c.batch_input = number(0.9);
  c.batch_output = number(0.5);
  c.batch_utilization = number(1);
  return c;
}

double number(const Dual& x) { return x.value; }
double number(const Traced& x) { return x.value(); }
double number(const Lanes& x) {
  double all[Lanes::size()];
  x.store(all);
  return all[Lanes::size() - 1];
}

}  // namespace

TEST_CASE("a sheet's prices are those worked out by hand") {
  const auto e = estimate_sheet(plain_case<double>());
  // input: (2 x 100e9 + 20e9) / (1e15 x 0.5) = 440 us, and 10e3 / 4e12 = 2.5 ns for the context; $1e-3/s at half use:
  // $2e-3/s
  CHECK(e.input_compute.value() == Approx(440e-6));
  CHECK(e.input_write.value() == Approx(2.5e-9));
  CHECK(e.input_cost.value() == Approx(2e-3 * 440.0025e-6));
  // output: reading 1e11 B / 100 + 1e8 B = 1.1e9 B a sequence at 2 TB/s: 550 us; computing 400 us
  CHECK(e.output_time.value() == Approx(550e-6));
  CHECK(e.output.value() == Approx(2 * 2e-3 * 550e-6));
  // cached: 10e3 / 40e9 = 250 ns, and read once in 5 ns
  CHECK(e.cached_cost.value() == Approx(2e-3 * 255e-9));
  // write: 10e3 / 20e9 = 500 ns at $2e-3/s, twice; hold: 10e3 x 1e-16 = $1e-12 a second, twice
  CHECK(e.tariff.premium.value() == Approx(2e-9));
  CHECK(e.tariff.hold.value() == Approx(2e-12));
  CHECK(write_price(e.tariff, e.input, Seconds<double>(300.0)).value() == Approx(e.input.value() + 2e-9 + 6e-10));
  // fast: the costs over the usual are given; batch: those, and chips in use all the time instead of half
  CHECK(e.fast_input.value() == Approx(1.5 * e.input.value()));
  CHECK(e.fast_output.value() == Approx(3 * e.output.value()));
  CHECK(e.batch_idle.value() == Approx(0.5));
  CHECK(e.batch_input.value() == Approx(0.45 * e.input.value()));
  CHECK(e.batch_output.value() == Approx(0.25 * e.output.value()));
  // slow: at the peaks, with weights shared by ever more, compute binds at 200 us of the 550
  CHECK(e.slow_saving.value() == Approx(1 - 200.0 / 550));
  // reading takes as long as computing, at the peaks: 200 us x 4 TB/s / 10 kB
  CHECK(e.balance_context.value() == Approx(80e3));
}

TEST_CASE("all readings of a sheet agree") {
  const auto expected = output_values(estimate_sheet(plain_case<double>()));
  const auto lanes = output_values(estimate_sheet(plain_case<Lanes>()));
  const auto duals = output_values(estimate_sheet(plain_case<Dual>()));
  const auto traced = output_values(estimate_sheet(plain_case<Traced>()));
  const auto around = output_values(estimate_sheet(plain_case<Interval>()));
  for (std::size_t i = 0; i < kSheetOutputs; ++i) {
    CAPTURE(i);
    CHECK(number(lanes[i]) == expected[i]);
    CHECK(number(duals[i]) == expected[i]);
    CHECK(number(traced[i]) == expected[i]);
    CHECK(around[i].contains(expected[i]));
    CHECK(around[i].width() <= 1e-12 * std::fabs(expected[i]));
  }
}

TEST_CASE("a fast mode of a model that reads all weights gives its weight share back") {
  // 10 sequences that read 1e11 B of weights and 1e8 B of context each: weights are 1e11 / 1.01e11 of the step
  for (const double load : {0.1, 0.3, 0.7}) {
    const double price = (1e11 / (10 * load) + 1e8) / (1e11 / 10 + 1e8), speed = 1.01e11 / (1e11 + load * 1e9);
    const auto read = read_fast<double>(price, speed);
    CHECK(read.batch_ratio.value() == Approx(1 / load));
    CHECK(read.weight_share.value() == Approx(1e11 / 1.01e11));
    CHECK(read.ceiling.value() == Approx(1.01));
  }
}

TEST_CASE("a provider's own units give what the sheet's equations give") {
  const Provider<double> p = provider_of<double>([](std::size_t i) {
    constexpr std::array<double, kUnknowns> values = {100e9, 8,   20e3, 1,   300,  5e-19, 0.6, 2.5,
                                                      0.4,   0.3, 64,   6e3, 0.02, 3,     1.2, 0.9};
    return values[i];
  });
  const auto usual = estimate_sheet(sheet_case(p));
  const FastMode fast{.load = 0.25, .speed = 2};
  CHECK(observe(Observable::input, p, fast) == Approx(usual.input.value()));
  CHECK(observe(Observable::output, p, fast) == Approx(usual.output.value()));
  CHECK(observe(Observable::output_over_input, p, fast) == Approx(usual.output_over_input.value()));
  CHECK(observe(Observable::cached_over_input, p, fast) == Approx(usual.cached_over_input.value()));
  CHECK(usual.balance_context.value() == Approx(20e3));
  CHECK(observe(Observable::long_above, p, fast) == Approx(60e3));
  // the same equations with another batch or context: chip time is T / B, and T(B) / T(B/4) the speed
  Provider<double> few = p, longer = p;
  few.batch = 16.0;
  longer.context = Tokens<double>(60e3);
  const double fast_time = estimate_sheet(sheet_case(few)).output_time.value() * 16;
  CHECK(observe(Observable::fast_speed, p, fast) == Approx(0.9 * usual.output_time.value() * 64 / fast_time));
  CHECK(observe(Observable::long_output, p, fast) ==
        Approx(1.2 * (estimate_sheet(sheet_case(longer)).output / usual.output).value()));
  // 100e9 x 1 / (300 x 20e3)
  CHECK(observe(Observable::kv, p, fast) == Approx(16666.7).epsilon(1e-5));
}

BandCost costs(double length, double share, double input, double output) {
  return {{Tokens<double>(length), share}, DollarsPerToken<double>(input), DollarsPerToken<double>(output)};
}

TEST_CASE("the step for long contexts stands where the least money moves") {
  // two lengths: the step must part them, and nothing is left to move
  const Tokens<double> answer(100.0);
  const auto two = best_step({costs(100e3, 0.5, 2e-6, 9e-6), costs(1000, 0.5, 1e-6, 3e-6)}, answer);
  REQUIRE(two);
  CHECK(two->above.value() == 10000.0);  // the middle of both
  CHECK(two->moved == Approx(0.0));
  CHECK(two->input() == Approx(2.0));
  CHECK(two->output() == Approx(3.0));
  CHECK(two->over.tokens == Approx(0.5));
  // as many tokens in requests a hundred times as long: one in 101 of them
  CHECK(two->over.requests == Approx(1.0 / 101));
  // at one price, with 100 short requests for a long one: input costs 1.5e-6 on average, output
  // (100 x 3e-6 + 9e-6) / 101 = 3.0594e-6. A short one pays 1000 x 0.5e-6 + 100 x 0.0594e-6 = 5.0594e-4 too much, of
  // all 100 x (1e-3 + 3e-4) + (0.2 + 9e-4) = 0.3309
  CHECK(two->moved_without == Approx(100 * (5e-4 + 100 * (309e-6 / 101 - 3e-6)) / 0.3309));
  CHECK_FALSE(best_step({costs(1000, 1.0, 1e-6, 3e-6)}, answer));
  // costs that rise with the length: a step helps, wherever it stands
  std::vector<BandCost> rising;
  for (const DemandBand& band : lognormal_demand(Tokens<double>(12e3), 1.2, Tokens<double>(1e6)))
    rising.push_back({band, DollarsPerToken<double>(1e-6 + 1e-11 * band.length.value()),
                      DollarsPerToken<double>(3e-6 + 3e-10 * band.length.value())});
  const auto many = best_step(rising, answer);
  REQUIRE(many);
  CHECK(many->moved < many->moved_without);
  CHECK(many->output() > many->input());
  CHECK(many->below.requests + many->over.requests == Approx(1.0));
  const DemandSide all = whole_demand(rising);
  CHECK(all.prompt.value() == Approx(12e3).epsilon(1e-6));  // the mean that was asked for
}

TEST_CASE("demand has the mean that is asked for, also where it is cut off") {
  for (const double longest : {30e3, 100e3, 1e6}) {
    const auto bands = lognormal_demand(Tokens<double>(12e3), 1.2, Tokens<double>(longest));
    double tokens = 0, requests = 0;
    for (const DemandBand& band : bands) {
      CHECK(band.length.value() <= longest);
      tokens += band.share;
      requests += band.share / band.length.value();
    }
    CHECK(tokens == Approx(1.0));
    CHECK(1 / requests == Approx(12e3).epsilon(1e-6));
  }
  CHECK(lognormal_demand(Tokens<double>(12e3), 1.2, Tokens<double>(12.5e3)).size() == 1);  // no such mean below that
}

}  // namespace sheet_terms_test
