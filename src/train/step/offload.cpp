#include "train/step/offload.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

Result<OffloadPolicy> parse_offload(std::string_view text, std::string_view where) {
  OffloadPolicy policy;
  std::string plain(text);
  for (char& c : plain) c = c == ',' || c == ' ' ? '+' : c;
  for (const std::string& part : split(plain, '+')) {
    const std::string word = lower_case(trimmed(part));
    if (word.empty() || word == "none") continue;
    if (word == "optimizer") {
      policy.optimizer = true;
    } else if (word == "activations") {
      policy.activations = true;
    } else {
      return fail({std::string(where), fmt::format("nothing called \"{}\" can lie on the host", shortened(word)),
                   suggestion(word, {"none", "optimizer", "activations"})});
    }
  }
  return policy;
}

std::string name_of(const OffloadPolicy& policy) {
  if (!policy.any()) return "none";
  return !policy.activations ? "optimizer" : policy.optimizer ? "optimizer+activations" : "activations";
}

}  // namespace ridge
