// Do the equations give the figures others published? Sources: the scaling book (jax-ml/scaling-book, in
// data/published/scaling_book_problems.csv with its tolerances), Pope et al. 2022 (arXiv:2211.05102, Table 1), the
// project's settled questions 1 and 6, and the worked example the command line was designed around.

#include <string>

#include <doctest/doctest.h>

#include "catalog/entries/library.hpp"
#include "catalog/facts/fact.hpp"
#include "catalog_library.hpp"
#include "roofline/answer.hpp"

namespace published_test {

using namespace ridge;
using doctest::Approx;

using ridge::testing::library;

namespace {

const Chip& chip(const std::string& name) {
  const Chip* found = find_named(library().chips, name);
  if (found == nullptr) FAIL("no chip ", name);
  return *found;
}

/// A dense model of `params` on `chips` of a machine given by its two rates, as blackboard problems have it.
DecodeCase<double> dense(double params, double width, double chips, double compute, double bandwidth) {
  DecodeCase<double> c;
  c.chips = chips;
  c.matmul_weights = c.matmul_experts = c.matmul_attention = FlopsPerSecond<double>(compute);
  c.hbm_bandwidth = BytesPerSecond<double>(bandwidth);
  c.hbm_capacity = Bytes<double>(16e9);
  c.utilization = 1.0;
  c.params_dense = Params<double>(params);
  c.experts = c.experts_per_token = 1.0;
  c.width_weights = c.width_experts = BytesPerParam<double>(width);
  c.batch = 1.0;
  return c;
}

/// The same with a batch and a context.
DecodeCase<double> loaded(DecodeCase<double> c, double batch, double context, double kv_bytes) {
  c.batch = batch;
  c.context = Tokens<double>(context);
  c.kv_stored = c.kv_read = BytesPerToken<double>(kv_bytes);
  return c;
}

double ridge_of(const std::string& name, const std::string& format, double width) {
  const auto* peak = find_rate(chip(name).matmul, format);
  REQUIRE(peak != nullptr);
  return estimate_decode(dense(70e9, width, 1, peak->value.value(), chip(name).bandwidth.value.value()))
      .ridge_weights.value();
}

Scenario scenario(const std::string& model, const std::string& machine, double batch, double context) {
  Scenario s;
  s.model = model;
  s.machine = machine;
  s.given = {{"batch", batch, {"test", Kind::user}}, {"context", context, {"test", Kind::user}}};
  return s;
}

}  // namespace

TEST_CASE("settled question 1: the ridge in tokens is C b / 2 W on the catalog's chips") {
  // to the whole token that was written down: half a token of 153 is 0.3 %
  CHECK(ridge_of("h100-sxm", "bf16", 2) == Approx(295).epsilon(0.002));       // 989e12 * 2 / (2 * 3.35e12) = 295.2
  CHECK(ridge_of("b200", "bf16", 2) == Approx(281).epsilon(0.002));           // 2250 / 8 = 281.25
  CHECK(ridge_of("gb200", "fp4", 0.5) == Approx(312).epsilon(0.002));         // 10000 * 0.5 / (2 * 8) = 312.5
  CHECK(ridge_of("a100-sxm-80gb", "bf16", 2) == Approx(153).epsilon(0.003));  // 312 / 2.039 = 153.0
  CHECK(ridge_of("h200-sxm", "bf16", 2) == Approx(206).epsilon(0.002));       // 989 / 4.8 = 206.04
}

TEST_CASE("settled question 6: 128 tokens touch 251.6 of DeepSeek-V3's 256 experts, 32 tokens 163") {
  auto c = dense(1, 1, 1, 1, 1);
  c.experts = 256.0;
  c.experts_per_token = 8.0;
  c.batch = 128.0;
  // ln(31/32) = -0.0317487; 128 of them: e^-4.06383 = 0.017183; 256 * 0.982817 = 251.60
  CHECK(256 * estimate_decode(c).touched.value() == Approx(251.60).epsilon(2e-5));
  c.batch = 32.0;
  // e^-1.015958 = 0.362056; 256 * 0.637944 = 163.31
  CHECK(256 * estimate_decode(c).touched.value() == Approx(163.31).epsilon(5e-5));
}

TEST_CASE("scaling book: Llama 2 13B on 8 TPU v5e, from the book's own inputs") {
  // 26 GB of weights, 6.7 GB of context a sequence at 8,192 tokens, 8 * 820 GB/s = 6.56 TB/s; the book prints step times
  // of KV / W + max(2 B N / C, weights / W), which is step_context_apart, to two decimals of a millisecond (1 %)
  const auto base = dense(13e9, 2, 8, 1.97e14, 8.2e11);
  const double heads = 6.7e9 / 8192, grouped = heads / 5;
  struct Row {
    double batch, kv, milliseconds;
  };
  for (const auto& [batch, kv, milliseconds] : {Row{1, heads, 4.98},          // (26 + 6.7) / 6.56 = 4.985
                                                Row{16, heads, 20.30},        // (26 + 107.2) / 6.56 = 20.305
                                                Row{32, heads, 36.65},        // (26 + 214.4) / 6.56 = 36.646
                                                Row{240, heads, 249.09},      // (26 + 1608) / 6.56 = 249.085
                                                Row{1, grouped, 4.17},        // (26 + 1.34) / 6.56 = 4.168
                                                Row{16, grouped, 7.23},       // (26 + 21.44) / 6.56 = 7.232
                                                Row{32, grouped, 10.50},      // (26 + 42.88) / 6.56 = 10.5
                                                Row{240, grouped, 52.99}}) {  // (26 + 321.6) / 6.56 = 52.988
    CAPTURE(batch);
    CAPTURE(kv);
    const auto e = estimate_decode(loaded(base, batch, 8192, kv));
    CHECK(1e3 * e.step_context_apart.value() == Approx(milliseconds).epsilon(0.01));
    // at batch 240 compute (3.96 ms) is as long as the weights, so overlapping or not is the same
    CHECK(1e3 * e.step_time.value() == Approx(milliseconds).epsilon(0.01));
  }
}

TEST_CASE("scaling book: the same from the catalog's own Llama 2 13B and TPU v5e") {
  // The catalog streams 12.85e9 parameters (not the 0.16e9 of the embedding table), keeps 819,200 B a token (6.711 GB) and
  // has 819 GB/s: (25.70 + 6.71) GB / 6.552 TB/s = 4.947 ms, 0.7 % below the book's 4.98.
  struct Row {
    double batch, milliseconds;
  };
  for (const auto& [batch, milliseconds] : {Row{1, 4.98}, Row{16, 20.30}, Row{32, 36.65}, Row{240, 249.09}}) {
    CAPTURE(batch);
    Scenario s = scenario("llama-2-13b", "tpu-v5e-pod", batch, 8192);
    s.given.push_back({"chips", 8, {"test", Kind::user}});
    const auto answer = answer_why(s, library());
    REQUIRE(answer.has_value());
    CHECK(1e3 * answer->estimate.step_context_apart.value() == Approx(milliseconds).epsilon(0.01));
  }
}

TEST_CASE("scaling book: the quiz, the worked serving example, and two rooflines") {
  // inference quiz: 30e9 B + 4 * 8192 * 100 kB = 33.28 GB over 16 * 810 GB/s = 2.57 ms, printed 2.5 (5 %)
  CHECK(estimate_decode(loaded(dense(30e9, 1, 16, 3.94e14, 8.1e11), 4, 8192, 100e3)).step_time.value() ==
        Approx(2.5e-3).epsilon(0.05));
  // applied inference: 70 GB + 32 * 8192 * 160 kB = 112 GB over 8 * 810 GB/s = 17.3 ms, printed 17 (3 %)
  const auto serving = loaded(dense(70e9, 1, 8, 1.97e14, 8.1e11), 32, 8192, 160e3);
  CHECK(estimate_decode(serving).memory_needed.value() == Approx(112e9).epsilon(0.01));
  CHECK(estimate_decode(serving).step_time.value() == Approx(0.017).epsilon(0.03));
  // a v5e drains its memory in 16 GB / 820 GB/s = 19.5 ms, printed 19 (4 %); the catalog has 819 GB/s
  CHECK(estimate_decode(dense(1, 1, 1, 1.97e14, 8.2e11)).sweep_time.value() == Approx(0.019).epsilon(0.04));
  CHECK((chip("tpu-v5e").capacity.value / chip("tpu-v5e").bandwidth.value).value() == Approx(0.019).epsilon(0.04));
  // roofline Q2: int8 weights, bf16 compute: 1.97e14 / (2 * 8.2e11) = 120.1 tokens (1 %)
  CHECK(estimate_decode(dense(1e9, 1, 1, 1.97e14, 8.2e11)).ridge_weights.value() == Approx(120).epsilon(0.01));
  // TPUs Q1: 200e9 bf16 parameters on 32 chips of 1.23 TB/s: 400e9 / 39.4e12 = 10.16 ms (5 %)
  CHECK(estimate_decode(dense(200e9, 2, 32, 2.75e14, 1.23e12)).floor_all.value() == Approx(0.0102).epsilon(0.05));
  // TPUs Q4a: int8 on v5e: 3.94e14 / (2 * 8.1e11) = 243; the book's 271 also moves activations, which we do not
  CHECK(estimate_decode(dense(16384 * 4096, 1, 1, 3.94e14, 8.1e11)).ridge_weights.value() ==
        Approx(243.2).epsilon(0.001));
}

TEST_CASE("Pope 2022, Table 1: the longest context of PaLM 540B when 30 % of memory holds it") {
  // 64 TPU v4 of 32 GiB, 30 % of it for context, 118 layers, bf16. Capacity is given as those 30 %, so weights (held in
  // the rest) are next to nothing here; then batch_limit * context is the number of tokens that fit. Printed contexts
  // are rounded (1320 for 1333, 43,000 for 42,654): 1.5 %.
  const auto longest = [](double chips, double heads, double head_dim, double batch) {
    auto c = loaded(dense(1, 1e-9, chips, 2.75e14, 1.2e12), batch, 1024, 118 * 2 * heads * head_dim * 2);
    c.hbm_capacity = Bytes<double>(0.3 * 34359738368);
    return estimate_decode(c).batch_limit.value() * 1024 / batch;
  };
  CHECK(longest(64, 64, 128, 128) == Approx(1320).epsilon(0.015));  // 6.597e11 B / 3,866,624 B / 128 = 1333
  CHECK(longest(64, 64, 128, 512) == Approx(330).epsilon(0.015));   // 333
  CHECK(longest(64, 1, 256, 128) == Approx(43000).epsilon(0.015));  // 6.597e11 / 120,832 / 128 = 42,654
  CHECK(longest(64, 1, 256, 512) == Approx(10700).epsilon(0.015));  // a quarter of that: 10,663
  // baseline multi-query replicates the one head on every chip, so a chip alone must hold it: 1.031e10 / 120,832 / 512
  CHECK(longest(1, 1, 256, 512) == Approx(165).epsilon(0.015));  // 166.6
  // section 2: 3 TB of context for 512 sequences of 2,048 with 48 heads of 128
  CHECK(118 * 2 * 48 * 128 * 2.0 * 512 * 2048 == Approx(3.0e12).epsilon(0.02));
}

TEST_CASE("the worked example of the design: DeepSeek-V3 on a GB200 rack at batch 2,048 and 8,704 tokens in fp8") {
  // The example streams all 671e9 parameters; we leave out the embedding table, 0.93e9 (0.14 %), of which a token reads
  // one row. Hence weights 670.1e9 / 576e12 = 1.1634 ms (there 1.165), and a step of 2.2508 ms (there 2.252).
  Scenario s = scenario("deepseek-v3", "gb200-nvl72", 2048, 8704);
  s.kv = "fp8";
  s.weights = "fp8";  // one byte for every weight, as on the blackboard; as released it is 671.3 GB
  const auto answer = answer_why(s, library());
  REQUIRE(answer.has_value());
  const auto& e = answer->estimate;
  CHECK(1e3 * e.weights_time.value() == Approx(1.1634).epsilon(1e-4));
  CHECK(1e3 * e.context_time.value() == Approx(1.0874).epsilon(1e-4));  // 2048 * 8704 * 35,136 / 576e12
  CHECK(1e3 * e.step_time.value() == Approx(2.252).epsilon(0.001));
  CHECK(e.user_rate.value() == Approx(444).epsilon(0.002));
  CHECK(e.chip_rate.value() == Approx(12629).epsilon(0.001));
  // compute: 2 * 36.62e9 * 2048 / (72 * 5e15) = 0.4167 ms (there 0.421 with 37e9), attention 16,990,208 * 8704 * 2048 /
  // (72 * 2.5e15) = 1.6826 ms
  CHECK(1e3 * e.attention_time.value() == Approx(1.683).epsilon(0.001));
  CHECK(1e3 * (e.dense_time + e.experts_time).value() == Approx(0.4167).epsilon(0.001));
  CHECK(1e3 * e.compute_time.value() == Approx(2.104).epsilon(0.003));
  // flips at 670.1e9 / (73.80e-6 * 8e12 - 8704 * 35,136) = 2,354: the parameters left out make compute 0.2 % shorter than
  // there, which a difference of two near numbers doubles
  CHECK(answer->flip_batch == Approx(2347).epsilon(0.004));
  CHECK(answer->binds == Resource::memory);
  CHECK(answer->other_share == Approx(0.93).epsilon(0.005));
}

}  // namespace published_test
