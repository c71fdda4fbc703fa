#include "search/shape/shape_curve.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "library/names.hpp"
#include "train/laws.hpp"

namespace ridge {

namespace {

/// What sparse parameters are worth, by the catalog's usual law; of a dense model, its own.
struct ShapeLaw {
  std::optional<ExpertLaw<double>> law;
  std::string title;
};

Result<ShapeLaw> law_for(ShapeKind kind, const Model& model, const Library& library) {
  ShapeLaw out;
  const bool sizes = kind == ShapeKind::experts || kind == ShapeKind::layers || kind == ShapeKind::hidden;
  if (!sizes) return out;
  if (model.experts() == nullptr) {
    out.title = "parameters themselves";
    return out;
  }
  const auto entry = usual_expert_law(library, "expert_law");
  if (!entry) return fail(entry.error());
  const auto law = expert_law(**entry);
  if (!law) return fail(law.error());
  return ShapeLaw{*law, (*entry)->title};
}

std::optional<double> worth_of(const Model& model, const ShapeLaw& law) {
  if (law.title.empty()) return {};
  const double active = active_parameters(model);
  const Experts* experts = model.experts();
  if (!law.law || experts == nullptr) return count_parameters(model).total();
  const auto multiple =
      dense_multiple(*law.law, Params<double>(active), experts->count, experts->per_token, "expert_law");
  return multiple ? std::optional(active * multiple->value()) : std::nullopt;
}

ShapePoint point_of(const Model& model, const ServingQuestion& question, const DeploymentAim& aim,
                    const Library& library) {
  ShapePoint out;
  out.params = count_parameters(model).total();
  out.active = active_parameters(model);
  const auto deployed = best_deployed(question, aim, library);
  if (!deployed) {
    out.why_not = deployed.error().front().what;
    return out;
  }
  auto result = answer_at(deployed->question, deployed->deployment, deployed->load, library);
  if (!result) {
    out.why_not = result.error().front().what;
  } else if (!result->answer) {
    out.why_not = result->shortfall->most_requests > 0
                      ? fmt::format("saturated at {:.3g} requests/s", result->shortfall->most_requests)
                      : "does not fit";
  } else {
    out.answer = std::move(result->answer);
  }
  return out;
}

}  // namespace

Result<ShapeCurve> shape_curve(const ServingQuestion& question, ShapeKind kind, std::vector<double> values,
                               const DeploymentAim& aim, const Library& library) {
  const auto named = model_named(library, question.scenario.model);
  if (!named) return fail(named.error());
  const Model& model = *named->entry;
  const auto own = shape_value(model, kind);
  if (!own) return fail(own.error());
  if (values.empty()) values = usual_values(model, kind);
  const auto law = law_for(kind, model, library);
  if (!law) return fail(law.error());
  ShapeCurve out{kind, model.title, {}, law->title, {}};
  for (const double value : values) {
    auto changed = reshaped(model, kind, value);
    if (!changed) return fail(changed.error());
    Library with = library;  // entries are shared
    ServingQuestion asked = question;
    asked.scenario.model = changed->name;
    if (!asked.scenario.weights) asked.scenario.weights = named->weights;
    with.models.push_back(*changed);
    ShapePoint point = point_of(*changed, asked, aim, with);
    point.value = value;
    point.own = value == *own;
    point.worth = worth_of(*changed, *law);
    out.points.push_back(std::move(point));
  }
  if (law->title.empty()) out.notes.push_back("no scaling law of the catalog says what this is worth: measure quality");
  if (kind == ShapeKind::hidden)
    out.notes.push_back("networks, experts and query heads grow with the hidden size; KV heads and their size stay");
  if (kind == ShapeKind::layers) out.notes.push_back("kinds of layers keep their proportions and order");
  if (kind == ShapeKind::window && *own == 0)
    out.notes.push_back("no layer has a window: every grouped attention is given one");
  out.notes.push_back("weights at the bytes of their formats, not as released");
  return out;
}

}  // namespace ridge
