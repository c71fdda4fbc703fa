#include "catalog/question/sweep_cases.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/question/scenario_text.hpp"
#include "catalog/question/serving_text.hpp"
#include "library/engines.hpp"
#include "roofline/readings.hpp"

namespace ridge::catalog {

namespace {

constexpr std::size_t kMostBases = 100'000;

/// Whether an axis changes which numbers there are, or which terms the equations have, not just one number.
bool is_outer(const SweepAxis& axis) {
  const int input = find_input(axis.key);
  if (!axis.is_numeric() || input < 0) return true;
  ContextParts parts;
  mark_part(parts, static_cast<std::size_t>(input));
  return parts.any();
}

/// Words first, each before what it would drop; then numbers.
std::size_t rank_of(const SweepAxis& axis) {
  const auto& words = roofline_words();
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), axis.key) - words.begin());
}

/// The scenario in which axis a has the value digit(a).
template <class Digit>
Result<Scenario> scenario_at(const SweepFile& file, Digit&& digit) {
  const auto& axes = file.space.axes();
  std::vector<std::size_t> order(axes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank_of(axes[a]) < rank_of(axes[b]); });
  Scenario scenario = file.base;
  Errors errors;
  bool stayed = false;
  for (const std::size_t a : order) {
    if (file.serves && find_serving_option(axes[a].key) != nullptr) continue;
    if (file.simulates && simulate::find_simulation_field(axes[a].key) != nullptr) continue;
    const std::string text = axes[a].text(digit(a));
    const std::string where = axes[a].place + ": " + axes[a].key;
    const bool is_word = rank_of(axes[a]) < kRooflineWords;
    if (!is_word && !stayed) {
      scenario.given.insert(scenario.given.end(), file.stays.begin(), file.stays.end());
      stayed = true;
    }
    if (!is_word && axes[a].is_numeric()) {
      // the number itself: its text might round
      scenario.given.push_back({axes[a].key, axes[a].numbers[digit(a)], {where, Kind::user, ""}});
      continue;
    }
    const auto set = override_option(scenario, axes[a].key, text, where);
    if (!set) append(errors, set.error());
  }
  if (!stayed) scenario.given.insert(scenario.given.end(), file.stays.begin(), file.stays.end());
  if (!errors.empty()) return fail(std::move(errors));
  return scenario;
}

std::string problem_of(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) text += (text.empty() ? "" : "; ") + error.where + ": " + error.what;
  return text;
}

/// A name that nobody knows is a slip, not a combination that is not possible.
void keep_unknown(const Errors& errors, Errors& unknown) {
  for (const Error& error : errors) {
    if (error.what.starts_with("unknown ") && std::find(unknown.begin(), unknown.end(), error) == unknown.end())
      unknown.push_back(error);
  }
}

RooflineBase base_of(const Scenario& scenario, const Result<ResolvedCase>& resolved) {
  RooflineBase base;
  if (!resolved) {
    base.problem = problem_of(resolved.error());
    base.words = {scenario.model,
                  scenario.machine,
                  scenario.weights.value_or(""),
                  scenario.experts.value_or(""),
                  scenario.attention.value_or(""),
                  scenario.kv.value_or("")};
    return base;
  }
  base.numbers = resolved->numbers;
  const Precisions& precision = resolved->precision;
  base.words = {resolved->model,   resolved->machine,   precision.weights,
                precision.experts, precision.attention, precision.kv};
  return base;
}

/// A token uses at most all experts, whatever the inner axes say.
Result<bool> check_experts(const RooflineSweep::Parts& parts) {
  const std::size_t experts = input_index("experts.count"), used = input_index("experts.per_token");
  for (const RooflineBase& base : parts.bases) {
    if (!base.problem.empty()) continue;
    double fewest = input_values(base.numbers)[experts], most = input_values(base.numbers)[used];
    for (std::size_t i = 0; i < parts.inner.size(); ++i) {
      const auto& numbers = parts.space.axes()[parts.inner[i]].numbers;
      if (parts.inner_inputs[i] == experts) fewest = *std::min_element(numbers.begin(), numbers.end());
      if (parts.inner_inputs[i] == used) most = *std::max_element(numbers.begin(), numbers.end());
    }
    const auto along = [&](std::size_t input) {
      return std::find(parts.inner_inputs.begin(), parts.inner_inputs.end(), input) != parts.inner_inputs.end();
    };
    if (along(experts) && base.numbers.follows.known() && !along(input_index("params.routed"))) {
      return fail({"sweep", fmt::format("experts.count alone would leave {} the parameters it has", base.words[0]),
                   "give params.routed beside it, or use ridge curve sparsity, which moves both"});
    }
    if (most > fewest) {
      return fail({"sweep", fmt::format("a token cannot use {:g} of {:g} experts ({})", most, fewest, base.words[0]),
                   "keep experts.per_token at or below experts.count in every case"});
    }
  }
  return true;
}

Result<bool> add_bases(const SweepFile& file, const Library& library, RooflineSweep::Parts& parts) {
  const auto& axes = file.space.axes();
  double combinations = 1;
  for (const std::size_t a : parts.outer) combinations *= static_cast<double>(axes[a].size());
  if (combinations > static_cast<double>(kMostBases)) {
    return fail({"sweep", fmt::format("{:g} combinations of words are more than {}", combinations, kMostBases),
                 "split the sweep into several files"});
  }
  Errors unknown, first_errors;
  bool any = false;
  std::vector<std::size_t> digits(axes.size(), 0);
  for (std::size_t n = 0; n < static_cast<std::size_t>(combinations); ++n) {
    std::size_t rest = n;
    for (std::size_t k = parts.outer.size(); k-- > 0;) {
      const std::size_t radix = axes[parts.outer[k]].size();
      digits[parts.outer[k]] = rest % radix;
      rest /= radix;
    }
    const auto scenario = scenario_at(file, [&](std::size_t a) { return digits[a]; });
    if (!scenario) return fail(scenario.error());
    const auto resolved = resolve(*scenario, library);
    if (!resolved) keep_unknown(resolved.error(), unknown);
    if (!resolved && first_errors.empty()) first_errors = resolved.error();
    any = any || resolved.has_value();
    parts.bases.push_back(base_of(*scenario, resolved));
  }
  if (!unknown.empty()) return fail(std::move(unknown));
  if (!any) return fail(std::move(first_errors));
  return true;
}

/// Names nobody knows: every word once, beside the first of the others.
Errors unknown_words(const SweepFile& file, const Library& library) {
  Errors unknown;
  const auto check_scenario = [&](std::size_t axis, std::size_t value) {
    const auto scenario = scenario_at(file, [&](std::size_t other) { return other == axis ? value : 0; });
    if (!scenario) return append(unknown, scenario.error());
    if (const auto resolved = resolve(*scenario, library); !resolved) keep_unknown(resolved.error(), unknown);
  };
  const auto check_engine = [&](const std::string& engine, const std::string& where) {
    const std::vector<std::string> engines = known_engines(library);
    if (std::find(engines.begin(), engines.end(), engine_called(library, lower_case(engine))) == engines.end())
      unknown.push_back({where, fmt::format("unknown engine \"{}\"", shortened(engine)), suggestion(engine, engines)});
  };
  const auto& axes = file.space.axes();
  check_scenario(axes.size(), 0);
  for (std::size_t i = 0; i < file.serving.size(); ++i) {
    if (file.serving[i].first == "engine") check_engine(file.serving[i].second, file.serving_places[i]);
  }
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (std::size_t value = 0; !axes[a].is_numeric() && value < axes[a].size(); ++value) {
      const std::string text = axes[a].text(value), where = axes[a].place + ": " + axes[a].key;
      ServingQuestion unused;
      if (file.simulates && simulate::find_simulation_field(axes[a].key) != nullptr) continue;
      if (find_serving_option(axes[a].key) == nullptr) {
        check_scenario(a, value);
      } else if (const auto set = set_serving_option(unused, axes[a].key, text, where); !set) {
        append(unknown, set.error());
      } else if (axes[a].key == "engine") {
        check_engine(text, where);
      }
    }
  }
  return unknown;
}

Result<ServingQuestion> question_at(const SweepFile& file, std::uint64_t index) {
  auto scenario = scenario_at(file, [&](std::size_t a) { return file.space.digit(a, index); });
  if (!scenario) return fail(scenario.error());
  ServingQuestion question;
  question.scenario = std::move(*scenario);
  for (std::size_t i = 0; i < file.serving.size(); ++i) {
    const auto& [key, text] = file.serving[i];
    if (const auto set = set_serving_option(question, key, text, file.serving_places[i]); !set)
      return fail(set.error());
  }
  for (std::size_t a = 0; a < file.space.axes().size(); ++a) {
    const SweepAxis& axis = file.space.axes()[a];
    if (find_serving_option(axis.key) == nullptr) continue;
    const auto set = set_serving_option(question, axis.key, axis.text(file.space.digit(a, index)), axis.key);
    if (!set) return fail(set.error());
  }
  return question;
}

/// A simulation and its texts: those of the file, then those of the axes.
Result<SimulationSweep::Asked> simulation_at(const SweepFile& file,
                                             const std::vector<simulate::BenchmarkClient>& clients,
                                             std::uint64_t index) {
  auto serving = question_at(file, index);
  if (!serving) return fail(serving.error());
  SimulationTexts texts{file.serving};
  texts.given.insert(texts.given.end(), file.simulation.begin(), file.simulation.end());
  for (std::size_t a = 0; a < file.space.axes().size(); ++a) {
    const SweepAxis& axis = file.space.axes()[a];
    texts.given.emplace_back(axis.key, axis.text(file.space.digit(a, index)));
  }
  auto read = read_simulation(texts, std::move(*serving), {}, {&clients, {}, false});
  if (!read) return fail(read.error());
  return SimulationSweep::Asked{std::move(read->question), std::move(texts.given)};
}

/// What is wrong with simulations whatever the other axes say: in the file itself, or a word of an axis.
Errors wrong_simulation(const SweepFile& file, const std::vector<simulate::BenchmarkClient>& clients) {
  Errors errors;
  const auto& axes = file.space.axes();
  const auto check = [&](std::uint64_t index, std::string_view only) {
    const auto asked = simulation_at(file, clients, index);
    if (asked) return;
    for (const Error& error : asked.error()) {
      const bool of_axis =
          std::any_of(axes.begin(), axes.end(), [&](const auto& one) { return one.key == error.where; });
      const bool wanted = only.empty() ? !of_axis : error.where == only;
      if (wanted && std::find(errors.begin(), errors.end(), error) == errors.end()) errors.push_back(error);
    }
  };
  check(0, "");
  std::uint64_t stride = file.space.cases();
  for (const SweepAxis& axis : axes) {
    stride /= axis.size();
    const simulate::SimulationField* simulated = simulate::find_simulation_field(axis.key);
    if (simulated == nullptr || !simulated->is_word) continue;
    for (std::size_t value = 0; value < axis.size(); ++value) check(value * stride, axis.key);
  }
  return errors;
}

}  // namespace

Result<RooflineSweep> roofline_sweep(const SweepFile& file, const Library& library, std::vector<SweepColumn> columns) {
  RooflineSweep::Parts parts;
  parts.space = file.space;
  parts.columns = std::move(columns);
  const auto& axes = file.space.axes();
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (is_outer(axes[a])) {
      parts.outer.push_back(a);
    } else {
      parts.inner.push_back(a);
      parts.inner_inputs.push_back(static_cast<std::size_t>(find_input(axes[a].key)));
    }
  }
  if (const auto added = add_bases(file, library, parts); !added) return fail(added.error());
  if (const auto checked = check_experts(parts); !checked) return fail(checked.error());
  return RooflineSweep(std::move(parts));
}

Result<ServingSweep> serving_sweep(const SweepFile& file, const Library& library, std::vector<SweepColumn> columns) {
  if (Errors unknown = unknown_words(file, library); !unknown.empty()) return fail(std::move(unknown));
  const auto shared = std::make_shared<const SweepFile>(file);
  const auto ask = [shared](std::uint64_t index) { return question_at(*shared, index); };
  return ServingSweep(file.space, ask, library, std::move(columns));
}

Result<SimulationSweep> simulation_sweep(const SweepFile& file, const Library& library,
                                         const std::vector<simulate::BenchmarkClient>& clients,
                                         std::vector<SweepColumn> columns) {
  if (Errors unknown = unknown_words(file, library); !unknown.empty()) return fail(std::move(unknown));
  if (Errors wrong = wrong_simulation(file, clients); !wrong.empty()) return fail(std::move(wrong));
  const auto shared = std::make_shared<const SweepFile>(file);
  const auto ask = [shared, clients](std::uint64_t index) { return simulation_at(*shared, clients, index); };
  if (const auto first = ask(0); !first) return fail(first.error());  // axes beside fields that exclude them
  return SimulationSweep(file.space, ask, library, std::move(columns));
}

}  // namespace ridge::catalog
