#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "catalog/gguf/translation.hpp"

namespace ridge::catalog {

std::optional<double> GgufTranslation::Mamba::head_size() const {
  if (!inner || !heads || *heads == 0 || std::fmod(*inner, *heads) != 0) return std::nullopt;
  return *inner / *heads;
}

/// The one size of those layers that have any; the list where they differ.
void GgufTranslation::set_where_any(std::string_view key, const Layers& values) {
  Layers some;
  std::copy_if(values.begin(), values.end(), std::back_inserter(some), [](double value) { return value > 0; });
  if (some.empty()) return;
  const bool same = std::all_of(some.begin(), some.end(), [&](double value) { return value == some.front(); });
  set_layers(key, same ? Layers{some.front()} : values);
}

void GgufTranslation::hybrid() {
  if (heads_.empty()) return;
  const bool mixed = std::find(kv_heads_.begin(), kv_heads_.end(), 0.0) != kv_heads_.end();
  if (is("nemotron_h")) nemotron();
  if (is("granitemoehybrid") || is("falcon_h1")) mamba();
  if (is("granitemoehybrid")) {
    set("layer_types", kinds([&](std::size_t i) { return attends(i) ? "attention" : "mamba"; }));
  }
  if (is("lfm2") || is("lfm2_moe")) {
    set("layer_types", kinds([&](std::size_t i) { return attends(i) ? "full_attention" : "conv"; }));
    set_if("conv_L_cache", count("shortconv.l_cache"));
    set("block_auto_adjust_ff_dim", false);
  }
  if (is("qwen3_next")) delta();
  if (is("kimi_linear")) kimi();
  if (mixed && !is("kimi_linear")) {
    set_where_any("num_attention_heads", heads_);
    set_where_any("num_key_value_heads", kv_heads_);
  }
}

GgufTranslation::Mamba GgufTranslation::state_space() {
  const Mamba found = {count("ssm.inner_size"), count("ssm.time_step_rank"), count("ssm.state_size"),
                       count("ssm.group_count"), count("ssm.conv_kernel")};
  if (!found.head_size() || !found.state || !found.groups || !found.kernel) {
    complain("ssm.inner_size", "a state space without its sizes",
             "ssm.inner_size, time_step_rank, state_size, group_count and conv_kernel must be there");
  }
  return found;
}

void GgufTranslation::mamba() {
  const Mamba found = state_space();
  set_if("mamba_n_heads", found.heads);
  set_if("mamba_d_head", found.head_size());
  set_if("mamba_d_state", found.state);
  set_if("mamba_n_groups", found.groups);
  set_if("mamba_d_conv", found.kernel);
  if (is("falcon_h1")) set_if("mamba_d_ssm", found.inner);
  if (listed()) set("mamba_conv_bias", has("ssm_conv1d.bias"));
  if (listed()) set("mamba_proj_bias", has("ssm_in.bias"));
  if (is("falcon_h1") && listed()) set("mamba_rms_norm", has("ssm_norm.weight"));
}

void GgufTranslation::nemotron() {
  const Mamba found = state_space();
  set_if("mamba_num_heads", found.heads);
  set_if("mamba_head_dim", found.head_size());
  set_if("ssm_state_size", found.state);
  set_if("n_groups", found.groups);
  set_if("conv_kernel", found.kernel);
  if (listed()) set("use_conv_bias", has("ssm_conv1d.bias"));
  if (listed()) set("use_bias", has("ssm_in.bias"));
  std::string pattern;
  for (std::size_t i = 0; i < static_cast<std::size_t>(layers_); ++i) {
    const bool network = !widths_.empty() && widths_[widths_.size() == 1 ? 0 : i] > 0;
    pattern += attends(i) ? '*' : !network ? 'M' : expert_count_ > 0 ? 'E' : '-';
  }
  set("hybrid_override_pattern", std::string_view(pattern));
  set("mtp_hybrid_override_pattern", std::string_view("*E"));  // llama.cpp folds both into one block
  set_where_any("intermediate_size", widths_);
}

/// Gated delta rule: ssm.* hold linear_key_head_dim (state), linear_num_key_heads (groups), linear_num_value_heads
/// (time steps), and the product of the values' heads and sizes (inner).
void GgufTranslation::delta() {
  const Mamba found = state_space();
  set_if("linear_num_value_heads", found.heads);
  set_if("linear_value_head_dim", found.head_size());
  set_if("linear_key_head_dim", found.state);
  set_if("linear_num_key_heads", found.groups);
  set_if("linear_conv_kernel_dim", found.kernel);
  set("full_attention_interval", count("full_attention_interval").value_or(4));
}

void GgufTranslation::kimi() {
  Layers full, linear;  // counted from 1
  for (std::size_t i = 0; i < static_cast<std::size_t>(layers_); ++i) {
    (attends(i) ? full : linear).push_back(static_cast<double>(i + 1));
  }
  JsonMembers linear_config = {{"full_attn_layers", json(full)}, {"kda_layers", json(linear)}};
  if (const auto size = count("kda.head_dim")) linear_config.emplace_back("head_dim", json(*size));
  linear_config.emplace_back("num_heads", json(*std::max_element(heads_.begin(), heads_.end())));
  if (const auto kernel = count("ssm.conv_kernel")) {
    linear_config.emplace_back("short_conv_kernel_size", json(*kernel));
  }
  put("linear_attn_config", {std::move(linear_config)});
}

}  // namespace ridge::catalog
