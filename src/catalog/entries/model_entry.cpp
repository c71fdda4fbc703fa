#include "catalog/entries/model_entry.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/entries/sound_model.hpp"
#include "model/layer_text.hpp"

namespace ridge::catalog {

namespace {

/// Reads the fields of a kind; those not in `required` may be left out.
template <class Kind, class Required>
Kind read_fields(Entry& entry, const std::string& prefix, const Required& required) {
  Kind kind;
  Kind::visit_fields(kind, [&](const char* name, auto& value) {
    const std::string key = prefix + name;
    const bool needed =
        std::find(std::begin(required), std::end(required), std::string_view(name)) != std::end(required);
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>) {
      value = entry.flag(key, value);
    } else {
      value = needed ? entry.number(key) : entry.number(key, value);
      if (needed && entry.has(key) && value < 1)
        entry.complain(key, "must be at least 1", "copy it from the model's config.json");
    }
  });
  return kind;
}

Mixer read_mixer(Entry& entry, const std::string& prefix) {
  const std::string type = entry.text(prefix + "type");
  Mixer mixer;
  std::vector<std::string> known;
  visit_mixer_kinds([&](auto kind) {
    using Kind = decltype(kind);
    known.emplace_back(Kind::kType);
    if (type == Kind::kType) mixer = read_fields<Kind>(entry, prefix, Kind::kRequired);
  });
  if (std::find(known.begin(), known.end(), type) == known.end()) {
    entry.complain(prefix + "type", fmt::format("unknown attention \"{}\"", shortened(type)), suggestion(type, known));
  }
  const auto check_heads = [&](const auto& attention) {
    if (attention.kv_heads > attention.query_heads) {
      entry.complain(prefix + "kv_heads", "must be between 1 and query_heads",
                     "key/value heads are shared by groups of query heads");
    } else if (attention.kv_heads >= 1 && std::fmod(attention.query_heads, attention.kv_heads) != 0) {
      entry.complain(prefix + "kv_heads",
                     fmt::format("{:g} does not divide {:g} query heads", attention.kv_heads, attention.query_heads),
                     "groups are of equal size: check both numbers");
    }
  };
  if (auto* attention = std::get_if<GroupedAttention>(&mixer)) {
    if (attention->value_dim == 0) attention->value_dim = attention->head_dim;
  }
  if (auto* attention = std::get_if<SquareRootAttention>(&mixer)) {
    if (attention->dense.value_dim == 0) attention->dense.value_dim = attention->dense.head_dim;
    check_heads(attention->dense);
  }
  if (auto* attention = std::get_if<NativeSparseAttention>(&mixer)) {
    if (attention->value_dim == 0) attention->value_dim = attention->head_dim;
    if (attention->stride < 1) entry.complain(prefix + "stride", "must be at least 1", "tokens between two entries");
  }
  std::visit(
      [&](const auto& attention) {
        if constexpr (requires { attention.kv_heads > attention.query_heads; }) check_heads(attention);
      },
      mixer);
  return mixer;
}

std::optional<Part> part_named(std::string_view name) {
  for (const Part part : all_parts()) {
    if (name_of(part) == name) return part;
  }
  return {};
}

Weights read_extra(Entry& entry, const std::string& table) {
  Weights extra;
  for (const std::string& name : entry.tables_below(table)) {
    const std::string prefix = table + "." + name + ".";
    Weight weight{.part = Part::other, .name = name};
    const std::string part = entry.text(prefix + "part"), use = entry.text(prefix + "use");
    if (const auto found = part_named(part)) {
      weight.part = *found;
    } else {
      entry.complain(prefix + "part", fmt::format("unknown part \"{}\"", shortened(part)),
                     "e.g. attention, norms, other, embedding");
    }
    bool known = false;
    for (const Use candidate : {Use::matrix, Use::vector, Use::convolution, Use::table}) {
      if (use != name_of(candidate)) continue;
      weight.use = candidate;
      known = true;
    }
    if (!known)
      entry.complain(prefix + "use", fmt::format("unknown use \"{}\"", shortened(use)),
                     "matrix, vector, convolution or table");
    weight.in = entry.number(prefix + "in", 1.0);
    weight.out = entry.signed_number(prefix + "out");
    weight.count = entry.number(prefix + "count", 1.0);
    weight.used = entry.number(prefix + "used", weight.count);
    extra.push_back(std::move(weight));
  }
  return extra;
}

Layer read_layer(Entry& entry, const std::string& name) {
  const std::string prefix = "layer." + name + ".";
  Layer layer;
  layer.name = name;
  layer.mixer = read_mixer(entry, prefix + "attention.");
  if (!entry.keys_below(prefix + "feed_forward").empty()) {
    layer.dense = read_fields<DenseFeedForward>(entry, prefix + "feed_forward.", std::array{std::string_view("size")});
  }
  if (!entry.keys_below(prefix + "experts").empty()) {
    const std::array<std::string_view, 3> required = {"count", "per_token", "size"};
    layer.experts = read_fields<Experts>(entry, prefix + "experts.", required);
    if (layer.experts->shared_size == 0) layer.experts->shared_size = layer.experts->shared * layer.experts->size;
    if (layer.experts->per_token > layer.experts->count) {
      entry.complain(
          prefix + "experts.per_token",
          fmt::format("a token cannot use {:g} of {:g} experts", layer.experts->per_token, layer.experts->count),
          "per_token is between 1 and count");
    }
  }
  layer.norms = entry.number(prefix + "norms", layer.norms);
  layer.norm_bias = entry.flag(prefix + "norm_bias", false);
  layer.extra = read_extra(entry, prefix + "extra");
  return layer;
}

std::vector<std::size_t> read_order(Entry& entry, std::string_view key, const std::vector<Layer>& kinds, bool needed) {
  const std::string text = entry.text(key, needed);
  if (text.empty() && entry.has(key)) entry.complain(key, "is empty", "write e.g. \"3 dense, 58 expert\"");
  if (text.empty()) return {};
  const auto order = parse_order(text, kinds, key);
  if (order) return *order;
  entry.complain(key, order.error().front().what, order.error().front().hint);
  return {};
}

void read_precision(Entry& entry, Model& model) {
  Precisions& precision = model.precision.value;
  precision.weights = entry.text("precision.weights");
  precision.experts = entry.text("precision.experts", false);
  if (precision.experts.empty()) precision.experts = precision.weights;
  precision.attention = entry.text("precision.attention");
  precision.kv = entry.text("precision.kv");
  precision.index = entry.text("precision.index", false);
  precision.state = entry.text("precision.state", false);
  model.precision.from = entry.provenance("precision.weights");
  for (const std::string& format : entry.keys_below("released_formats")) {
    model.released_formats[format] = entry.quantity<Bytes<double>>("released_formats." + format).value.value();
  }
  for (const std::string& part : entry.keys_below("released")) {
    const auto bytes = entry.quantity<Bytes<double>>("released." + part);
    if (const auto found = part_named(part)) {
      model.released[static_cast<std::size_t>(*found)] = bytes.value.value();
      model.released_from = bytes.from;
    } else {
      entry.complain("released." + part, fmt::format("unknown part \"{}\"", shortened(part)),
                     "e.g. attention, routed_experts, head");
    }
  }
}

}  // namespace

Model read_model(Entry& entry) {
  Model model;
  model.name = entry.name();
  model.title = entry.text("title");
  model.family = entry.text("family", false);
  model.repository = entry.text("repository", false);
  model.note = entry.text("note", false);
  model.hidden = entry.number("architecture.hidden_size");
  model.vocabulary = entry.number("architecture.vocab_size");
  model.context_limit = entry.number("architecture.context_limit", 0.0);
  model.tied_embeddings = entry.flag("architecture.tied_embeddings");
  model.final_norm = entry.flag("architecture.final_norm", true);
  model.final_norm_bias = entry.flag("architecture.final_norm_bias", false);
  model.vision = entry.number("architecture.vision", 0.0);
  model.audio = entry.number("architecture.audio", 0.0);
  model.architecture = entry.provenance("architecture.hidden_size");
  for (const std::string& name : entry.tables_below("layer")) {
    model.kinds.push_back(read_layer(entry, name));
    const std::string experts = "layer." + name + ".experts.count";
    if (model.kinds.back().experts) model.experts_from = entry.provenance(experts);
  }
  model.order = read_order(entry, "architecture.order", model.kinds, true);
  model.mtp_order = read_order(entry, "architecture.mtp", model.kinds, false);
  model.extra = read_extra(entry, "extra");
  model.mtp_extra = read_extra(entry, "mtp_extra");
  read_precision(entry, model);
  model.published_total = entry.optional_quantity<Params<double>>("published.total");
  model.published_active = entry.optional_quantity<Params<double>>("published.active");
  if (model.hidden < 1 || model.vocabulary < 1) {
    entry.complain("architecture.hidden_size", "hidden_size and vocab_size must be at least 1",
                   "copy them from the model's config.json");
  }
  if (entry.is_well()) {
    for (const Error& error : wrong_sums(model, entry.name()))
      entry.complain("architecture.order", error.what, error.hint);
  }
  return model;
}

namespace {

/// In quotes, with everything that TOML does not take replaced: control characters, and bytes that are not UTF-8.
std::string toml_text(const std::string& text) {
  const bool utf8 = is_utf8(text);
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte < 0x20 || byte == 0x7f) {
      out += ' ';
    } else {
      out += byte >= 0x80 && !utf8 ? '?' : c;
    }
  }
  return out + "\"";
}

/// Numbers and flags as TOML has them, everything else in quotes.
std::string toml_value(const std::string& text) {
  return text == "true" || text == "false" || parse_number(text) ? text : toml_text(text);
}

void write_extra(std::string& out, const std::string& table, const Weights& extra) {
  std::vector<std::string> taken;
  for (const Weight& weight : extra) {
    std::string name = weight.name;
    std::replace(name.begin(), name.end(), '.', '-');
    const std::string plain = name;
    for (int n = 2; std::find(taken.begin(), taken.end(), name) != taken.end(); ++n)
      name = fmt::format("{}-{}", plain, n);
    taken.push_back(name);
    out += fmt::format("\n[{}.{}]\npart  = \"{}\"\nuse   = \"{}\"\nin    = {}\nout   = {}\n", table, name,
                       name_of(weight.part), name_of(weight.use), weight.in, weight.out);
    if (weight.count != 1) out += fmt::format("count = {}\n", weight.count);
    if (weight.used != weight.count) out += fmt::format("used  = {}\n", weight.used);
  }
}

void write_layer(std::string& out, const Layer& layer) {
  std::string table;
  const std::string own = "layer." + layer.name;
  std::string inner;  // keys of the layer itself come before its tables
  for (const auto& [key, value] : fields_of(layer)) {
    if (key.starts_with("extra.")) continue;
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos) {
      inner += fmt::format("{} = {}\n", key, toml_value(value));
    }
  }
  if (!inner.empty()) out += fmt::format("\n[{}]\n{}", own, inner);
  for (const auto& [key, value] : fields_of(layer)) {
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos || key.starts_with("extra.")) continue;
    const std::string below = own + "." + key.substr(0, dot);
    if (below != table) out += fmt::format("\n[{}]\n", below);
    table = below;
    out += fmt::format("{} = {}\n", key.substr(dot + 1), toml_value(value));
  }
  write_extra(out, own + ".extra", layer.extra);
}

}  // namespace

std::string model_toml(const Model& model, const ImportedFrom& from) {
  std::string out = fmt::format("title = {}\n", toml_text(model.title));
  const auto word = [&](const char* key, const std::string& value) {
    if (!value.empty()) out += fmt::format("{} = {}\n", key, toml_text(value));
  };
  word("family", model.family);
  word("repository", model.repository);
  word("note", model.note);
  const auto published = [&](const char* key, const std::optional<Sourced<Params<double>>>& value) {
    if (!value) return;
    out +=
        fmt::format("{} = {{ value = \"{:.0f} param\", source = \"{}\"", key, value->value.value(), value->from.source);
    if (!value->from.note.empty()) out += fmt::format(", note = {}", toml_value(value->from.note));
    out += " }\n";
  };
  if (model.published_total || model.published_active) out += "\n[published]\n";
  published("total", model.published_total);
  published("active", model.published_active);

  out += fmt::format("\n[architecture]\nsource = \"{}\"\norder = \"{}\"\n", from.id, order_text(model, model.order));
  if (!model.mtp_order.empty()) out += fmt::format("mtp = \"{}\"\n", order_text(model, model.mtp_order));
  out += fmt::format("hidden_size = {}\nvocab_size = {}\ntied_embeddings = {}\n", model.hidden, model.vocabulary,
                     model.tied_embeddings);
  if (model.context_limit > 0) out += fmt::format("context_limit = {}\n", model.context_limit);
  if (!model.final_norm) out += "final_norm = false\n";
  if (model.final_norm_bias) out += "final_norm_bias = true\n";
  if (model.vision > 0) out += fmt::format("vision = {}\n", model.vision);
  if (model.audio > 0) out += fmt::format("audio = {}\n", model.audio);

  out += fmt::format("\n[layer]\nsource = \"{}\"\n", from.id);
  for (const Layer& layer : model.kinds) write_layer(out, layer);
  if (!model.extra.empty()) out += fmt::format("\n[extra]\nsource = \"{}\"\n", from.id);
  write_extra(out, "extra", model.extra);
  if (!model.mtp_extra.empty()) out += fmt::format("\n[mtp_extra]\nsource = \"{}\"\n", from.id);
  write_extra(out, "mtp_extra", model.mtp_extra);

  const Precisions& precision = model.precision.value;
  out += fmt::format(
      "\n[precision]\nsource = \"{}\"\nweights = \"{}\"\nexperts = \"{}\"\nattention = \"{}\"\nkv = \"{}\"\n", from.id,
      precision.weights, precision.experts, precision.attention, precision.kv);
  word("index", precision.index);
  word("state", precision.state);
  out += fmt::format("\n[released]\nsource = \"{}\"\nkind = \"derived\"\n", from.id);
  for (const Part part : all_parts()) {
    const double bytes = model.released[static_cast<std::size_t>(part)];
    if (bytes > 0) out += fmt::format("{} = \"{:.0f} B\"\n", name_of(part), bytes);
  }
  if (!model.released_formats.empty())
    out += fmt::format("\n[released_formats]\nsource = \"{}\"\nkind = \"derived\"\n", from.id);
  for (const auto& [format, bytes] : model.released_formats) out += fmt::format("{} = \"{:.0f} B\"\n", format, bytes);
  out += fmt::format("\n[sources.{}]\ntitle = {}\n", from.id, toml_text(from.title));
  word("date", from.date);
  out += "kind = \"datasheet\"\n";
  return out;
}

}  // namespace ridge::catalog
