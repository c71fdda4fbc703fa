#include "report/model/model_json.hpp"

#include "model/layer_text.hpp"
#include "report/base/json.hpp"
#include "report/model/model_summary.hpp"

namespace ridge::report {

namespace {

void put_facts(Json& json, const std::vector<const catalog::Fact*>& facts) {
  for (const catalog::Fact* fact : facts) {
    json["facts"][fact->key] = {{"value", fact->text},
                                {"source", fact->source},
                                {"kind", fact->kind},
                                {"note", fact->note},
                                {"place", fact->place}};
  }
}

Json layers_json(const Model& model) {
  Json json{{"order", order_text(model, model.order)},
            {"mtp_order", order_text(model, model.mtp_order)},
            {"kinds", Json::object()}};
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    Json& one = json["kinds"][model.kinds[kind].name];
    one["count"] = json_count(layers_of(model, kind));
    for (const auto& [key, value] : fields_of(model.kinds[kind])) one[key] = value;
  }
  return json;
}

}  // namespace

std::string member_json(std::string_view key, const std::vector<std::string>& texts) {
  const auto dump = [](const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); };
  return dump(Json(std::string(key))) + ": " + dump(Json(texts)) + ",";
}

std::string model_json(const Model& model, const std::vector<Format>& formats,
                       const std::vector<const catalog::Fact*>& facts, const std::vector<std::string>& unread) {
  const ModelSummary summary = summarize(model, formats);
  Json json{{"schema", "ridge.show/1"},
            {"category", "model"},
            {"name", model.name},
            {"title", model.title},
            {"family", model.family},
            {"parameters_total", json_count(summary.total)},
            {"parameters_active", json_count(summary.active)},
            {"parameters_active_without_embedding", json_count(summary.active_without_embedding)},
            {"parameters_stored", json_count(summary.stored)},
            {"sparsity", summary.sparsity},
            {"layers", json_count(model.layers())},
            {"hidden_size", json_count(model.hidden)},
            {"vocab_size", json_count(model.vocabulary)},
            {"tied_embeddings", model.tied_embeddings},
            {"context_limit", model.context_limit > 0 ? json_count(model.context_limit) : Json(nullptr)}};
  for (const Part part : all_parts()) {
    const std::string name(name_of(part));
    json["parts"][name] = json_count(summary.parts[part]);
    json["bytes"][name] = json_count(summary.bytes[static_cast<std::size_t>(part)]);
  }
  json["bytes_language_model"] = json_count(summary.bytes_language);
  json["bytes_stored"] = json_count(summary.bytes_stored);
  const Precisions& p = model.precision.value;
  json["formats"] = {{"weights", p.weights}, {"experts", p.experts}, {"attention", p.attention},
                     {"kv", p.kv},           {"index", p.index},     {"state", p.state}};
  json["kv_bytes_per_token"] = json_count(summary.kv_bytes_per_token);
  json["window_bytes_per_token"] = json_count(summary.window_bytes_per_token);
  json["bytes_by_format"] = Json::object();
  for (const auto& [format, bytes] : model.released_formats) json["bytes_by_format"][format] = json_count(bytes);
  json["state_bytes"] = json_count(summary.state_bytes);
  for (const ContextRow& row : summary.contexts) {
    json["contexts"].push_back({{"context", json_count(row.context)},
                                {"stored_bytes", json_count(row.stored_bytes)},
                                {"read_bytes", json_count(row.read_bytes)},
                                {"attention_flops", json_count(row.attention_flops)}});
  }
  json["weight_flops_per_token"] = json_count(summary.weight_flops);
  json["attention_equals_weights_at"] = json_number(summary.equal_context);
  for (const ContextTerm& term : context_terms(model)) {
    json["context_terms"].push_back({{"held", std::string(name_of(term.held))},
                                     {"limit", json_count(term.limit)},
                                     {"stored", json_count(term.stored)},
                                     {"read", json_count(term.read)},
                                     {"flops", json_count(term.flops)},
                                     {"fixed_stored", json_count(term.fixed_stored)},
                                     {"fixed_read", json_count(term.fixed_read)},
                                     {"fixed_flops", json_count(term.fixed_flops)},
                                     {"root_read", json_count(term.root_read)},
                                     {"root_flops", json_count(term.root_flops)}});
  }
  json["layer_kinds"] = layers_json(model);
  json["assumptions"] = model.assumptions;
  json["remarks"] = model.remarks;
  json["unread_keys"] = unread;
  put_facts(json, facts);
  return dumped(json);
}

std::string facts_json(const std::vector<const catalog::Fact*>& facts) {
  Json json{{"schema", "ridge.show/1"}, {"category", facts.front()->category}, {"name", facts.front()->entry}};
  put_facts(json, facts);
  return dumped(json);
}

namespace {

Json served_json(const ServingDiff& served) {
  Json json{{"asked", served.asked}, {"figures", Json::object()}, {"notes", served.notes}};
  for (const ServedDifference& one : served.figures) {
    const auto side = [](const std::optional<double>& value, const std::string& shown) {
      return value ? json_number(*value) : shown == "-" ? Json(nullptr) : Json(shown.substr(0, shown.find(" (")));
    };
    json["figures"][one.key] = {{"a", side(one.a, one.shown_a)},
                                {"b", side(one.b, one.shown_b)},
                                {"ratio", one.ratio() > 0 ? json_number(one.ratio()) : Json(nullptr)}};
  }
  return json;
}

}  // namespace

std::string differences_json(const std::vector<Difference>& differences, const std::string& a, const std::string& b,
                             const ServingDiff* served) {
  Json json{{"schema", "ridge.diff/1"}, {"a", a}, {"b", b}, {"differences", Json::object()}};
  for (const Difference& one : differences) {
    json["differences"][one.key] = {
        {"a", one.a}, {"b", one.b}, {"ratio", one.ratio > 0 ? Json(one.ratio) : Json(nullptr)}};
  }
  if (served != nullptr) json["served"] = served_json(*served);
  return dumped(json);
}

}  // namespace ridge::report
