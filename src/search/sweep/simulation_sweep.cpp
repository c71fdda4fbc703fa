#include "search/sweep/simulation_sweep.hpp"

#include <algorithm>
#include <array>

#include "base/text/unit_text.hpp"
#include "search/sweep/answered_rows.hpp"
#include "search/sweep/serving_sweep.hpp"
#include "simulate/simulation_fields.hpp"

namespace ridge {

namespace {

using What = SweepColumn::Kind;
using Holds = SweepColumn::Holds;
using simulate::SimulationAnswer;

struct SimulatedFigure {
  const char* name;
  Dimension dimension;
  bool more_is_better;
  Holds holds;
  double (*value)(const SimulationAnswer&);
};

constexpr Dimension kTokenRate = kToken / kSecond, kTokenCost = kDollar / kToken;

double made_any(double cost) { return cost > 0 ? cost : kNothing; }

/// Beside those of figures_of.
const std::array kMoreFigures = {
    SimulatedFigure{"chips", kNone, false, Holds::number, [](const SimulationAnswer& a) { return a.chips(); }},
    SimulatedFigure{"output_tok_s_per_chip", kTokenRate, true, Holds::number,
                    [](const SimulationAnswer& a) { return a.result.output_rate() / a.chips(); }},
    SimulatedFigure{"goodput", kNone, true, Holds::number,
                    [](const SimulationAnswer& a) {
                      return a.result.duration > 0
                                 ? static_cast<double>(a.result.all.within_targets) / a.result.duration
                                 : 0;
                    }},
    SimulatedFigure{"kv_most", kNone, false, Holds::number,
                    [](const SimulationAnswer& a) { return a.result.most_cache; }},
    SimulatedFigure{"hit_rate", kNone, true, Holds::number, [](const SimulationAnswer& a) { return a.hit_rate(); }},
    SimulatedFigure{"preemptions", kNone, false, Holds::count,
                    [](const SimulationAnswer& a) { return static_cast<double>(a.result.counts.preemptions); }},
    SimulatedFigure{"refused", kNone, false, Holds::count,
                    [](const SimulationAnswer& a) { return static_cast<double>(a.result.refused); }},
    SimulatedFigure{"finished", kNone, true, Holds::count,
                    [](const SimulationAnswer& a) { return static_cast<double>(a.result.finished); }},
    SimulatedFigure{"duration", kSecond, false, Holds::number,
                    [](const SimulationAnswer& a) { return a.result.duration; }},
    SimulatedFigure{"output_cost", kTokenCost, false, Holds::number,
                    [](const SimulationAnswer& a) { return made_any(a.cost()); }},
    SimulatedFigure{"total_cost", kTokenCost, false, Holds::number,
                    [](const SimulationAnswer& a) { return made_any(a.cost_of_all()); }},
    SimulatedFigure{"price", kDollar / kSecond, false, Holds::number,
                    [](const SimulationAnswer& a) { return a.ground().numbers.price.value(); }},
    SimulatedFigure{"saturated", kNone, false, Holds::flag,
                    [](const SimulationAnswer& a) { return a.result.saturated ? 1.0 : 0.0; }},
};

/// "ttft_p99", "output_tok_s": what a name of figures_of measures.
Dimension dimension_of(const std::string& name) {
  for (const char* span : {"ttft_", "tpot_", "itl_", "e2e_", "queue_"}) {
    if (name.starts_with(span)) return kSecond;
  }
  return name == "output_tok_s" ? kTokenRate : kNone;
}

bool more_is_better(const std::string& name) {
  return name == "output_tok_s" || name == "requests_per_s" || name == "slo_share";
}

/// A latency that no request had.
bool has_none(const std::string& name, const simulate::SimulationResult& result) {
  if (dimension_of(name) != kSecond) return false;
  const simulate::Latencies& all = result.all;
  const simulate::Samples& samples = name.starts_with("tpot_")  ? all.tpot
                                     : name.starts_with("itl_") ? all.itl
                                                                : all.e2e;
  return samples.count() == 0;
}

/// One case; the layout stands apart, since what does not fit has one too.
struct SimulatedCase {
  SimulationSweep::Asked asked;
  std::optional<SimulationAnswer> answer;
  std::vector<simulate::RunFigure> figures;
  std::optional<Layout> layout;
  std::string problem;
  double fits = kNothing;
};

SimulatedCase simulated_case(const SimulationSweep::Ask& ask, const Library& library, std::uint64_t index,
                             const SimulationSweep::GoOn& go_on) {
  SimulatedCase out;
  auto asked = ask(index);
  if (!asked) {
    out.problem = problem_text(asked.error());
    return out;
  }
  out.asked = std::move(*asked);
  auto readiness = simulate::ready(out.asked.question, library);
  if (!readiness) {
    out.problem = problem_text(readiness.error());
    return out;
  }
  if (readiness->shortfall) {
    out.layout = readiness->shortfall->layout;
    out.fits = 0;
    return out;
  }
  SimulationAnswer answer;
  answer.asked = std::move(*readiness->ready);
  simulate::Onlookers look;
  if (go_on) look.go_on = [&](std::int64_t) { return go_on(); };
  answer.result = simulate::simulate(answer.asked.simulated.setup, out.asked.question.targets, look);
  out.figures = figures_of(answer.result);
  out.layout = answer.layout();
  out.fits = 1;
  out.answer = std::move(answer);
  return out;
}

std::string given_text(const SimulatedCase& one, const std::string& key) {
  for (const auto& [field, text] : one.asked.given) {
    if (field == key) return text;
  }
  return "";
}

/// A field as it was given; what is always there as it is.
double field_number(const SweepColumn& column, const SimulatedCase& one) {
  const simulate::SimulationQuestion& question = one.asked.question;
  if (column.name == "requests" && one.fits == one.fits) return static_cast<double>(question.client.requests);
  if (column.name == "seed") return static_cast<double>(question.seed);
  if (column.name == "concurrency") return question.serving.concurrency.value_or(kNothing);
  const std::string text = given_text(one, column.name);
  if (text.empty()) return kNothing;
  return parse_as(text, column.dimension, column.name).value_or(kNothing);
}

constexpr std::size_t kFieldsFrom = 1000;  // columns of a question are counted from 0, fields from here

double number_in(const SweepColumn& column, std::uint64_t index, const SimulatedCase& one) {
  if (column.kind == What::index) return static_cast<double>(index);
  if (column.kind == What::fits) return one.fits;
  if (column.kind == What::input) {
    if (column.which >= kFieldsFrom) return field_number(column, one);
    return question_number(column, one.asked.question.serving, one.layout ? &*one.layout : nullptr);
  }
  if (!one.answer) return kNothing;
  if (column.which >= one.figures.size()) return kMoreFigures[column.which - one.figures.size()].value(*one.answer);
  return has_none(column.name, one.answer->result) ? kNothing : one.figures[column.which].value;
}

std::string text_in(const SweepColumn& column, const SimulatedCase& one) {
  if (column.kind == What::problem) return one.problem;
  if (column.which >= kFieldsFrom) return given_text(one, column.name);
  return question_word(column, one.asked.question.serving, one.layout ? &*one.layout : nullptr);
}

}  // namespace

std::vector<SweepColumn> simulation_columns() {
  std::vector<SweepColumn> columns = question_columns();
  std::size_t which = kFieldsFrom;
  columns.push_back({"concurrency", What::input, which++, kNone, Holds::number, true});
  for (const simulate::SimulationField& field : simulate::simulation_fields()) {
    columns.push_back({std::string(field.key), field.is_word ? What::word : What::input, which++, field.dimension,
                       field.is_word ? Holds::text : Holds::number, false});
  }
  which = 0;
  for (const simulate::RunFigure& figure : simulate::figures_of({}))
    columns.push_back(
        {figure.name, What::output, which++, dimension_of(figure.name), Holds::number, more_is_better(figure.name)});
  for (const SimulatedFigure& one : kMoreFigures)
    columns.push_back({one.name, What::output, which++, one.dimension, one.holds, one.more_is_better});
  columns.push_back({"fits", What::fits, 0, kNone, Holds::flag, true});
  columns.push_back({"problem", What::problem, 0, kNone, Holds::text, false});
  return columns;
}

SimulationSweep::SimulationSweep(Space space, Ask ask, const Library& library, std::vector<SweepColumn> columns)
    : space_(std::move(space)),
      ask_(std::move(ask)),
      library_(&library),
      columns_(std::move(columns)),
      axis_of_(axes_of(space_, columns_)) {}

void SimulationSweep::evaluate(std::uint64_t first, std::size_t count, SweepTable& table, const GoOn& go_on) const {
  fill_rows(
      {&space_, &columns_, &axis_of_}, first, count, table,
      [&](std::uint64_t index) { return simulated_case(ask_, *library_, index, go_on); }, number_in, text_in);
}

}  // namespace ridge
