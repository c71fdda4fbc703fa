// Does a library know what it was told and borrow the rest?

#include "calibrate/evidence/known.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "calibrate/fit/calibrate.hpp"
#include "calibrate/fit/first_fit.hpp"
#include "catalog_library.hpp"
#include "library/calibrations.hpp"

namespace known_test {

using namespace ridge;
using doctest::Approx;

using ridge::testing::library;

namespace {

/// All fields this value.
template <class C>
C all_at(double value) {
  return with_fields<C>(std::vector<double>(field_names<C>().size(), value));
}

Chip named(const char* name, double peak, double searched) {
  Chip chip;
  chip.name = chip.title = name;
  chip.vendor = name;  // every chip has its own maker, so that none is nearer than the others
  chip.matmul = {{"bf16", {FlopsPerSecond<double>(peak), {}}}};
  if (searched > 0) chip.measured_matmul = {{"bf16", {FlopsPerSecond<double>(searched), {}}}};
  return chip;
}

/// Two chips whose kernels are known (a: 0.8 of its peak in large products, b: 0.45), and one without: 0.3.
Library three_chips() {
  Library out;
  out.chips = std::vector<Chip>{named("a", 100, 80), named("b", 400, 180), named("c", 200, 60)};
  CalibrationSet alone;
  alone.chips["a"] = all_at<ChipCalibration<double>>(0.5);
  alone.chips["b"] = all_at<ChipCalibration<double>>(2);
  alone.kernel = all_at<KernelCalibration<double>>(3);
  return knowing(out, alone);
}

}  // namespace

TEST_CASE("a chip without kernels borrows the mean, scaled by what a search for large products reached on it") {
  const Library known = three_chips();
  const auto own = chip_alone(known, known.chips[2]);
  CHECK(own.borrowed);
  // the mean of 0.5 and 2 in the logarithm is 1; of the shares 0.8 and 0.45 it is 0.6, and 0.3 is half of that
  CHECK(own.value.memory.value() == Approx(1));
  CHECK(own.value.product_time.value() == Approx(1));
  CHECK(own.value.matrix_16bit.value() == Approx(0.5));
  CHECK(own.value.matrix_4bit.value() == Approx(0.5));
  CHECK(own.value.attention_matrix.value() == Approx(0.5));
  // exponentials keep step with the peak: 200 against the mean of 100 and 400
  CHECK(own.value.softmax_rate.value() == Approx(1));
  Chip unsearched = known.chips[2];
  unsearched.measured_matmul.clear();
  CHECK(chip_alone(known, unsearched).value.matrix_16bit.value() == Approx(1));
}

TEST_CASE("an engine that was never seen is the mean of all, whatever its name") {
  Library known = three_chips();
  ServingFit fit;
  fit.ratios.assign(field_names<ChipCalibration<double>>().size(), 1);
  fit.set.engines["x"] = all_at<EngineCalibration<double>>(1e-3);
  fit.set.engines["y-1.0"] = all_at<EngineCalibration<double>>(4e-3);
  learn(known, fit);
  CHECK(engine_calibration(known, "x").value.step_time.value() == Approx(1e-3));
  const auto other = engine_calibration(known, "y-2.0");
  CHECK(other.borrowed);
  CHECK(other.value.step_time.value() == Approx(2e-3));
}

TEST_CASE("what a fit found is what an answer uses: chips in a step are those alone times the ratios") {
  Library known = three_chips();
  CHECK(measured_alone(known).chips.size() == 2);
  CHECK(measured_alone(known).kernel.decode_rows.value() == Approx(3));
  ServingFit fit;
  fit.ratios.assign(field_names<ChipCalibration<double>>().size(), 1.5);
  fit.set.kernel = all_at<KernelCalibration<double>>(7);
  fit.unmeasured["c"] = all_at<ChipCalibration<double>>(10);
  learn(known, fit);
  const CalibrationSet set = serving_set(known);
  CHECK(set.chips.at("a").memory.value() == Approx(0.75));
  CHECK(set.chips.at("c").memory.value() == Approx(15));
  CHECK(set.kernel.decode_rows.value() == Approx(7));
  CHECK(measured_alone(known).chips.size() == 2);  // runs are not kernels
}

TEST_CASE("requests of two pools decode for the share of the time that they spend decoding") {
  // 100 in flight, 10 ms a token over 101 tokens (1 s), 1 s to the first: 50 decode
  ServingRow row;
  row.set = "inferencex";
  row.model = "llama-3.1-8b";
  row.machine = "hgx-h100";
  row.format = "bf16";
  row.engine = "vllm";
  row.mode = "disaggregated";
  row.isl = 1000;
  row.osl = 101;
  row.concurrency = 100;
  row.tpot = 0.01;
  row.ttft = 1;
  std::string why;
  const auto one = serving_case(row, library(), why);
  REQUIRE_MESSAGE(one, why);
  CHECK(one->load.concurrency.value() == Approx(50));
  CHECK(one->load.disaggregated);
  row.ttft = 0;
  CHECK_FALSE(serving_case(row, library(), why));
  CHECK(why.find("first token") != std::string::npos);
}

namespace {

ServingRow narrow_experts() {
  ServingRow row;
  row.set = "inferencemax";
  row.model = "gpt-oss-120b";
  row.machine = "hgx-b200";
  row.format = "mxfp4";
  row.engine = "vllm";
  row.mode = "aggregated";
  row.isl = 1000;
  row.osl = 1000;
  row.concurrency = 16;
  row.requests_per_user = 10;
  row.tpot = row.ttft = row.ttft_p50 = 0.01;
  return row;
}

}  // namespace

TEST_CASE("a run's label names its narrowest numbers: what was released in wider ones stays so") {
  const ServingRow row = narrow_experts();
  std::string why;
  const auto one = serving_case(row, library(), why);
  REQUIRE_MESSAGE(one, why);
  const auto& parts = one->deployment.ground.formats.parts;
  CHECK(parts[static_cast<std::size_t>(Part::attention)].precision == Precision::bits16);
  CHECK(parts[static_cast<std::size_t>(Part::attention)].width == Approx(2));
  CHECK(parts[static_cast<std::size_t>(Part::routed_experts)].precision == Precision::bits8);  // vLLM's activations
}

TEST_CASE("the latest of a burst wait for all steps that compute it, and for a server that was just started") {
  ServingRow row = narrow_experts();
  std::string why;
  CalibrationSet set = serving_set(library());
  set.fresh.clear();
  const auto late = [&](double users, double budget) {
    row.concurrency = users;
    row.token_budget = budget;
    const auto one = serving_case(row, library(), why);
    REQUIRE_MESSAGE(one, why);
    return predict_late_ttft(*one, set);
  };
  // one user: the way in and out and a prefill by itself, as in the closed form
  row.concurrency = 1;
  const auto alone = serving_case(row, library(), why);
  REQUIRE(alone);
  CHECK(late(1, 8192) == Approx(predict_ttft(*alone, set)));
  // 41 users: one prompt, then 40 in one step; or 4 a step, (0.9 x 41 - 1) / 4 = 8.975 of them, and of 81 users
  // 17.975: twice as many, each with a few more that decode beside
  CHECK(late(41, 4000) > late(41, 40000));
  CHECK((late(81, 4000) - late(1, 4000)) / (late(41, 4000) - late(1, 4000)) == Approx(17.975 / 8.975).epsilon(0.1));
  const double before = late(41, 4000);
  set.fresh[fresh_group(*alone)] = {0.25, 0};
  CHECK(late(41, 4000) == Approx(before + 0.25));
  // and 10 us for each of the 900 tokens of its first step, then of the 3,100 by which the next is larger
  set.fresh[fresh_group(*alone)] = {0.25, 1e-5};
  CHECK(late(1, 4000) == Approx(late(1, 8192)));
  CHECK(late(41, 4000) == Approx(before + 0.25 + 0.04));
}

}  // namespace known_test
