#include "report/model/model_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "model/layer_text.hpp"
#include "report/model/model_summary.hpp"

namespace ridge::report {

namespace {

constexpr int kShareBarWidth = 20;

std::string context_name(double context) {
  return context >= 1e6 ? fmt::format("{:g}M", context / 1e6) : fmt::format("{:g}k", context / 1e3);
}

std::string_view words_for(Part part) {
  switch (part) {
    case Part::embedding:
      return "embedding";
    case Part::attention:
      return "attention";
    case Part::dense_ffn:
      return "dense FFN";
    case Part::routed_experts:
      return "routed experts";
    case Part::shared_experts:
      return "shared experts";
    case Part::router:
      return "router";
    case Part::norms:
      return "norms";
    case Part::other:
      return "other";
    case Part::head:
      return "LM head";
    case Part::mtp:
      return "MTP";
    case Part::vision:
      return "vision";
    case Part::audio:
      return "audio";
  }
  return "?";
}

/// Memory for people: 641.3 GiB, 78.1 MiB.
std::string memory(double bytes) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

bool apart(Part part) { return part == Part::mtp || part == Part::vision || part == Part::audio; }

std::string row(std::string_view name, double params, std::string_view rest) {
  constexpr int kWidth = 80, kRest = 37;
  return wrapped(fmt::format("  {} {}{}{}", padded(name, 15), padded(with_commas(params), 17, true),
                             rest.empty() ? "" : "  ", rest),
                 kWidth, kRest) +
         "\n";
}

std::string parts_table(const Model& model, const ModelSummary& summary, const Style& style) {
  std::string out = bold(style, "parameters") + "\n";
  for (const Part part : all_parts()) {
    const double params = summary.parts[part];
    if (params == 0 || apart(part)) continue;
    const double bytes = summary.bytes[static_cast<std::size_t>(part)];
    out += row(words_for(part), params,
               fmt::format("{} {}  {}", padded(bar(style, params / summary.total, kShareBarWidth), kShareBarWidth),
                           padded(percent(params / summary.total), 8, true), padded(memory(bytes), 12, true)));
  }
  if (model.tied_embeddings) out += row("LM head", 0, "tied to the embedding");
  std::string total = fmt::format("the language model, {}", memory(summary.bytes_language));
  if (model.published_total) total += fmt::format("; published {}", show(model.published_total->value, 12));
  out += row("total", summary.total, total);
  std::string active = model.experts() != nullptr       ? "per token: all but the routed experts it does not choose"
                       : summary.active < summary.total ? "per token: all but tensors that are not read"
                                                        : "per token: all of them";
  if (summary.active_without_embedding != summary.active) {
    active += fmt::format("; {} without the input embedding", with_commas(summary.active_without_embedding));
  }
  if (model.published_active) active += fmt::format("; published {}", show(model.published_active->value, 6));
  out += row("active", summary.active, active);
  bool any_apart = false;
  for (const Part part : all_parts()) {
    if (!apart(part) || summary.parts[part] == 0) continue;
    any_apart = true;
    const std::string what =
        part == Part::mtp ? "multi-token prediction, not in the total" : "tower and projector, not in the total";
    out += row(words_for(part), summary.parts[part],
               fmt::format("{}, {}", what, memory(summary.bytes[static_cast<std::size_t>(part)])));
  }
  if (any_apart)
    out += row("stored", summary.stored, fmt::format("everything released, {}", memory(summary.bytes_stored)));
  return out;
}

/// "256 routed experts, 8 a token, 1 shared".
std::string sparsity_line(const Model& model, const ModelSummary& summary) {
  const Experts* experts = model.experts();
  if (experts == nullptr) return "";
  std::string out = fmt::format("  {} {:.3g} total/active; a token uses {:g} of {:g} routed experts",
                                padded("sparsity", 15), summary.sparsity, experts->per_token, experts->count);
  if (experts->shared > 0) out += fmt::format(" and {:g} shared", experts->shared);
  if (experts->groups > 1) out += fmt::format(", from {:g} of {:g} groups", experts->groups_used, experts->groups);
  return out + "\n";
}

std::string formats_line(const Model& model) {
  const Precisions& p = model.precision.value;
  std::string out;
  if (model.released_formats.empty()) {
    out = fmt::format("  {} weights {}", padded("formats", 15), p.weights);
    if (model.experts() != nullptr && p.experts != p.weights) out += fmt::format(", experts {}", p.experts);
  } else {
    out = fmt::format("  {} ", padded("stored in", 15));
    for (const auto& [format, bytes] : model.released_formats) {
      if (bytes > 0) out += fmt::format("{} {}, ", format, memory(bytes));
    }
    out += "scales included";
  }
  out += fmt::format("; attention in {}; KV cache in {}", p.attention, p.kv);
  if (!p.index.empty()) out += fmt::format("; index keys in {}", p.index);
  if (!p.state.empty()) out += fmt::format("; state in {}", p.state);
  return out + "\n";
}

std::string context_table(const Model& model, const ModelSummary& summary, const Style& style) {
  std::string out = bold(style, "KV cache of one sequence") + "\n  " + padded("", 18);
  for (const ContextRow& one : summary.contexts) {
    const bool beyond = model.context_limit > 0 && one.context > model.context_limit;
    out += padded(context_name(one.context) + (beyond ? "*" : ""), 12, true);
  }
  out += "\n";
  const auto line = [&](std::string_view name, auto value) {
    out += "  " + padded(name, 18);
    for (const ContextRow& one : summary.contexts) out += padded(value(one), 12, true);
    out += "\n";
  };
  line("stored", [](const ContextRow& one) { return memory(one.stored_bytes); });
  line("read per step", [](const ContextRow& one) { return memory(one.read_bytes); });
  line("attention/token", [](const ContextRow& one) { return show(one.attention_flops, kFlop, 3); });
  if (model.context_limit > 0 && model.context_limit < summary.contexts.back().context) {
    out += fmt::format("  * longer than the {} tokens it was released for\n", with_commas(model.context_limit));
  }
  std::string kept = summary.window_bytes_per_token > 0
                         ? fmt::format("  and {} B more within the window", with_commas(summary.window_bytes_per_token))
                         : "";
  if (summary.state_bytes > 0) kept += fmt::format("  and {} of state per sequence", memory(summary.state_bytes));
  out += wrapped(fmt::format("  {} {}{}", padded("KV bytes/token", 15),
                             padded(with_commas(summary.kv_bytes_per_token) + " B", 17, true), kept),
                 80, 37) +
         "\n";
  return out;
}

std::string compute_lines(const ModelSummary& summary) {
  std::string out = fmt::format("  {} {} per token with the weights", padded("compute", 15),
                                padded(show(summary.weight_flops, kFlop), 17, true));
  out += std::isfinite(summary.equal_context)
             ? fmt::format("; attention equals it at {} tokens", with_commas(std::ceil(summary.equal_context)))
             : std::string("; attention never reaches it");
  return wrapped(out, 80, 37) + "\n";
}

/// "GQA:", "MLA:", "mamba2:", "no attention".
std::string mixer_words(const std::string& type) {
  if (type == "none") return "no attention";
  if (type == "latent") return "MLA:";
  if (type == "grouped") return "GQA:";
  return type + (type == "mamba2" || type == "convolution" ? ":" : " attention:");
}

std::string layers_table(const Model& model, const Style& style) {
  std::string out =
      wrapped(fmt::format("{:g} layers: {}", model.layers(), order_text(model, model.order)), style.columns, 4) + "\n";
  if (!model.mtp_order.empty()) out += fmt::format("prediction modules: {}\n", order_text(model, model.mtp_order));
  for (const Layer& layer : model.kinds) {
    std::string line = fmt::format("  {} ", padded(layer.name, 15));
    std::string group;
    for (const auto& [key, value] : fields_of(layer)) {
      if (key.starts_with("extra.")) continue;
      const std::size_t dot = key.find('.');
      const std::string table = dot == std::string::npos ? "" : key.substr(0, dot);
      const std::string name = dot == std::string::npos ? key : key.substr(dot + 1);
      if (table != group && !table.empty() && table != "attention")
        line += table == "experts" ? "; experts:" : "; FFN:";
      group = table;
      line += name == "type" ? mixer_words(value) : fmt::format(" {} {}", name, value);
    }
    out += wrapped(line, style.columns, 18) + "\n";
  }
  return out;
}

}  // namespace

std::string model_text(const Model& model, const std::vector<Format>& formats, const Style& style) {
  const ModelSummary summary = summarize(model, formats);
  std::string out = bold(style, model.title) + (model.family.empty() ? "" : fmt::format("  ({})", model.family)) + "\n";
  out += fmt::format("hidden size {}, vocabulary {}{}{}\n", with_commas(model.hidden), with_commas(model.vocabulary),
                     model.tied_embeddings ? ", tied" : "",
                     model.context_limit > 0 ? fmt::format(", up to {} tokens", with_commas(model.context_limit)) : "");
  if (!model.note.empty()) out += wrapped("note: " + model.note, style.columns, 6) + "\n";
  out += "\n" + parts_table(model, summary, style) + wrapped(sparsity_line(model, summary), style.columns, 18) +
         wrapped(formats_line(model), style.columns, 18);
  out += "\n" + context_table(model, summary, style) + compute_lines(summary);
  out += "\n" + layers_table(model, style);
  for (const std::string& assumption : model.assumptions)
    out += wrapped("note: " + assumption, style.columns, 6) + "\n";
  for (const std::string& remark : model.remarks) out += wrapped("note: " + remark, style.columns, 6) + "\n";
  return out;
}

namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

/// Fields that are the same in all layers that have them stand once; the others with the name of their layer.
void push_fields(const Model& model, Lines& lines) {
  Lines all;
  for (const Layer& layer : model.kinds) {
    for (const auto& field : fields_of(layer)) all.push_back(field);
  }
  const auto agreed = [&](const std::string& key, const std::string& value) {
    return std::all_of(all.begin(), all.end(),
                       [&](const auto& one) { return one.first != key || one.second == value; });
  };
  for (const Layer& layer : model.kinds) {
    for (const auto& [key, value] : fields_of(layer)) {
      const std::string name = agreed(key, value) ? key : layer.name + "." + key;
      const bool known = std::any_of(lines.begin(), lines.end(), [&](const auto& one) { return one.first == name; });
      if (!known) lines.emplace_back(name, value);
    }
  }
}

Lines lines_of(const Model& model, const std::vector<Format>& formats) {
  const ModelSummary summary = summarize(model, formats);
  Lines lines;
  const auto number = [&](std::string key, double value) {
    lines.emplace_back(std::move(key), fmt::format("{}", value));
  };
  lines.emplace_back("layers", order_text(model, model.order));
  if (!model.mtp_order.empty()) lines.emplace_back("mtp", order_text(model, model.mtp_order));
  number("hidden_size", model.hidden);
  number("vocab_size", model.vocabulary);
  lines.emplace_back("tied_embeddings", model.tied_embeddings ? "true" : "false");
  number("context_limit", model.context_limit);
  push_fields(model, lines);
  const Precisions& p = model.precision.value;
  lines.insert(lines.end(), {{"format.weights", p.weights},
                             {"format.experts", p.experts},
                             {"format.attention", p.attention},
                             {"format.kv", p.kv},
                             {"format.index", p.index},
                             {"format.state", p.state}});
  for (const Part part : all_parts()) number("parameters." + std::string(name_of(part)), summary.parts[part]);
  number("parameters.total", summary.total);
  number("parameters.active", summary.active);
  number("parameters.stored", summary.stored);
  number("bytes.language_model", summary.bytes_language);
  number("bytes.stored", summary.bytes_stored);
  number("kv.bytes_per_token", summary.kv_bytes_per_token);
  number("state.bytes", summary.state_bytes);
  for (const ContextRow& one : summary.contexts) {
    number("stored_at." + context_name(one.context), one.stored_bytes);
    number("read_at." + context_name(one.context), one.read_bytes);
  }
  number("flops.weights", summary.weight_flops);
  if (std::isfinite(summary.equal_context)) number("attention_equals_weights_at", std::ceil(summary.equal_context));
  return lines;
}

}  // namespace

std::vector<Difference> model_differences(const Model& a, const Model& b, const std::vector<Format>& formats) {
  const Lines left = lines_of(a, formats), right = lines_of(b, formats);
  const auto value_in = [](const Lines& lines, const std::string& key) {
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const auto& one) { return one.first == key; });
    return found == lines.end() ? std::string("-") : found->second;
  };
  std::vector<Difference> differences;
  const auto compare = [&](const std::string& key) {
    const std::string x = value_in(left, key), y = value_in(right, key);
    if (x == y) return;
    const auto from = parse_number(x), to = parse_number(y);
    differences.push_back({key, x, y, from && to && *from != 0 ? *to / *from : 0});
  };
  for (const auto& [key, value] : left) compare(key);
  for (const auto& [key, value] : right) {
    if (value_in(left, key) == "-") compare(key);
  }
  return differences;
}

std::string differences_text(const std::vector<Difference>& differences, const std::string& a, const std::string& b,
                             const Style& style) {
  if (differences.empty()) return fmt::format("{} and {} do not differ in anything that is counted\n", a, b);
  const auto shown = [](const std::string& key, const std::string& value) {
    const auto number = key == "year" ? std::nullopt : parse_number(value);
    const std::string text = number && std::fabs(*number) >= 1000 ? with_commas(*number) : value.empty() ? "-" : value;
    return text.size() > 34 ? text.substr(0, 31) + "..." : text;
  };
  std::size_t key_width = 0, a_width = a.size(), b_width = b.size();
  for (const Difference& one : differences) {
    key_width = std::max(key_width, one.key.size());
    a_width = std::max(a_width, shown(one.key, one.a).size());
    b_width = std::max(b_width, shown(one.key, one.b).size());
  }
  const auto width = [](std::size_t size, std::size_t most) { return static_cast<int>(std::min(size, most)); };
  std::string out =
      fmt::format("{}  {}  {}\n", padded("", width(key_width, 46)), bold(style, padded(a, width(a_width, 34), true)),
                  bold(style, padded(b, width(b_width, 34), true)));
  for (const Difference& one : differences) {
    out += fmt::format(
        "{}  {}  {}{}\n", padded(one.key, width(key_width, 46)),
        padded(shown(one.key, one.a), width(a_width, 34), true),
        padded(shown(one.key, one.b), width(b_width, 34), true),
        one.ratio > 0 && fmt::format("{:.4g}", one.ratio) != "1" ? fmt::format("  x{:.4g}", one.ratio) : "");
  }
  return out;
}

}  // namespace ridge::report
