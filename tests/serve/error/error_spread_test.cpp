// Does an answer know what of it was measured, and is its interval that of its situation?

#include "serve/error/error_spread.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "serve/serving.hpp"

namespace error_spread_test {

using namespace ridge;
using doctest::Approx;

using ridge::testing::library;

namespace {

ServingAnswer answered(const char* model, const char* machine, const char* engine, double tensor = 8,
                       const Library& from = library()) {
  ServingQuestion question;
  question.scenario.model = model;
  question.scenario.machine = machine;
  question.engine = engine;
  question.tensor = tensor;
  question.concurrency = 16;
  const auto result = answer_serving(question, from);
  REQUIRE_MESSAGE(result, (result ? "" : result.error().front().what));
  REQUIRE(result->answer);
  return *result->answer;
}

/// Every part 0.1, reaches 1, 2 and 3.
ErrorSpread even_spread() {
  ErrorSpread out;
  for (FigureSpread& one : out.figures) {
    one.part.fill(0.1);
    one.reach = {1, 2, 3};
  }
  return out;
}

/// Every situation there is, but for how far a load is beyond.
std::vector<Situation> all_situations() {
  std::vector<Situation> out;
  for (unsigned bits = 0; bits < 128; ++bits) {
    for (const ChipKnown chip : {ChipKnown::runs, ChipKnown::kernels, ChipKnown::borrowed}) {
      for (std::size_t kind = 0; kind < kLayoutKinds; ++kind) {
        Situation one;
        one.experts = bits & 1u;
        one.disaggregated = bits & 2u;
        one.model_seen = bits & 4u;
        one.attention_seen = bits & 8u;
        one.engine_seen = bits & 16u;
        one.together = bits & 32u;
        one.layout_seen = bits & 64u;
        one.chip = chip;
        one.layout = static_cast<LayoutKind>(kind);
        out.push_back(one);
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("parts add in squares, and a load in doublings") {
  Situation situation;
  situation.experts = true;
  situation.doublings_beyond = 2;
  // every run, experts and two doublings: sqrt(4 * 0.1^2) = 0.2
  CHECK(expected_error(even_spread().figures[0], parts_of(situation)) == Approx(0.2));
  const AnswerErrors errors = errors_in(situation, even_spread());
  // 80 %: 2 * 0.2 = 0.4 each way in the logarithm
  const FigureInterval ends = errors.around(10, SpreadFigure::tpot);
  CHECK(ends.low == Approx(10 * std::exp(-0.4)));
  CHECK(ends.high == Approx(10 * std::exp(0.4)));
}

TEST_CASE("wider levels contain narrower ones, and the estimate lies within all") {
  const auto spread = error_spread(library());
  REQUIRE(spread);
  for (const Situation& situation : all_situations()) {
    const AnswerErrors errors = errors_in(situation, spread);
    for (std::size_t i = 0; i < kSpreadFigures; ++i) {
      const auto figure = static_cast<SpreadFigure>(i);
      FigureInterval inner{7, 7};
      for (std::size_t level = 0; level < kLevels.size(); ++level) {
        const FigureInterval ends = errors.around(7, figure, level);
        CHECK(ends.low < inner.low);
        CHECK(ends.high > inner.high);
        inner = ends;
      }
    }
  }
}

TEST_CASE("whatever was not seen widens an interval") {
  const auto spread = error_spread(library());
  REQUIRE(spread);
  const Situation seen;
  const double factor = errors_in(seen, spread).factor[0][kShownLevel];
  const auto wider = [&](auto&& change) {
    Situation other = seen;
    change(other);
    CHECK(errors_in(other, spread).factor[0][kShownLevel] > factor);
    CHECK_FALSE(unmeasured_in(other).empty());
  };
  wider([](Situation& one) { one.model_seen = false; });
  wider([](Situation& one) { one.attention_seen = false; });
  wider([](Situation& one) { one.engine_seen = false; });
  wider([](Situation& one) { one.together = false; });
  wider([](Situation& one) { one.layout_seen = false; });
  wider([](Situation& one) { one.chip = ChipKnown::kernels; });
  wider([](Situation& one) { one.chip = ChipKnown::borrowed; });
  wider([](Situation& one) { one.doublings_beyond = 1; });
  wider([](Situation& one) { one.speculative = true; });
  wider([](Situation& one) { one.cached = true; });
  wider([](Situation& one) { one.overlapped = true; });
  wider([](Situation& one) { one.ring = true; });
  CHECK(unmeasured_in(seen).empty());
}

TEST_CASE("a run that is in the evidence is a situation in which everything was seen") {
  const Situation situation = answered("llama-3.1-70b", "hgx-h100", "vllm", 4).errors.situation;
  CHECK(situation == Situation{});
}

TEST_CASE("a checkpoint with the shape of a measured one has been seen") {
  CHECK(answered("llama-3.3-70b", "hgx-h100", "vllm", 4).errors.situation.model_seen);
  CHECK(answered("deepseek-v3.1", "hgx-b200", "sglang").errors.situation.model_seen);
  CHECK_FALSE(answered("llama-3.1-405b", "hgx-b200", "vllm").errors.situation.model_seen);
}

TEST_CASE("an answer says what nobody measured") {
  const Situation borrowed = answered("llama-3.1-70b", "hgx-h200", "vllm", 4).errors.situation;
  CHECK(borrowed.chip == ChipKnown::borrowed);
  CHECK(borrowed.engine_seen);
  Library nothing_served = library();
  nothing_served.measured.clear();
  const Situation unseen = answered("llama-3.1-70b", "hgx-h200", "vllm", 4, nothing_served).errors.situation;
  CHECK_FALSE(unseen.engine_seen);
  CHECK_FALSE(unseen.model_seen);
  CHECK_FALSE(unseen.attention_seen);
  const auto words = unmeasured_in(unseen);
  CHECK(std::find(words.begin(), words.end(), "chip borrowed") != words.end());
  CHECK(std::find(words.begin(), words.end(), "engine borrowed") != words.end());
  CHECK(answered("llama-3.1-70b", "hgx-a100", "vllm", 4).errors.situation.chip == ChipKnown::kernels);
  CHECK_FALSE(answered("llama-3.1-70b", "hgx-b200", "trtllm-1.0", 4).errors.situation.together);
}

TEST_CASE("a load beyond what was measured is counted in doublings") {
  MeasuredRange range;
  CHECK(range.doublings_beyond(5) == 0);  // nothing measured, nothing to be beyond
  range.include(4);
  range.include(64);
  range.include(16);
  CHECK(range.least == 4);
  CHECK(range.most == 64);
  CHECK(range.doublings_beyond(64) == 0);
  CHECK(range.doublings_beyond(256) == Approx(2));
  CHECK(range.doublings_beyond(1) == Approx(2));
}

TEST_CASE("layouts are of one kind each") {
  const Fabric fabric{8, Topology::switched};
  Layout layout;
  layout.tensor = 8;
  CHECK(kind_of(layout, fabric) == LayoutKind::tensor);
  layout.tensor = 16;
  CHECK(kind_of(layout, fabric) == LayoutKind::over_domains);
  layout.tensor = 1;
  layout.attention_data = 8;
  CHECK(kind_of(layout, fabric) == LayoutKind::attention_data);
  layout.pipeline = 2;
  CHECK(kind_of(layout, fabric) == LayoutKind::stages);
}

}  // namespace error_spread_test
