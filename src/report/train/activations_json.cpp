#include "report/base/json.hpp"
#include "report/train/activations_text.hpp"

namespace ridge::report {

std::string activations_json(const ActivationsAnswer& answer) {
  Json json;
  json["schema"] = "ridge.activations/1";
  json["model"] = answer.model;
  json["layers"] = json_count(answer.numbers.layers);
  json["batch"] = json_number(answer.numbers.batch.value());
  json["sequence"] = json_number(answer.numbers.sequence.value());
  json["dropout"] = answer.dropout;
  json["policies"] = Json::array();
  for (std::size_t i = 0; i < answer.policies.size(); ++i) {
    const ActivationCost<double>& one = answer.policies[i];
    json["policies"].push_back({{"policy", std::string(name_of(kActivationPolicies[i]))},
                                {"kept", json_number(one.kept.value())},
                                {"working", json_number(one.working.value())},
                                {"total", json_number(one.total.value())},
                                {"extra_flops", json_number(one.extra.value())},
                                {"compute", json_number(one.compute.value())}});
  }
  json["mirror"] = {{"kv_cache", json_number(answer.cache.cache.value())},
                    {"flops_with_cache", json_number(answer.cache.with_cache.value())},
                    {"flops_without_cache", json_number(answer.cache.without.value())}};
  return dumped(json);
}

}  // namespace ridge::report
