#include "catalog/hf/config.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "catalog/entries/sound_model.hpp"
#include "catalog/hf/mixers.hpp"
#include "catalog/hf/quantization.hpp"
#include "catalog/hf/towers.hpp"
#include "catalog/hf/unread.hpp"
#include "catalog/json/config_node.hpp"
#include "model/layer_text.hpp"

namespace ridge::catalog {

namespace {

class ConfigReader {
 public:
  ConfigReader(const JsonValue& root, std::string_view place, const ConfigWords& words, const Assumptions& assumptions)
      : tree_(root),
        words_(words),
        assumptions_(assumptions),
        log_{.place = std::string(place), .errors = {}, .remarks = {}, .read = {}, .settled = {}},
        root_(root, "", log_),
        text_(find_text()) {}

  Result<ReadModel> run(Keys keys) {
    if (tree_.object() == nullptr) {
      return fail(
          {log_.place, fmt::format("{} where a config is expected", kind_of(tree_)), "a config.json is one object"});
    }
    find_family_of_file();
    if (family_ == nullptr) return fail(log_.errors);
    if (const LayerForms forms = read_layers(text_, *family_, {words_, assumptions_, used_}); log_.errors.empty())
      build(forms);
    if (log_.errors.empty() && keys == Keys::of_the_file) check_unread();
    if (log_.errors.empty()) append(log_.errors, wrong_sums(model_, log_.place));
    if (!log_.errors.empty()) return fail(unique_errors());
    say_assumptions();
    model_.remarks = unique(log_.remarks);
    auto unneeded = unneeded_assumptions();
    return ReadModel{std::move(model_), unread_keys(tree_, log_), std::move(unneeded)};
  }

 private:
  /// Models that also see or hear keep the language model in an object of its own.
  ConfigNode find_text() {
    const JsonValue* thinker = tree_.find("thinker_config");  // Qwen Omni: the part that writes text
    const bool nested = thinker != nullptr && thinker->find("text_config") != nullptr;
    if (nested) {
      if (const auto text = root_.child("thinker_config")->child("text_config")) return *text;
    }
    for (const std::string_view key : {"text_config", "llm_config", "language_config"}) {
      const JsonValue* found = tree_.find(key);
      if (found != nullptr && found->object() != nullptr) return *root_.child(key);
    }
    return root_;
  }

  std::string first_architecture(const ConfigNode& node) const {
    const JsonValue* listed = node.value({"architectures"});
    if (listed == nullptr || listed->array() == nullptr || listed->array()->empty()) return "";
    const std::string* text = listed->array()->front().text();
    return text == nullptr ? "" : *text;
  }

  void find_family_of_file() {
    std::string type = text_.optional_text({"model_type"}).value_or("");
    const std::string outer = root_.optional_text({"model_type"}).value_or("");
    if (type.empty()) type = outer;
    const std::string architecture = first_architecture(text_), outer_architecture = first_architecture(root_);
    std::string meant = type;
    if (const auto assumed = assumptions_.find(type); !type.empty() && assumed != assumptions_.end()) {
      meant = assumed->second;
      used_.push_back(type);
    }
    family_ = find_family(meant, architecture.empty() ? outer_architecture : architecture, words_);
    if (family_ == nullptr) family_ = find_family(outer, outer_architecture, words_);
    model_.family = type.empty() ? outer_architecture : type;
    if (family_ == nullptr) {
      root_.complain(
          "model_type",
          type.empty() && outer_architecture.empty()
              ? std::string("neither model_type nor architectures: this is no model's config")
              : fmt::format("model type \"{}\" is not known", shortened(type.empty() ? outer_architecture : type)),
          fmt::format("{}; if you know that it is built like one of them, say {}", suggestion(type, family_names()),
                      field("assume", (type.empty() ? "NAME" : shortened(type)) + "=TYPE")));
      return;
    }
    if (!family_->refused.empty()) {
      root_.complain("model_type", fmt::format("\"{}\" is not supported: {}", family_->type, family_->refused),
                     "its layers cannot be counted exactly yet");
      family_ = nullptr;
    }
  }

  void build(const LayerForms& forms) {
    const auto layers = static_cast<double>(forms.layers.size());
    model_.hidden = text_.count({"hidden_size", "n_embd", "d_model", "n_embed"});
    model_.vocabulary = dimension(text_, *family_, {"vocab_size", "padded_vocab_size"});
    const Names limit_names = {"max_position_embeddings", "n_positions", "seq_length", "max_seq_len",
                               "max_sequence_length"};
    if (text_.has_any(limit_names) || class_default(family_->type, "max_position_embeddings")) {
      model_.context_limit = dimension(text_, *family_, {text_.spelled(limit_names)});  // the others say other lengths
      const auto original = text_.optional_count({"original_max_position_embeddings"});
      if (original && *original == model_.context_limit && text_.has("rope_scaling")) {
        log_.remarks.push_back("the context limit is that before scaling; the file says how to scale, not how far");
      }
    } else {
      log_.remarks.push_back("the file does not say how long a context may be");
    }
    model_.tied_embeddings = tied();
    model_.final_norm = family_->norms > 0;
    model_.final_norm_bias = family_->norm_bias;
    if (const auto width = text_.optional_count({"word_embed_proj_dim"}); width && *width != model_.hidden) {
      text_.complain("word_embed_proj_dim", "embeddings of another width than the layers are not supported",
                     "only opt-350m has them");
    }
    const LayerBuilder builder(text_, *family_, layers);
    for (std::size_t i = 0; i < forms.layers.size() && log_.errors.empty(); ++i) {
      model_.order.push_back(kind_index(builder.build(forms.layers[i], static_cast<double>(i)), forms.layers[i]));
    }
    for (const LayerForm& form : forms.mtp) {
      if (!log_.errors.empty()) return;
      model_.mtp_order.push_back(kind_index(builder.build(form, layers), form));
    }
    if (!log_.errors.empty()) return;
    add_outer_extras(layers);
    add_mtp_extras();
    name_kinds();
    if (text_.has("cross_attention_layers")) {
      log_.remarks.push_back("cross-attention layers count as used, as with an image; text alone skips them");
    }
    const Towers towers = count_towers(root_, model_.hidden);
    model_.vision = towers.vision;
    model_.audio = towers.audio;
    check_sizes();
    if (log_.errors.empty()) read_precision(root_, text_, words_, model_);
  }

  /// Products of sizes that are each possible may be beyond anything: no model has such a tensor.
  void check_sizes() {
    constexpr double kMost = 1e12;
    const auto check = [&](std::string_view what, double value) {
      if (std::fabs(value) <= kMost) return;
      root_.complain("model_type", fmt::format("{} comes to {:g}", what, value),
                     "no model is that large: check the sizes in the file");
    };
    check("the vision tower", model_.vision);
    check("the audio tower", model_.audio);
    const auto check_weights = [&](const Weights& weights) {
      for (const Weight& weight : weights) {
        for (const double size : {weight.in, weight.out, weight.count}) check(weight.name, size);
      }
    };
    check_weights(model_.extra);
    check_weights(model_.mtp_extra);
    for (const Layer& kind : model_.kinds) {
      check_weights(kind.extra);
      for (const auto& [key, value] : fields_of(kind)) check(key, parse_number(value).value_or(0));
    }
  }

  /// A key that says how the model is built and that nobody read: what was counted may be wrong.
  void check_unread() {
    const JsonValue* text = &tree_;
    for (const std::string& key : split(text_.path(), '.')) {
      if (!key.empty()) text = text->find(key);
    }
    auto keys = unread_structure(*text, text_.path(), {words_, log_.read, log_.settled, "structure"});
    for (const auto& [object, path] : {std::pair(&tree_, std::string()), std::pair(text, text_.path())}) {
      for (const std::string_view key : {"quantization_config", "compression_config"}) {
        const JsonValue* quantization = object->find(key);
        const std::string own = path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
        if (quantization == nullptr || !log_.read.contains(own)) continue;
        const KeyJudge judge{words_, log_.read, log_.settled, "quantization", "quantization_config."};
        const auto more = unread_structure(*quantization, own, judge);
        keys.insert(keys.end(), more.begin(), more.end());
      }
      if (text == &tree_) break;
    }
    append(log_.errors, refuse_unread(keys, log_.place, assumptions_, used_));
  }

  bool tied() const {
    if (const auto outer = root_.optional_flag({"tie_word_embeddings", "tie_embedding"})) {
      const auto inner = text_.optional_flag({"tie_word_embeddings", "tie_embedding"});
      if (inner && *inner != *outer)
        root_.remark(fmt::format("tie_word_embeddings: the outer {} counts, the inner one says {}", *outer, *inner));
      return *outer;
    }
    return text_.flag_or({"tie_word_embeddings", "tie_embedding"}, family_->tied, true);
  }

  std::size_t kind_index(Layer layer, const LayerForm& form) {
    for (std::size_t i = 0; i < model_.kinds.size(); ++i) {
      if (alike(model_.kinds[i], layer)) return i;
    }
    form_of_kind_.push_back(form);
    model_.kinds.push_back(std::move(layer));
    return model_.kinds.size() - 1;
  }

  void add_outer_extras(double layers) {
    Weights& out = model_.extra;
    if (family_->extra_rows > 0)
      out.push_back(table(Part::embedding, "embed_tokens.extra", family_->extra_rows, model_.hidden));
    if (text_.flag_or({"lm_head_bias"}, family_->head_bias))
      out.push_back(vector(Part::head, "lm_head.bias", model_.vocabulary));
    if (const double width = optional_dimension(text_, *family_, {"hidden_size_per_layer_input"}); width > 0) {
      const double rows = dimension(text_, *family_, {"vocab_size_per_layer_input"});
      out.push_back(table(Part::embedding, "embed_tokens_per_layer", rows, layers * width));
      out.push_back(matrix(Part::other, "per_layer_model_projection", model_.hidden, layers * width));
      out.push_back(vector(Part::norms, "per_layer_projection_norm", width));
    } else {
      text_.settle({"vocab_size_per_layer_input"});
    }
    if (family_->type == "gemma3n_text") {
      const double inputs = text_.count({"altup_num_inputs"});
      out.push_back(
          {Part::other, "altup_projections", model_.hidden, model_.hidden, 2 * (inputs - 1), 2 * (inputs - 1)});
    }
    if (const double streams = text_.count_or({"hc_mult"}, 0, false); streams > 0)
      push_head_mixing(out, Part::other, streams, 1);
    if (family_->type == "gpt2" || family_->type == "opt") {
      const double beyond = family_->type == "opt" ? 2 : 0;
      out.push_back(table(Part::embedding, "position_embedding", model_.context_limit + beyond, model_.hidden));
    }
    if (family_->type == "bloom") out.push_back(vector(Part::norms, "word_embeddings_layernorm", 2 * model_.hidden));
  }

  /// DeepSeek-V4 joins its residual streams before the head.
  void push_head_mixing(Weights& out, Part part, double streams, double times) const {
    out.push_back({part, "hc_head_fn", streams * model_.hidden, streams, times, times});
    out.push_back({part, "hc_head_base", 1, streams, times, times, Use::vector});
    out.push_back({part, "hc_head_scale", 1, 1, times, times, Use::vector});
  }

  /// A module joins the hidden state and the next token's embedding, and has three norms of its own.
  void add_mtp_extras() {
    const double modules =
        text_.optional_count({"num_nextn_predict_layers", "mtp_num_hidden_layers"}).value_or(family_->mtp_modules);
    if (model_.mtp_order.empty() || modules <= 0) return;
    const double hidden = model_.hidden;
    const double joins =
        text_.has("compress_ratios") ? 2 : 1;  // two projections of the hidden width, or one of twice it
    Weights& out = model_.mtp_extra;
    out.push_back({Part::mtp, "eh_proj", 2 / joins * hidden, hidden, modules * joins, modules * joins});
    out.push_back({Part::mtp, "norms", 1, hidden, 3 * modules, 3 * modules, Use::vector});
    if (text_.flag_or({"mtp_use_dedicated_embeddings"}, false)) {
      out.push_back({Part::mtp, "embed_tokens", hidden, model_.vocabulary, modules, modules, Use::table});
    }
    if (family_->mtp_tables) {
      out.push_back({Part::mtp, "embed_tokens", hidden, model_.vocabulary, modules, modules, Use::table});
      out.push_back({Part::mtp, "shared_head.head", hidden, model_.vocabulary, modules, modules});
      log_.remarks.push_back(
          "the prediction modules are counted with their own copies of embedding and head, as released by this family");
    }
    if (const double streams = text_.count_or({"hc_mult"}, 0, false); streams > 0) {
      push_head_mixing(out, Part::mtp, streams, modules);
    }
  }

  static std::string word_for(const Layer& layer, const LayerForm& form) {
    using enum LayerKind;
    const auto* attention = std::get_if<GroupedAttention>(&layer.mixer);
    const std::string borrowed = attention != nullptr && attention->borrows_kv ? "-borrowing" : "";
    switch (form.mixer) {
      case sliding:
        return "window" + borrowed;
      case chunked:
        return "chunk";
      case delta:
      case kimi_delta:
      case lightning:
        return "linear";
      case mamba:
        return "mamba";
      case convolution:
        return "conv";
      case cross:
        return "cross";
      case compressed:
        return form.ratio == 0 ? "window" : fmt::format("compressed-{:.0f}", form.ratio);
      case none:
      case linear:
        return "";
      case full:
        break;
    }
    return (layer.dense || layer.experts ? "full" : "attention") + borrowed;
  }

  /// Short names that tell the kinds of this model apart: "dense", "expert", "window", "full-expert".
  void name_kinds() {
    std::vector<std::string> mixers, networks;
    for (std::size_t i = 0; i < model_.kinds.size(); ++i) {
      const Layer& layer = model_.kinds[i];
      mixers.emplace_back(word_for(layer, form_of_kind_[i]));
      networks.emplace_back(layer.experts ? "expert" : layer.dense ? "dense" : "");
    }
    const bool one_mixer = unique(mixers).size() == 1, one_network = unique(networks).size() == 1;
    for (std::size_t i = 0; i < model_.kinds.size(); ++i) {
      std::string name = mixers[i].empty() ? networks[i]
                         : networks[i].empty() || one_network
                             ? (one_mixer && !networks[i].empty() ? networks[i] : mixers[i])
                         : one_mixer ? networks[i]
                                     : mixers[i] + "-" + networks[i];
      if (name.empty()) name = "empty";
      std::string unused = name;
      const auto taken = [&](const std::string& candidate) {
        return std::any_of(model_.kinds.begin(), model_.kinds.begin() + static_cast<std::ptrdiff_t>(i),
                           [&](const Layer& other) { return other.name == candidate; });
      };
      for (int n = 2; taken(unused); ++n) unused = fmt::format("{}-{}", name, n);
      model_.kinds[i].name = unused;
    }
  }

  bool is_used(const std::string& name) const { return std::find(used_.begin(), used_.end(), name) != used_.end(); }

  void say_assumptions() {
    for (const auto& [name, meant] : assumptions_) {
      if (is_used(name)) model_.assumptions.push_back(fmt::format("assumed, as you said: {} is {}", name, meant));
    }
  }

  std::map<std::string, Error> unneeded_assumptions() const {
    std::map<std::string, Error> unneeded;
    for (const auto& [name, meant] : assumptions_) {
      if (is_used(name)) continue;
      const std::string key = name.substr(name.rfind('.') + 1);
      const bool there = text_.has(key) || root_.has(key);
      const bool read = log_.read.contains(name) || (there && log_.read.contains(text_.path_of(key)));
      const std::string what = meant != kIgnored || !there
                                   ? fmt::format("nothing in {} is called \"{}\"", log_.place, shortened(name))
                               : read ? fmt::format("{} is read: it cannot be ignored", shortened(name))
                                      : fmt::format("{} is known, and changes no size", shortened(name));
      unneeded[name] = {"assume", what, "leave it out, or name a key, a layer type or a model type of the file"};
    }
    return unneeded;
  }

  static std::vector<std::string> unique(const std::vector<std::string>& texts) {
    std::vector<std::string> out;
    for (const std::string& text : texts) {
      if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
    }
    return out;
  }
  Errors unique_errors() const {
    Errors out;
    for (const Error& error : log_.errors) {
      if (std::find(out.begin(), out.end(), error) == out.end()) out.push_back(error);
    }
    return out;
  }

  const JsonValue& tree_;
  const ConfigWords& words_;
  const Assumptions& assumptions_;
  ConfigLog log_;
  ConfigNode root_, text_;
  const Family* family_ = nullptr;
  Model model_;
  std::vector<LayerForm> form_of_kind_;
  std::vector<std::string> used_;
};

}  // namespace

Result<ReadModel> read_hf_config(const JsonValue& root, std::string_view place, const ConfigWords& words,
                                 const Assumptions& assumptions, Keys keys) {
  return ConfigReader(root, place, words, assumptions).run(keys);
}

}  // namespace ridge::catalog
