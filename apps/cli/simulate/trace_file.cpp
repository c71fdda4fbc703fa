#include "cli/simulate/trace_file.hpp"

#include "catalog/facts/files.hpp"
#include "catalog/traces/traces.hpp"

namespace ridge::cli {

std::shared_ptr<const simulate::Trace> asked_trace(OptionReader& reader) {
  if (!reader.arguments().has("trace")) return {};
  const std::string path = reader.arguments().text("trace");
  const catalog::TraceLimits limits;
  const auto text =
      reader.take(path == "-" ? catalog::read_standard_input(limits.bytes) : catalog::read_file(path, limits.bytes));
  if (!text) return {};
  auto trace = reader.take(catalog::read_trace(*text, path == "-" ? "standard input" : path, limits));
  if (!trace) return {};
  return std::make_shared<const simulate::Trace>(std::move(*trace));
}

std::optional<simulate::RequestMix> asked_mix(OptionReader& reader) {
  if (!reader.arguments().has("mix")) return {};
  return reader.take(simulate::parse_mix(reader.arguments().text("mix")));
}

}  // namespace ridge::cli
