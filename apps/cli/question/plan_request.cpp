#include "cli/question/plan_request.hpp"

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/question/fleet_options.hpp"
#include "cli/question/serving.hpp"
#include "library/names.hpp"

namespace ridge::cli {

namespace {

std::vector<std::optional<std::string>> read_formats(OptionReader& reader, std::string_view key,
                                                     const Library& library) {
  std::vector<std::optional<std::string>> out;
  for (const std::string& format : reader.words(key)) {
    if (find_named(library.formats, format) == nullptr)
      reader.refuse(key, fmt::format("unknown format \"{}\"", shortened(format)),
                    suggestion(format, names_of(library.formats)));
    out.emplace_back(format);
  }
  return out;
}

/// Machines of the catalog, by whether anybody has timed a kernel, a step or a served request on their chip.
struct MachinesByEvidence {
  std::vector<std::string> measured, unmeasured;
};
MachinesByEvidence machines_by_evidence(const Library& library) {
  MachinesByEvidence out;
  for (const Machine& machine : library.machines) {
    const MeasuredChip* chip = find_named(library.measured, machine.chip);
    const bool seen = chip != nullptr && (chip->kernels > 0 || chip->steps > 0 || !chip->runs.empty());
    (seen ? out.measured : out.unmeasured).push_back(machine.name);
  }
  return out;
}

/// Machines that an option names, with commas between them.
std::vector<std::string> named_machines(OptionReader& reader, const char* key, const Library& library) {
  if (reader.arguments().text(key) == "all")
    return reader.arguments().has("include_unmeasured") ? names_of(library.machines)
                                                        : machines_by_evidence(library).measured;
  std::vector<std::string> names = reader.words(key);
  for (const std::string& name : names) {
    const auto named = whole_machine_named(library, name);
    if (named) continue;
    for (const Error& error : named.error()) reader.refuse(key, error.what, error.hint);
  }
  return names;
}

std::vector<std::string> read_machines(OptionReader& reader, const Library& library) {
  const Arguments& arguments = reader.arguments();
  if (arguments.has("machine") && arguments.has("decode_on"))
    reader.refuse("decode_on", fmt::format("stands beside {}", field("machine")), "give one of them");
  std::vector<std::string> names =
      named_machines(reader, arguments.has("decode_on") ? "decode_on" : "machine", library);
  if (!names.empty() || !reader.errors().empty()) return names;
  if (arguments.has("prefill_on")) {
    reader.refuse("decode_on", "which machine decodes?", "e.g. --decode-on hgx-h200, several with commas");
  } else {
    reader.refuse("machine", "which machine?", "e.g. --on gb200-nvl72, several with commas, or all");
  }
  return names;
}

/// Machines that prefill, where they are named apart.
std::vector<std::string> read_prefill_machines(OptionReader& reader, const Library& library) {
  const Arguments& arguments = reader.arguments();
  if (arguments.has("decode_on") && !arguments.has("prefill_on"))
    reader.refuse("decode_on", "and prefill?",
                  fmt::format("give {} as well, or {} for both", field("prefill_on"), field("machine")));
  if (arguments.has("prefill_on") && arguments.has("aggregated"))
    reader.refuse("aggregated", fmt::format("stands beside {}", field("prefill_on")),
                  "prefill on another machine is apart: leave it out");
  return named_machines(reader, "prefill_on", library);
}

template <class Q>
std::vector<double> plain_numbers(const std::vector<Q>& quantities) {
  std::vector<double> out;
  for (const Q& one : quantities) out.push_back(one.value());
  return out;
}

/// What is tried in several ways, and what is aimed at.
Result<PlanRequest> read_request(const Arguments& arguments, const Library& library) {
  OptionReader reader(arguments);
  PlanRequest request;
  const unsigned all = all_threads();
  request.threads = static_cast<unsigned>(arguments.whole("threads", static_cast<int>(all)));
  const auto is_all = [&](const char* key) { return arguments.text(key) == "all"; };
  if (arguments.has("include_unmeasured") && !is_all("machine") && !is_all("decode_on") && !is_all("prefill_on"))
    reader.refuse("include_unmeasured", "no option says all",
                  "machines that are named are planned for, measured or not");
  request.machines = read_machines(reader, library);
  request.prefill_machines = read_prefill_machines(reader, library);
  if (const auto slo = reader.take(asked_slo(arguments))) {
    request.ttft = shortest_limit(*slo, SloMetric::ttft);
    request.tpot = shortest_limit(*slo, SloMetric::tpot);
    request.e2e = shortest_limit(*slo, SloMetric::e2e);
  }
  if (const auto confidence = reader.take(asked_confidence(arguments))) request.confidence = *confidence;
  if (const auto chips = reader.read<Ratio<double>>("max_chips")) request.most_chips = chips->value();
  if (arguments.has("objective")) {
    if (const auto aim = reader.take(parse_objective(arguments.text("objective")))) request.objective = *aim;
  }
  if (arguments.has("weights")) request.weights = read_formats(reader, "weights", library);
  if (arguments.has("kv")) request.kv = read_formats(reader, "kv", library);
  if (arguments.has("speculative_tokens"))
    request.speculative_tokens = plain_numbers(reader.list<Ratio<double>>("speculative_tokens", kAnything));
  if (arguments.has("token_budget"))
    request.token_budgets = plain_numbers(reader.list<Tokens<double>>("token_budget", kAnything));
  request.aggregated = !arguments.has("disaggregated") && !arguments.has("prefill_on");
  request.disaggregated = !arguments.has("aggregated");
  if (!request.aggregated && !request.disaggregated)
    reader.refuse("aggregated", "stands beside --disaggregated", "leave one of them out, or both to try both");
  if (!reader.errors().empty()) return fail(reader.errors());
  return request;
}

}  // namespace

std::string left_out_of_all(const Arguments& arguments, const Library& library) {
  const auto is_all = [&](const char* key) { return arguments.text(key) == "all"; };
  if (!is_all("machine") && !is_all("decode_on") && !is_all("prefill_on")) return "";
  const auto unmeasured = machines_by_evidence(library).unmeasured;
  if (unmeasured.empty()) return "";
  if (arguments.has("include_unmeasured"))
    return fmt::format("nobody has measured the chips of {}", joined(unmeasured, ", "));
  return fmt::format("left out of all, for nobody has measured their chips ({} or their names plan for them): {}",
                     field("include_unmeasured"), joined(unmeasured, ", "));
}

Result<PlanRequest> plan_request(const Arguments& arguments, Program& program) {
  if (!arguments.has("model"))
    return fail({"model", "which model?", "e.g. ridge plan deepseek-v3 --on gb200-nvl72 (ridge list models)"});
  auto request = read_request(arguments, program.library);
  if (!request) return fail(request.error());
  Arguments first = arguments;  // a question has one machine: the first, until the search moves it
  first.given.insert(first.given.begin(), {"machine", request->machines.front(), Reads::scenario});  // before its price
  ServingQuestion asked;
  const auto scenario = scenario_of(program, first, arguments.text("model"));
  if (!scenario) return fail(scenario.error());
  asked.scenario = *scenario;
  const auto question = with_options(std::move(asked), first);
  if (!question) return fail(question.error());
  request->question = *question;
  return request;
}

}  // namespace ridge::cli
