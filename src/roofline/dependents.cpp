#include "roofline/dependents.hpp"

#include <algorithm>

namespace ridge {

namespace {

struct Dependents {
  std::string_view option;
  std::vector<std::string_view> inputs;  // keys, or tables ending in a dot
};

const std::vector<Dependents>& dependents() {
  static const std::vector<Dependents> all = {{"machine", {"chips", "matmul.", "hbm.", "price"}},
                                              {"model",
                                               {"params.", "experts.", "width.", "kv.", "attention.flops", "matmul.",
                                                "window.", "selected.", "root.", "state."}},
                                              {"weights", {"width.", "matmul.weights", "matmul.experts"}},
                                              {"experts", {"width.experts", "matmul.experts"}},
                                              {"attention", {"matmul.attention"}},
                                              {"kv", {"kv.", "window.", "selected.", "root.", "state."}},
                                              {"price", {"price"}},
                                              {"price_basis", {"price"}}};
  return all;
}

}  // namespace

void forget_dependents(Scenario& scenario, std::string_view option) {
  for (const Dependents& one : dependents()) {
    if (one.option != option) continue;
    std::erase_if(scenario.given, [&](const GivenInput& given) {
      return std::any_of(one.inputs.begin(), one.inputs.end(), [&](std::string_view input) {
        return given.key == input || (input.ends_with('.') && given.key.starts_with(input));
      });
    });
  }
  if (option == "weights") scenario.experts.reset();
}

}  // namespace ridge
