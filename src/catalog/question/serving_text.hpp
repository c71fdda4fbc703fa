#pragma once
// A serving question from words: the options of the command line (--isl, --tp, ...) and the keys of a sweep's file.

#include <string>
#include <string_view>
#include <vector>

#include "base/number/dimension.hpp"
#include "base/result.hpp"
#include "serve/serving.hpp"

namespace ridge::catalog {

struct ServingOption {
  std::string_view key;
  bool is_word = false;   // engine, overlap, disaggregated
  bool is_whole = false;  // degrees and counts
  Dimension dimension{};
  bool is_rate = false;  // requests a second: also "3k/h"
};

/// All of them; null where there is none of that name. A name may be spelled as a flag: token-budget is token_budget.
const std::vector<ServingOption>& serving_options();
const ServingOption* find_serving_option(std::string_view key);

/// Sets one option. `where` names the place in errors.
Result<bool> set_serving_option(ServingQuestion& question, std::string_view key, std::string_view text,
                                std::string_view where);

}  // namespace ridge::catalog
