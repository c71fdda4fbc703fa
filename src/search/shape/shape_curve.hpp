#pragma once
// A model along one of its own dimensions, served: what more layers, experts or KV heads cost, and what a scaling law says
// they are worth.

#include <optional>
#include <vector>

#include "model/reshaped.hpp"
#include "search/plan/best_deployment.hpp"

namespace ridge {

struct ShapePoint {
  double value = 0;
  bool own = false;  // as the model is
  double params = 0, active = 0;
  std::optional<ServingAnswer> answer;  // none: it does not fit, or nothing meets the SLO
  std::string why_not;
  std::optional<double> worth;        // parameters of the dense model that is as good, by a scaling law
  std::optional<double> loss_change;  // nats a token against the model as it is, trained on as many tokens, by another
};

struct ShapeCurve {
  ShapeKind kind = ShapeKind::layers;
  std::string model;  // its title
  std::vector<ShapePoint> points;
  std::string law;       // that `worth` follows; empty: none applies
  std::string loss_law;  // and `loss_change`
  std::vector<std::string> notes;
};

/// `values`: none, the usual ones. Every point is deployed as a plan would, or as the question lays it out.
Result<ShapeCurve> shape_curve(const ServingQuestion& question, ShapeKind kind, std::vector<double> values,
                               const DeploymentAim& aim, const Library& library);

}  // namespace ridge
