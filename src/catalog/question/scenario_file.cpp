#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/facts/read_toml.hpp"
#include "catalog/question/scenario_text.hpp"
#include "roofline/readings.hpp"

namespace ridge::catalog {

namespace {

constexpr std::string_view kInputs = "inputs.";

std::string quoted_toml(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

void set_fact(Scenario& scenario, const Fact& fact, Errors& errors) {
  if (fact.key == "scenario") {
    if (fact.text != "1")
      errors.push_back({fact.place, "unknown scenario format " + fact.text, "this program reads scenario = 1"});
    return;
  }
  const bool input = fact.key.starts_with(kInputs);
  const std::string key = input ? fact.key.substr(kInputs.size()) : fact.key;
  const std::size_t given_before = scenario.given.size();
  const auto set = set_option(scenario, key, fact.text, fact.place + ": " + fact.key);
  if (!set) append(errors, set.error());
  const bool is_number = scenario.given.size() > given_before;
  if (set && input && !is_number) {
    errors.push_back({fact.place, fmt::format("\"{}\" is a choice, not an input", key), "put it above [inputs]"});
  }
  // a saved number keeps the source it was saved with
  if (is_number && input && !fact.source.empty()) {
    scenario.given.back().from = {fact.source, kind_named(fact.kind).value_or(Kind::user), fact.note, fact.place};
  }
}

Result<Scenario> read_scenario(std::string_view text, std::string_view place) {
  if (text.starts_with("[sweep]") || text.find("\n[sweep]") != std::string_view::npos) {
    return fail({std::string(place), "is a sweep, not one scenario", "ridge sweep FILE answers all its cases"});
  }
  const auto facts = read_entry(text, "scenario", "", place);
  if (!facts) return fail(facts.error());
  Scenario scenario;
  Errors errors;
  for (const Fact& fact : *facts) set_fact(scenario, fact, errors);
  if (scenario.model.empty())
    errors.push_back({std::string(place), "model is missing", "add model = \"deepseek-v3\" (ridge list models)"});
  if (scenario.machine.empty())
    errors.push_back({std::string(place), "machine is missing", "add machine = \"gb200-nvl72\" (ridge list machines)"});
  if (!errors.empty()) return fail(std::move(errors));
  return scenario;
}

std::string write_scenario(const WhyAnswer& answer) {
  const ResolvedCase& resolved = answer.resolved;
  std::string out = fmt::format(
      "# A resolved scenario: every number the answer depends on. Run it again with: ridge why FILE\n"
      "scenario  = 1\nmodel     = {}\nmachine   = {}\n",
      quoted_toml(resolved.model), quoted_toml(resolved.machine));
  const Precisions& precision = resolved.precision;
  for (const auto& [key, format] : {std::pair{"weights  ", precision.weights},
                                    {"experts  ", precision.experts},
                                    {"attention", precision.attention},
                                    {"kv       ", precision.kv}}) {
    if (!format.empty()) out += fmt::format("{} = {}\n", key, quoted_toml(format));
  }
  if (resolved.owned) out += "price     = \"owned\"\n";
  out += "\n[inputs]\n";
  const auto values = input_values(resolved.numbers);
  for (std::size_t i = 0; i < kDecodeInputs; ++i) {
    const std::string unit = unit_name(input_dimension(i));
    const Provenance& from = resolved.from[i];
    out += fmt::format("{:<20} = {{ value = {}, source = {}, kind = {}{} }}\n", quoted_toml(input_info(i).key),
                       quoted_toml(fmt::format("{}{}{}", values[i], unit.empty() ? "" : " ", unit)),
                       quoted_toml(from.source), quoted_toml(name_of(from.kind)),
                       from.note.empty() ? "" : ", note = " + quoted_toml(from.note));
  }
  return out;
}

}  // namespace ridge::catalog
