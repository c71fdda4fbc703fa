#include "train/step/training_layout_text.hpp"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "train/schedule/kind.hpp"

namespace ridge {

namespace {

std::string with_replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::vector<std::string> words_of_layout(std::string_view text) {
  std::string line = lower_case(text);
  line = with_replaced(line, "zb-", "zb");  // a schedule's own hyphen
  line = with_replaced(line, "shards of ", "shards");
  for (const char* between : {"·", "-", "+", ","}) line = with_replaced(line, between, " ");
  std::vector<std::string> words;
  for (const std::string& word : split(line, ' '))
    if (!word.empty()) words.push_back(word);
  return words;
}

/// "tp8" -> "tp" and 8.
std::pair<std::string, std::optional<double>> degree_of(const std::string& word) {
  const std::size_t digits = word.find_first_of("0123456789");
  if (digits == std::string::npos) return {word, std::nullopt};
  return {word.substr(0, digits), parse_number(word.substr(digits))};
}

}  // namespace

Result<SpokenLayout> parse_training_layout(std::string_view text, std::string_view where) {
  SpokenLayout out;
  AskedLayout& layout = out.layout;
  const std::array<std::pair<std::string_view, std::optional<double>*>, 11> places = {
      {{"tp", &layout.tensor},
       {"pp", &layout.pipeline},
       {"vp", &layout.virtual_stages},
       {"cp", &layout.context},
       {"ep", &layout.expert},
       {"etp", &layout.expert_tensor},
       {"dp", &out.data},
       {"fsdp", &out.data},
       {"mb", &layout.micro_batch},
       {"zero", &layout.zero},
       {"shards", &layout.shard_group}}};
  const std::vector<std::string> words = words_of_layout(text);
  const auto refuse = [&](std::string_view word) {
    return fail({std::string(where), fmt::format("\"{}\" is no degree of a training layout", shortened(word)),
                 "such as TP8-PP4-DP2, TP2-EP8-FSDP64 or TP2-PP8-VP2-DP4; MB2 is a micro-batch of two sequences"});
  };
  if (words.empty()) return refuse(text);
  for (const std::string& word : words) {
    if (const auto kind = train::schedule_kind(word); kind && kind != train::ScheduleKind::inference) {
      layout.schedule = *kind;
      continue;
    }
    const auto [name, number] = degree_of(word);
    std::optional<double>* place = nullptr;
    for (const auto& [known, degree] : places)
      if (known == name) place = degree;
    const double least = name == "zero" ? 0 : 1;
    if (place == nullptr || *place || !number || !(*number >= least) || *number > 1e7 || *number != std::floor(*number))
      return refuse(word);
    *place = *number;
    if (name == "fsdp") layout.zero = 3;
  }
  return out;
}

}  // namespace ridge
