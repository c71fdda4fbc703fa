// ridge show: one catalog entry with the source of every value; for a model also what it counts to.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "cli/program.hpp"

namespace ridge::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Part {
  std::string name;
  double count;
};

std::vector<Part> parts_of(const Model& model) {
  const ParameterParts parts = count_parameters(model);
  return {{"embedding", parts.embedding},
          {"head", parts.head},
          {"attention", parts.attention},
          {"dense_ffn", parts.dense_ffn},
          {"shared_experts", parts.shared_experts},
          {"routed_experts", parts.routed_experts},
          {"router", parts.router},
          {"norms", parts.norms}};
}

std::string model_text(const Model& model, const Library& library, const report::Style& style) {
  std::string out = "\nparameters\n";
  const double total = count_parameters(model).total();
  for (const Part& part : parts_of(model)) {
    if (part.count > 0)
      out += fmt::format("  {} {} {}\n", report::padded(part.name, 16),
                         report::padded(with_commas(part.count), 18, true), report::bar(style, part.count / total, 24));
  }
  out += fmt::format("  {} {}", report::padded("total", 16), report::padded(with_commas(total), 18, true));
  if (model.published_total) out += fmt::format("   published {}", show(model.published_total->value, 12));
  out += fmt::format("\n  {} {}   all but the routed experts a token does not choose; the embedding table counts",
                     report::padded("active", 16), report::padded(with_commas(active_parameters(model)), 18, true));
  if (model.published_active) out += fmt::format("; published {}", show(model.published_active->value, 6));
  const Format* kv = find_named(library.formats, model.precision.value.kv);
  const double elements = model.layers * kv_elements_per_token(model.attention);
  out += fmt::format("\n  {} {}   {} elements in {}", report::padded("KV a token", 16),
                     report::padded(with_commas(elements * kv->bytes.value.value()) + " B", 18, true),
                     with_commas(elements), kv->name);
  out += fmt::format("\n  {} {}   per token of context and token made\n", report::padded("attention", 16),
                     report::padded(show(model.layers * flops_per_context_token(model.attention), kFlop), 18, true));
  return out;
}

Json model_json(const Model& model) {
  Json json{{"parameters_total", count_parameters(model).total()}, {"parameters_active", active_parameters(model)}};
  for (const Part& part : parts_of(model)) json["parts"][part.name] = part.count;
  json["kv_elements_per_token"] = model.layers * kv_elements_per_token(model.attention);
  json["attention_flops_per_context_token"] = model.layers * flops_per_context_token(model.attention);
  return json;
}

std::vector<const catalog::Fact*> facts_of(const Program& program, const std::string& name) {
  std::vector<const catalog::Fact*> found;
  for (const catalog::Fact& fact : program.facts) {
    if (lower_case(fact.entry) != lower_case(name)) continue;
    if (found.empty() || found.front()->category == fact.category) found.push_back(&fact);
  }
  return found;
}

std::string facts_text(const std::vector<const catalog::Fact*>& facts, const report::Style& style) {
  std::string out = report::bold(style, fmt::format("{} {}", facts.front()->category, facts.front()->entry)) + "\n";
  for (const catalog::Fact* fact : facts) {
    std::string line = fmt::format("  {} {}", report::padded(fact->key, 24), report::padded(fact->text, 16));
    if (!fact->source.empty())
      line += fmt::format("  [{}{}]", fact->source, fact->kind.empty() ? "" : ", " + fact->kind);
    if (!fact->note.empty()) line += " " + fact->note;
    out += report::wrapped(line, style.columns, 27) + "\n";
  }
  return out;
}

Json facts_json(const std::vector<const catalog::Fact*>& facts, const Model* model) {
  Json json = model == nullptr ? Json::object() : model_json(*model);
  json["schema"] = "ridge.show/1";
  json["category"] = facts.front()->category;
  json["name"] = facts.front()->entry;
  for (const catalog::Fact* fact : facts) {
    json["facts"][fact->key] = {{"value", fact->text},
                                {"source", fact->source},
                                {"kind", fact->kind},
                                {"note", fact->note},
                                {"place", fact->place}};
  }
  return json;
}

}  // namespace

int run_show(const Options& options, const Program& program) {
  const auto facts = facts_of(program, options.subject);
  if (facts.empty()) {
    std::vector<std::string> known;
    for (const catalog::Fact& fact : program.facts) {
      if (known.empty() || known.back() != fact.entry) known.push_back(fact.entry);
    }
    return report_errors({{"show", fmt::format("nothing is called \"{}\"", shortened(options.subject)),
                           suggestion(options.subject, known) + " (ridge list)"}},
                         options);
  }
  const Model* model =
      facts.front()->category == "model" ? find_named(program.library.models, facts.front()->entry) : nullptr;
  if (options.json) return print(facts_json(facts, model).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return print(facts_text(facts, program.style) +
               (model == nullptr ? "" : model_text(*model, program.library, program.style)));
}

}  // namespace ridge::cli
