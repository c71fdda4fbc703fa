#include "search/shape/shape_curve.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/unit_text.hpp"
#include "library/names.hpp"
#include "train/laws.hpp"

namespace ridge {

namespace {

/// What sparse parameters are worth, by the catalog's usual law; of a dense model, its own. And what those are worth in loss.
struct ShapeLaw {
  std::optional<ExpertLaw<double>> law;
  std::string title;
  std::optional<LossLaw<double>> loss;
  const NumbersEntry* loss_entry = nullptr;
};

Result<ShapeLaw> law_for(ShapeKind kind, const Model& model, const Library& library) {
  ShapeLaw out;
  const bool sizes = kind == ShapeKind::experts || kind == ShapeKind::layers || kind == ShapeKind::hidden;
  if (!sizes) return out;
  const auto by_size = usual_loss_law(library, "law");
  if (!by_size) return fail(by_size.error());
  const auto loss = loss_law(**by_size);
  if (!loss) return fail(loss.error());
  out.loss = *loss;
  out.loss_entry = *by_size;
  if (model.experts() == nullptr) {
    out.title = "parameters themselves";
    return out;
  }
  const auto entry = usual_expert_law(library, "expert_law");
  if (!entry) return fail(entry.error());
  const auto law = expert_law(**entry);
  if (!law) return fail(law.error());
  out.law = *law;
  out.title = (*entry)->title;
  return out;
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

/// L = E + A/N^alpha + B/D^beta on the same tokens: two sizes differ by A/N^alpha alone.
void fill_loss(ShapeCurve& curve, const Model& model, const ShapeLaw& law) {
  const auto own = worth_of(model, law);
  if (!law.loss || !own) return;
  curve.loss_law = law.loss_entry->title;
  const auto size_term = [&](double params) { return size_loss(*law.loss, Params<double>(params)).value(); };
  double most = *own;
  for (ShapePoint& point : curve.points) {
    if (!point.worth) continue;
    point.loss_change = size_term(*point.worth) - size_term(*own);
    most = std::max(most, *point.worth);
  }
  const LawDomain domain = domain_of(*law.loss_entry);
  if (!covers(domain, Params<double>(most)))
    curve.notes.push_back(fmt::format("loss is extrapolated: {} was fitted on {}, and these are worth up to {}",
                                      domain.law, fitted_on(domain), show(Params<double>(most), 3)));
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
  // variants are compared with each other: a margin would be wider for those that nobody measured, which are all but one
  DeploymentAim by_points = aim;
  by_points.slo.confidence = 0.5;
  ShapeCurve out{kind, model.title, {}, law->title, {}, {}};
  for (const double value : values) {
    auto changed = reshaped(model, kind, value);
    if (!changed) return fail(changed.error());
    Library with = library;  // entries are shared
    ServingQuestion asked = question;
    asked.scenario.model = changed->name;
    if (!asked.scenario.weights) asked.scenario.weights = named->weights;
    with.models.push_back(*changed);
    ShapePoint point = point_of(*changed, asked, by_points, with);
    point.value = value;
    point.own = value == *own;
    point.worth = worth_of(*changed, *law);
    out.points.push_back(std::move(point));
  }
  fill_loss(out, model, *law);
  if (law->title.empty()) out.notes.push_back("no scaling law of the catalog says what this is worth: measure quality");
  if (kind == ShapeKind::hidden)
    out.notes.push_back("networks, experts and query heads grow with the hidden size; KV heads and their size stay");
  if (kind == ShapeKind::layers) out.notes.push_back("kinds of layers keep their proportions and order");
  if (kind == ShapeKind::window && *own == 0)
    out.notes.push_back("no layer has a window: every grouped attention is given one");
  out.notes.push_back("weights at the bytes of their formats, not as released");
  out.notes.push_back("loads meet the SLO by the estimate alone, without the margin of a confidence");
  return out;
}

}  // namespace ridge
