#include "train/step/model_shape.hpp"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

namespace {

using ShapeWords = std::map<std::string, double>;

constexpr const char* kShapeWords[] = {"layers",     "hidden",    "heads",        "kv",     "head_dim", "ffn",
                                       "gated",      "vocab",     "tied",         "top",    "experts",  "expert_ffn",
                                       "shared_ffn", "positions", "dense_layers", "q_rank", "kv_rank",  "nope",
                                       "rope",       "value",     "mtp"};

Result<ShapeWords> words_of(std::string_view text, std::string_view where) {
  ShapeWords out;
  std::vector<std::string> known(std::begin(kShapeWords), std::end(kShapeWords));
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    bool there = false;
    for (const std::string& one : known) there = there || one == key;
    if (!there)
      return fail({std::string(where), fmt::format("no shape has \"{}\"", shortened(key)), suggestion(key, known)});
    const auto number =
        equals == std::string::npos ? std::optional<double>(1.0) : parse_number(word.substr(equals + 1));
    if (!number || !(*number >= 0) || *number > 1e9 || *number != std::floor(*number))
      return fail(
          {std::string(where), fmt::format("\"{}\" is no size", shortened(word)), "a whole number up to a billion"});
    out[key] = *number;
  }
  for (const char* needed : {"layers", "hidden", "heads", "vocab"}) {
    if (!(out[needed] >= 1))
      return fail(
          {std::string(where), fmt::format("a shape needs {}", needed), "such as layers=24 hidden=1024 heads=16"});
  }
  if (!(out["head_dim"] > 0) && std::fmod(out["hidden"], out["heads"]) != 0)
    return fail({std::string(where), fmt::format("{:g} heads do not divide {:g}", out["heads"], out["hidden"]),
                 "give head_dim, or heads that do"});
  if (out["layers"] > 10000) return fail({std::string(where), "more than 10,000 layers", "layers=96"});
  return out;
}

Layer layer_with(ShapeWords& w, bool experts) {
  Layer layer;
  layer.name = experts ? "experts" : "dense";
  const auto or_else = [&](const char* key, double otherwise) { return w[key] > 0 ? w[key] : otherwise; };
  const double head_dim = or_else("head_dim", w["hidden"] / w["heads"]);
  if (w["kv_rank"] > 0) {
    layer.mixer = LatentAttention{.query_heads = w["heads"],
                                  .query_rank = w["q_rank"],
                                  .kv_rank = w["kv_rank"],
                                  .nope_dim = or_else("nope", 128),
                                  .rope_dim = or_else("rope", 64),
                                  .value_dim = or_else("value", 128)};
  } else {
    layer.mixer = GroupedAttention{
        .query_heads = w["heads"], .kv_heads = or_else("kv", w["heads"]), .head_dim = head_dim, .value_dim = head_dim};
  }
  const bool gated = w["gated"] > 0;
  if (experts) {
    layer.experts = Experts{.count = w["experts"],
                            .per_token = or_else("top", 1),
                            .size = or_else("expert_ffn", w["ffn"]),
                            .gated = gated,
                            .shared = w["shared_ffn"] > 0 ? 1.0 : 0.0,
                            .shared_size = w["shared_ffn"]};
  } else {
    layer.dense = DenseFeedForward{.size = or_else("ffn", 4 * w["hidden"]), .gated = gated};
  }
  return layer;
}

}  // namespace

bool is_shape(std::string_view text) { return text.find("layers=") != std::string_view::npos; }

Result<Model> model_of_shape(std::string_view text, std::string_view where) {
  auto words = words_of(text, where);
  if (!words) return fail(words.error());
  ShapeWords& w = *words;
  Model model;
  model.name = model.title = std::string(text);
  model.hidden = w["hidden"];
  model.vocabulary = w["vocab"];
  model.tied_embeddings = w["tied"] > 0;
  if (w["positions"] > 0)
    model.extra.push_back(table(Part::embedding, "embed_positions", w["positions"], model.hidden));
  const bool experts = w["experts"] > 0;
  if (!experts || w["dense_layers"] > 0) model.kinds.push_back(layer_with(w, false));
  if (experts) model.kinds.push_back(layer_with(w, true));
  for (double i = 0; i < w["layers"]; ++i)
    model.order.push_back(experts && i >= w["dense_layers"] ? model.kinds.size() - 1 : 0);
  for (double i = 0; i < w["mtp"]; ++i) model.mtp_order.push_back(model.kinds.size() - 1);
  if (w["mtp"] > 0)
    model.mtp_extra.push_back({Part::mtp, "eh_proj", 2 * model.hidden, model.hidden, w["mtp"], w["mtp"]});
  return model;
}

}  // namespace ridge
