// Does the cost of a token grow with its context as each kind of attention says?

#include "price/tier/long_context.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "price/make/prefill_work.hpp"

namespace long_context_test {

namespace {

using doctest::Approx;
using namespace ridge;
using testing::library;

LongContextModel asked(const std::string& model, double session = 1e8, double from = 1e3) {
  LongContextQuestion question;
  question.from = Tokens<double>(from);
  Scenario scenario;
  scenario.model = model;
  scenario.machine = "gb200-nvl72";
  question.scenarios = {scenario};
  question.session = Tokens<double>(session);
  return answer_long_context(question, library()).value().models.front();
}

double growth(const LongContextModel& model, double low, double high) {
  const auto cost = [&](double context) {
    const LongContextPoint* nearest = &model.points.front();
    for (const LongContextPoint& point : model.points) {
      if (std::fabs(std::log(point.context.value() / context)) <
          std::fabs(std::log(nearest->context.value() / context)))
        nearest = &point;
    }
    return nearest->cost.value();
  };
  return cost(high) / cost(low);
}

}  // namespace

TEST_CASE("a longer context never makes a token cheaper, whatever the attention") {
  for (const char* model : {"llama-3.1-70b", "deepseek-v3", "gpt-oss-120b", "deepseek-v3.2", "qwen3-next-80b-a3b"}) {
    const LongContextModel one = asked(model);
    CAPTURE(model);
    CHECK(one.points.front().context.value() == Approx(1e3));
    CHECK(one.points.back().context.value() == Approx(1e8));
    for (std::size_t i = 1; i < one.points.size(); ++i)
      CHECK(one.points[i].cost.value() >= one.points[i - 1].cost.value() * 0.999);
  }
}

TEST_CASE("far out full attention costs in proportion; sparse and hybrid attention an order of magnitude less") {
  const LongContextModel full = asked("llama-3.1-70b"), sparse = asked("deepseek-v3.2"), latent = asked("deepseek-v3");
  CHECK(growth(full, 1e6, 1e8) == Approx(100).epsilon(0.05));
  CHECK(growth(latent, 1e6, 1e8) == Approx(100).epsilon(0.05));
  // the same model but for its attention
  CHECK(sparse.points.back().cost < 0.2 * latent.points.back().cost);
  CHECK(sparse.kind == "sparse");
  CHECK(full.kind == "full");
}

TEST_CASE("the session's bytes are the context's, and its machines hold them") {
  const LongContextModel one = asked("deepseek-v3");
  const LongSession& session = one.session;
  CHECK(session.stored.value() == Approx(70272e8));  // 7.03 TB, claim C52
  const DecodeCase<double>& c = one.resolved.numbers;
  CHECK(session.chips * c.hbm_capacity >= session.stored);
  CHECK((session.machines.value() == 1.0 || (session.chips - c.chips).value() < session.chips_needed.value()));
  // attention dominates the prompt: 61 layers x 2 x 128 x 320 FLOP for each pair of tokens, S^2/2 pairs, at bf16's peak
  const double attention = 61 * 2 * 128 * 320.0 * 1e16 / 2 / c.matmul_attention.value() / 0.4;
  CHECK(session.prefill_time.value() * session.chips.value() == Approx(attention).epsilon(0.02));
  CHECK(session.hold_cost.value() == Approx(70272e8 / c.hbm_capacity.value() * c.price.value()));
}

TEST_CASE("a prompt's attention is the sum over its tokens of what each sees") {
  for (const char* name : {"llama-3.1-70b", "gpt-oss-120b", "llama-3.1-70b-sqrt", "deepseek-v3.2"}) {
    const Model& model = *find_named(library().models, name);
    CAPTURE(name);
    constexpr double kTokens = 4096;
    double sum = 0;
    for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
      const auto terms = std::visit([](const auto& mixer) { return mixer.context(); }, model.kinds[kind].mixer);
      for (ContextTerm term : terms) {
        if (term.prefill_flops > 0) term.flops = term.prefill_flops;
        for (double i = 0.5; i < kTokens; ++i) sum += layers_of(model, kind) * attention_flops(term, i);
      }
    }
    CHECK(prefill_attention(model, Tokens<double>(kTokens)).value() == Approx(sum / kTokens).epsilon(1e-4));
  }
}

TEST_CASE("where a token costs twice the start is where it does") {
  const LongContextModel one = asked("llama-3.1-70b");
  const double at = one.doubles.value();
  REQUIRE(std::isfinite(at));
  const LongContextModel there = asked("llama-3.1-70b", 1e8, at);
  CHECK(there.points.front().cost.value() == Approx(2 * one.points.front().cost.value()).epsilon(0.02));
}

}  // namespace long_context_test
