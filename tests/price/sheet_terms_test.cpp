// What tokens cost, by hand; the same in all five readings; and what can be read back.

#include <cmath>

#include <doctest/doctest.h>

#include "base/dual.hpp"
#include "base/interval.hpp"
#include "base/lanes.hpp"
#include "base/traced.hpp"
#include "price/long_tier.hpp"
#include "price/observables.ipp"

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
  d.utilisation = number(0.5);
  d.params_dense = Params<S>(S(100e9));
  d.params_routed = d.params_lookup = Params<S>(S(0.0));
  d.width_weights = d.width_experts = d.width_lookup = BytesPerParam<S>(S(1.0));
  d.kv_stored = d.kv_read = BytesPerToken<S>(S(10e3));
  d.attention_flops = FlopsPerToken<S>(S(0.0));
  d.batch = number(100);
  d.context = Tokens<S>(S(10e3));
  c.mfu_prefill = number(0.5);
  c.share_compute = number(0.8);
  c.share_memory = number(0.5);
  c.over_cost = number(2);
  c.prompt = Tokens<S>(S(1000.0));
  c.prompt_attention = FlopsPerToken<S>(S(0.0));
  c.fetch = BytesPerSecond<S>(S(40e9));
  c.write = BytesPerSecond<S>(S(20e9));
  c.hold = DollarsPerByteSecond<S>(S(1e-16));
  c.fast_load = number(0.1);
  c.batch_load = number(4);
  c.batch_utilisation = number(1);
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
  // input: 2 x 100e9 / (1e15 x 0.5) = 400 us, and 10e3 / 4e12 = 2.5 ns for the context; $1e-3/s at half use: $2e-3/s
  CHECK(e.input_compute.value() == Approx(400e-6));
  CHECK(e.input_write.value() == Approx(2.5e-9));
  CHECK(e.input_cost.value() == Approx(2e-3 * 400.0025e-6));
  // output: reading 1e11 B / 100 + 1e8 B = 1.1e9 B a sequence at 2 TB/s: 550 us; computing 250 us
  CHECK(e.output_time.value() == Approx(550e-6));
  CHECK(e.output.value() == Approx(2 * 2e-3 * 550e-6));
  CHECK(e.weight_share.value() == Approx(1.0 / 1.1));
  // cached: 10e3 / 40e9 = 250 ns, and read once in 5 ns
  CHECK(e.cached_cost.value() == Approx(2e-3 * 255e-9));
  // write: 10e3 / 20e9 = 500 ns at $2e-3/s, twice; hold: 10e3 x 1e-16 = $1e-12 a second, twice
  CHECK(e.tariff.premium.value() == Approx(2e-9));
  CHECK(e.tariff.hold.value() == Approx(2e-12));
  CHECK(write_price(e.tariff, e.input, Seconds<double>(300.0)).value() == Approx(e.input.value() + 2e-9 + 6e-10));
  // fast: ten sequences read 1e11 + 1e9 B, 10.1e9 each: 9.18 times as dear, 1.1e11 / 1.01e11 = 1.089 times as fast
  CHECK(e.fast_price.value() == Approx(10.1 / 1.1));
  CHECK(e.fast_speed.value() == Approx(1.1 / 1.01));
  CHECK(e.fast_ceiling.value() == Approx(1.1 / 1.001));
  // batch: 400 sequences read 2.5e8 + 1e8 B each, 175 us, so that compute binds at 250 us; chips in use all the time
  CHECK(e.batch_larger.value() == Approx(250.0 / 550));
  CHECK(e.batch_idle.value() == Approx(0.5));
  // reading takes as long as computing: 250 us x 2 TB/s / 10 kB
  CHECK(e.balance_context.value() == Approx(50e3));
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
  SheetCase<double> c = plain_case<double>();
  c.decode.batch = 20.0;  // memory binds
  for (const double load : {0.1, 0.3, 0.7}) {
    c.fast_load = load;
    const auto e = estimate_sheet(c);
    const auto read = read_fast(e.fast_price, e.fast_speed);
    CHECK(read.batch_ratio.value() == Approx(1 / load));
    CHECK(read.weight_share.value() == Approx(e.weight_share.value()));
  }
}

TEST_CASE("a provider's own units give what the sheet's equations give") {
  const Provider<double> p = provider_of<double>([](std::size_t i) {
    constexpr std::array<double, kUnknowns> values = {100e9, 8,   20e3, 1,   300, 5e-19, 0.6,
                                                      2.5,   0.4, 0.3,  0.9, 64,  6e3,   0.02};
    return values[i];
  });
  SheetCase<double> c = sheet_case(p);
  const FastMode fast{.load = 0.25, .speed = [&] {
                        c.fast_load = 0.25;
                        return estimate_sheet(c).fast_speed.value();
                      }()};
  const auto e = estimate_sheet(c);
  CHECK(observe(Observable::input, p, fast) == Approx(e.input.value()));
  CHECK(observe(Observable::output, p, fast) == Approx(e.output.value()));
  CHECK(observe(Observable::output_over_input, p, fast) == Approx(e.output_over_input.value()));
  CHECK(observe(Observable::cached_over_input, p, fast) == Approx(e.cached_over_input.value()));
  CHECK(observe(Observable::balance, p, fast) == Approx(20e3));
  CHECK(e.balance_context.value() == Approx(20e3));
  const auto decoded = estimate_decode(sheet::derated(c));
  CHECK(observe(Observable::reads_longer, p, fast) == Approx((decoded.memory_time / decoded.compute_time).value()));
  REQUIRE(decoded.memory_time > decoded.compute_time);
  CHECK(observe(Observable::fast_memory, p, fast) == Approx(1.0));
  CHECK(context_of_fast(p, fast, true).context.value() == Approx(6e3));
  // 100e9 x 1 / (300 x 0.9 x 20e3)
  CHECK(observe(Observable::kv, p, fast) == Approx(18518.5).epsilon(1e-5));
}

TEST_CASE("the step for long contexts stands where it leaves least, and rises with the context") {
  const SheetCase<double> c = plain_case<double>();
  // two lengths: the step must part them, and nothing is left
  const auto two = best_step(c, {{Tokens<double>(1000.0), 0.5}, {Tokens<double>(100e3), 0.5}});
  REQUIRE(two);
  CHECK(two->above.value() == 1000.0);
  CHECK(two->deviation == Approx(0.0).epsilon(1e-9));
  // 100 sequences of 100,000 tokens need 100 GB and fit: 1e9 + 1e9 B each at 2 TB/s against 1e9 + 1e7
  CHECK(two->output == Approx(2e9 / 1.01e9));
  CHECK(two->input == Approx(1.0));
  CHECK_FALSE(best_step(c, {{Tokens<double>(1000.0), 1.0}}));
  const auto many = best_step(c, lognormal_demand(Tokens<double>(16e3), 1.5, Tokens<double>(1e6)));
  REQUIRE(many);
  CHECK(many->deviation < many->without);
  CHECK(many->output > 1);
}

}  // namespace sheet_terms_test
