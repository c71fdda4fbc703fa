#include "train/step/recompute.hpp"

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

namespace {

constexpr double kAllLayers = std::numeric_limits<double>::infinity();

constexpr std::array<std::pair<std::string_view, bool RecomputePolicy::*>, 9> kModules = {
    {{"core_attn", &RecomputePolicy::core_attention},
     {"mla_up_proj", &RecomputePolicy::mla_up},
     {"moe_act", &RecomputePolicy::moe_activation},
     {"mlp", &RecomputePolicy::mlp},
     {"moe", &RecomputePolicy::moe},
     {"layernorm", &RecomputePolicy::norms},
     {"mlp_layernorm", &RecomputePolicy::mlp_norm},
     {"reversible", &RecomputePolicy::reversible},
     {"selective", &RecomputePolicy::core_attention}}};

std::vector<std::string> policy_words() {
  std::vector<std::string> words = {"none", "full"};
  for (const auto& [name, field] : kModules) words.emplace_back(name);
  return words;
}

}  // namespace

bool RecomputePolicy::all() const { return full_layers == kAllLayers; }
bool RecomputePolicy::none() const { return *this == RecomputePolicy{}; }

Result<RecomputePolicy> parse_recompute(std::string_view text, std::string_view where) {
  RecomputePolicy policy;
  std::string plain(text);
  for (char& c : plain) c = c == ',' || c == ' ' ? '+' : c;
  for (const std::string& part : split(plain, '+')) {
    const std::string word = lower_case(trimmed(part));
    if (word.empty() || word == "none") continue;
    if (word == "full") {
      policy.full_layers = kAllLayers;
      continue;
    }
    if (word.starts_with("full:")) {
      const auto layers = parse_number(word.substr(5));
      if (!layers || *layers < 1 || *layers > 1e6 || *layers != static_cast<double>(static_cast<int>(*layers)))
        return fail({std::string(where), fmt::format("\"{}\" names no number of layers", shortened(word)),
                     "such as full:4, for four layers of each stage"});
      policy.full_layers = *layers;
      continue;
    }
    bool known = false;
    for (const auto& [name, field] : kModules) {
      if (word != name) continue;
      policy.*field = true;
      known = true;
    }
    if (!known)
      return fail({std::string(where), fmt::format("nothing called \"{}\" can be recomputed", shortened(word)),
                   suggestion(word, policy_words())});
  }
  return policy;
}

std::string name_of(const RecomputePolicy& policy) {
  if (policy.all()) return "full";
  std::string out;
  const auto add = [&](std::string_view word) { out += (out.empty() ? "" : "+") + std::string(word); };
  for (const auto& [name, field] : kModules) {
    if (policy.*field && name != "selective") add(name);
  }
  if (policy.full_layers > 0) add(fmt::format("full:{:g}", policy.full_layers));
  return out.empty() ? "none" : out;
}

}  // namespace ridge
