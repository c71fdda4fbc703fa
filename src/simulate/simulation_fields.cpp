#include "simulate/simulation_fields.hpp"

#include <algorithm>
#include <string>

namespace ridge::simulate {

const std::vector<SimulationField>& simulation_fields() {
  static const std::vector<SimulationField> fields = {
      {"client", true, false, kNone},
      {"requests", false, true, kNone},
      {"length_spread", false, false, kNone},
      {"burstiness", false, false, kNone},
      {"ramp_from", false, false, kNone, true},
      {"think", false, false, ridge::kSecond},
      {"sessions", false, true, kNone},
      {"turns", false, true, kNone},
      {"system_prompts", false, true, kNone},
      {"system_tokens", false, true, kToken},
      {"speed", false, false, kNone},
      {"seed", false, true, kNone},
      {"slo", true, false, kNone},
      {"prefill_replicas", false, true, kNone},
      {"max_seqs", false, true, kNone},
      {"poll_steps", false, true, kNone},
      {"no_prefix_cache", true, false, kNone},
      {"no_chunked_prefill", true, false, kNone},
      {"no_async", true, false, kNone},
      {"order", true, false, kNone},
      {"routing", true, false, kNone},
      {"warmups", false, true, kNone},
      {"kv_tiers", true, false, kNone},
      {"fail", true, false, kNone},
      {"mtbf", false, false, ridge::kSecond},
      {"repair", false, false, ridge::kSecond},
      {"cold_start", true, false, kNone},
  };
  return fields;
}

const SimulationField* find_simulation_field(std::string_view word) {
  std::string key(word);
  std::replace(key.begin(), key.end(), '-', '_');
  const auto& fields = simulation_fields();
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const SimulationField& one) { return one.key == key; });
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace ridge::simulate
