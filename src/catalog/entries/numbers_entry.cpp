#include "catalog/entries/numbers_entry.hpp"

#include <cmath>

namespace ridge::catalog {

NumbersEntry read_numbers(Entry& entry) {
  NumbersEntry out{.name = entry.name(),
                   .title = entry.text("title"),
                   .form = entry.text("form", false),
                   .note = entry.text("note", false),
                   .words = {},
                   .numbers = {}};
  for (const std::string& name : entry.keys_below("use")) out.words[name] = entry.text("use." + name);
  for (const std::string& name : entry.keys_below("number")) {
    const std::string key = "number." + name;
    const Sourced<std::string> text = entry.sourced_text(key);
    const auto value = parse_measure(text.value, key);
    if (!value) entry.complain(key, value.error().front().what, value.error().front().hint);
    if (value && !std::isfinite(value->value)) entry.complain(key, "is no number", "write one below 1e300");
    out.numbers[name] = {value.value_or(Measure{}), text.from};
  }
  if (out.numbers.empty()) entry.complain("number", "has no numbers", "add a [number] table");
  return out;
}

NumbersEntry read_traffic(Entry& entry) {
  NumbersEntry traffic = read_numbers(entry);
  for (const auto& [name, number] : traffic.numbers) {
    const std::string key = "number." + name;
    if (name == "output_share") {
      if (number.value.dimension != kNone || !(number.value.value > 0 && number.value.value <= 1))
        entry.complain(key, "is no share", "write what of all tokens is output, e.g. \"20 %\"");
      continue;
    }
    if (number.value.dimension != kToken / kSecond || !(number.value.value > 0))
      entry.complain(key, "is no traffic", "write tokens a second above zero, e.g. \"10k tok/d\"");
  }
  if (traffic.numbers.contains("all") && !traffic.numbers.contains("output") &&
      !traffic.numbers.contains("output_share"))
    entry.complain("number.output_share", "is missing, and what is generated cannot be told from all tokens",
                   "add output, or output_share with its source (a guess says so: kind = \"assumed\")");
  return traffic;
}

Result<std::vector<NumbersEntry>> numbers_entries(const std::vector<Fact>& facts, std::string_view category) {
  Errors errors;
  const Sources sources = read_sources(facts, errors);
  std::vector<NumbersEntry> all = read_all<NumbersEntry>(facts, category, sources, errors, read_numbers);
  if (!errors.empty()) return fail(std::move(errors));
  return all;
}

}  // namespace ridge::catalog
