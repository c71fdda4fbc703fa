#include "model/reshaped.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace ridge {

namespace {

constexpr double kRounding = 64;  // of sizes that would be no whole numbers

Error no_such(ShapeKind kind, const Model& model, const char* why) {
  return {std::string(name_of(kind)), fmt::format("{} has none to change: {}", model.title, why),
          "experts, layers, kv-heads, hidden or window, as the model has them"};
}

template <class Visit>
void visit_grouped(Model& model, Visit&& visit) {
  for (Layer& layer : model.kinds) {
    if (auto* attention = std::get_if<GroupedAttention>(&layer.mixer)) visit(*attention);
  }
}

/// A size that grows with the hidden one: in its ratio where that is a whole number.
double grown(double size, double by) {
  const double exact = size * by;
  return exact == std::floor(exact) ? exact : std::max(kRounding, std::round(exact / kRounding) * kRounding);
}

void widen(Weights& weights, double before, double after) {
  for (Weight& weight : weights) {
    for (double* side : {&weight.in, &weight.out}) {
      const double times = *side / before;
      if (times >= 1 && times == std::floor(times)) *side = times * after;
    }
  }
}

Result<Model> with_hidden(Model model, double value) {
  const double by = value / model.hidden;
  const auto heads = [&](double& query_heads, double kv_heads) {
    query_heads = std::max(kv_heads, std::round(query_heads * by / kv_heads) * kv_heads);
  };
  for (Layer& layer : model.kinds) {
    if (auto* grouped = std::get_if<GroupedAttention>(&layer.mixer)) {
      heads(grouped->query_heads, grouped->kv_heads);
    } else if (auto* latent = std::get_if<LatentAttention>(&layer.mixer)) {
      heads(latent->query_heads, 1);
    } else if (!std::holds_alternative<NoMixer>(layer.mixer)) {
      return fail(no_such(ShapeKind::hidden, model, "its attention is neither grouped nor latent"));
    }
    if (layer.dense) layer.dense->size = grown(layer.dense->size, by);
    if (layer.experts) {
      layer.experts->size = grown(layer.experts->size, by);
      if (layer.experts->shared_size > 0) layer.experts->shared_size = grown(layer.experts->shared_size, by);
    }
    widen(layer.extra, model.hidden, value);
  }
  widen(model.extra, model.hidden, value);
  widen(model.mtp_extra, model.hidden, value);
  model.hidden = value;
  return model;
}

Result<Model> with_experts(Model model, double value) {
  for (Layer& layer : model.kinds) {
    if (!layer.experts) continue;
    if (value < layer.experts->per_token)
      return fail({"experts", fmt::format("a token uses {:g} of them", layer.experts->per_token), "as many or more"});
    if (std::fmod(value, layer.experts->groups) != 0)
      return fail({"experts", fmt::format("{:g} do not divide into {:g} groups", value, layer.experts->groups),
                   "a multiple of the groups"});
    layer.experts->count = value;
  }
  return model;
}

Result<Model> with_kv_heads(Model model, double value) {
  Errors wrong;
  visit_grouped(model, [&](GroupedAttention& attention) {
    if (std::fmod(attention.query_heads, value) != 0)
      wrong = {{"kv-heads", fmt::format("{:g} do not divide {:g} query heads", value, attention.query_heads),
                "a divisor of the query heads"}};
    attention.kv_heads = value;
  });
  if (!wrong.empty()) return fail(std::move(wrong));
  return model;
}

Model with_layers(Model model, double value) {
  const auto count = static_cast<std::size_t>(value);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < count; ++i) order.push_back(model.order[i * model.order.size() / count]);
  model.order = std::move(order);
  return model;
}

Model with_window(Model model, double value) {
  bool windowed = false;
  visit_grouped(model, [&](GroupedAttention& attention) { windowed = windowed || attention.window != kUnlimited; });
  visit_grouped(model, [&](GroupedAttention& attention) {
    if (!windowed || attention.window != kUnlimited) attention.window = value;
  });
  return model;
}

Result<Model> changed_shape(const Model& model, ShapeKind kind, double value) {
  switch (kind) {
    case ShapeKind::experts:
      return with_experts(model, value);
    case ShapeKind::layers:
      return with_layers(model, value);
    case ShapeKind::kv_heads:
      return with_kv_heads(model, value);
    case ShapeKind::hidden:
      return with_hidden(model, value);
    case ShapeKind::window:
      return with_window(model, value);
  }
  return model;
}

}  // namespace

std::string_view name_of(ShapeKind kind) {
  constexpr std::string_view kNames[] = {"experts", "layers", "kv-heads", "hidden", "window"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<double> shape_value(const Model& model, ShapeKind kind) {
  if (kind == ShapeKind::layers) return model.layers();
  if (kind == ShapeKind::hidden) return model.hidden;
  if (kind == ShapeKind::experts) {
    if (model.experts() == nullptr) return fail(no_such(kind, model, "it is dense"));
    return model.experts()->count;
  }
  double heads = 0, window = 0;
  Model copy = model;
  visit_grouped(copy, [&](const GroupedAttention& attention) {
    heads = std::max(heads, attention.kv_heads);
    if (attention.window != kUnlimited) window = attention.window;
  });
  if (heads == 0) return fail(no_such(kind, model, "no layer has grouped attention"));
  return kind == ShapeKind::kv_heads ? heads : window;
}

std::vector<double> usual_values(const Model& model, ShapeKind kind) {
  const auto own = shape_value(model, kind);
  if (!own) return {};
  std::set<double> values;
  if (kind == ShapeKind::window) {
    for (double tokens = 512; tokens <= 32768; tokens *= 2) values.insert(tokens);
  } else {
    const bool doublings = kind == ShapeKind::experts || kind == ShapeKind::kv_heads;
    const std::vector<double> factors = doublings ? std::vector<double>{0.125, 0.25, 0.5, 1, 2, 4, 8}
                                                  : std::vector<double>{0.5, 0.625, 0.75, 1, 1.25, 1.5, 2};
    const double unit = kind == ShapeKind::hidden ? kRounding : 1;
    for (const double factor : factors) values.insert(std::max(unit, std::round(*own * factor / unit) * unit));
  }
  if (*own > 0) values.insert(*own);
  std::vector<double> out;
  for (const double value : values) {
    if (reshaped(model, kind, value)) out.push_back(value);
  }
  return out;
}

Result<Model> reshaped(const Model& model, ShapeKind kind, double value) {
  if (const auto own = shape_value(model, kind); !own) return fail(own.error());
  if (!(value >= 1) || value != std::floor(value))
    return fail({std::string(name_of(kind)), fmt::format("{:g} is no count", value), "a whole number of at least 1"});
  auto changed = changed_shape(model, kind, value);
  if (!changed) return changed;
  changed->name = fmt::format("{}-{}-{:g}", model.name, name_of(kind), value);
  changed->title = fmt::format("{}, {} {:g}", model.title, name_of(kind), value);
  changed->repository.clear();
  changed->released = {};
  changed->released_formats.clear();
  changed->published_total.reset();
  changed->published_active.reset();
  return changed;
}

}  // namespace ridge
