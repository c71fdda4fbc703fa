#include "report/calibrate/result_words.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text.hpp"

namespace ridge::report {

std::string load_cell(const BenchmarkResult& r) {
  if (r.kind == ResultKind::batch && r.concurrency) return fmt::format("batch {:g}", *r.concurrency);
  if (r.concurrency) return fmt::format("{:g}", *r.concurrency);
  if (r.rate) return fmt::format("{}/s", significant(*r.rate, 3));
  return r.kind == ResultKind::offline ? "all" : std::string(kNotStated);
}

std::pair<std::string, std::string> file_and_part(const std::string& place) {
  const std::size_t at = place.rfind(": ");
  if (at == std::string::npos) return {place, ""};
  return {place.substr(0, at), place.substr(at + 2)};
}

void Sentences::add(const std::string& text, const std::string& run) {
  if (!runs_.contains(text)) order_.push_back(text);
  runs_[text].push_back(run);
}

std::string Sentences::text(std::string_view mark, const Style& style) const {
  constexpr std::size_t kNamed = 4;
  std::string out;
  for (const std::string& one : order_) {
    const auto& runs = runs_.at(one);
    std::string of;
    if (runs.size() < all_ && !runs.front().empty()) {
      const std::vector<std::string> named(runs.begin(),
                                           runs.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, runs.size())));
      of = fmt::format(" ({}{})", fmt::join(named, ", "), runs.size() > kNamed ? ", ..." : "");
    }
    out += wrapped(fmt::format("{}{}{}", mark, one, of), style.columns, 2) + "\n";
  }
  return out;
}

}  // namespace ridge::report
