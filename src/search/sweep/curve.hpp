#pragma once
// One input of a case moved over a range, everything else held: the curves of the lecture.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "roofline/answer.hpp"
#include "search/lanes/decode_columns.hpp"
#include "train/scaling.hpp"

namespace ridge {

enum class CurveKind { batch, context, chips, sparsity };

struct CurveRequest {
  CurveKind kind = CurveKind::batch;
  double from = 0.0, to = 0.0;  // 0: the kind's own range
  int points = 0;               // 0: the kind's own number
};

struct Curve {
  CurveKind kind = CurveKind::batch;
  std::vector<double> x;   // batch, tokens, chips, or total over active parameters
  std::vector<Axis> axes;  // the inputs that moved, for the table
  Columns columns;
  /// Above this x it does not fit; along chips, below it. 0 and infinity: everywhere or nowhere.
  double capacity_limit = 0;
  /// Along sparsity: the dense model that is as good, at every point, under a law of experts; empty without one.
  std::vector<double> dense_equivalent;
  double active = 0;  // parameters a token uses, the same at every point
};

Result<CurveKind> parse_curve_kind(std::string_view word);
std::string_view name_of(CurveKind kind);

/// Points are spread evenly on a logarithmic scale; batches, chips and contexts are whole numbers.
/// `quality` judges the points of a curve along sparsity.
Result<Curve> make_curve(const WhyAnswer& answer, const CurveRequest& request, InstructionSet set,
                         const ExpertLaw<double>* quality = nullptr);

/// All values of one output along the curve, by its key.
const std::vector<double>& column(const Curve& curve, std::string_view key);

}  // namespace ridge
