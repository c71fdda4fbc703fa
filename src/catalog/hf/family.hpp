#pragma once
// What a Hugging Face config does not say because its modeling code knows it: norms, biases, tying, defaults. One row
// for each model_type; the rest of the reader goes by the keys that are there.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "library/config_words.hpp"

namespace ridge::catalog {

enum class QkNorm {
  none,
  per_head,    // one weight of head_dim for queries and one for keys
  full_width,  // over all heads together
  by_key,      // per head where use_qk_norm or qk_layernorm says so
};

struct Family {
  std::string_view type;
  QkNorm qk_norm = QkNorm::none;
  bool qkv_bias = false;            // where attention_bias and its like are absent
  bool bias_reaches_output = true;  // attention_bias also means the output projection
  double norms = 2;                 // of the hidden width, in a layer
  bool norm_bias = false;
  bool tied = false;  // where tie_word_embeddings is absent
  bool gated = true;  // the feed-forward network has a gate
  bool ffn_bias = false;
  bool window_off = false;            // sliding_window counts only where use_sliding_window says so
  bool head_bias = false;             // the head has a bias that no key mentions
  double window_every = 0;            // n: every n-th layer sees the whole context, the others a window; 0: no pattern
  bool routing_bias = false;          // the router has a correction for each expert
  bool router_bias = false;           // the router's projection has a bias
  bool expert_bias = false;           // so do the experts' matrices
  bool always_one_shared = false;     // a shared expert of an expert's size that no key mentions
  bool shared_size_is_total = false;  // the shared size key stands for all shared experts
  double mtp_modules = 0;             // stored although no key mentions them
  bool mtp_not_stored = false;        // mentioned, and not in the released files
  bool mtp_tables = false;            // the modules store their own copies of embedding and head
  bool output_gate = false;           // attention has an output gate that no key mentions
  bool sinks = false;                 // a learned sink for each head
  double extra_rows = 0;              // rows of the embedding beyond the vocabulary
  std::string_view refused = {};      // why models of this type are not read; empty: they are
};

/// By model_type, else by the architecture's name ("Phi3ForCausalLM" is phi3); nullptr where neither is known.
const Family* find_family(std::string_view model_type, std::string_view architecture, const ConfigWords& words);
std::vector<std::string> family_names();

/// A value the family's configuration class has for a key that its published files leave out.
std::optional<double> class_default(std::string_view model_type, std::string_view key);

}  // namespace ridge::catalog
