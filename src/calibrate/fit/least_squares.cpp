#include "calibrate/fit/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <gsl/gsl_multilarge_nlinear.h>

namespace ridge {

namespace {

constexpr double kStep = 1e-6;  // of a parameter's logarithm, to see its slope

struct Problem {
  const std::vector<FitParameter>& parameters;
  const std::vector<double>& measured;
  const std::vector<double>& weights;
  const Predict& predict;
  double prior_rows, softness;
  const MovedTogether& together;
};

std::vector<double> values_at(const gsl_vector* point, const Problem& problem) {
  std::vector<double> values(problem.parameters.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = problem.parameters[i].start * std::exp(gsl_vector_get(point, i));
  }
  return values;
}

/// Square-rooted pseudo-Huber loss: its square is r^2 for small r and grows like |r| for large ones.
double softened(double ratio_log, double softness) {
  const double scaled = ratio_log / softness;
  const double loss = std::sqrt(2 * (std::sqrt(1 + scaled * scaled) - 1)) * softness;
  return ratio_log < 0 ? -loss : loss;
}

/// How much a parameter's own residual grows with its logarithm: at one spread a prior counts as so many rows that are
/// off by their noise.
double prior_slope(const Problem& problem, std::size_t i) {
  return kUsualSoftness * std::sqrt(problem.prior_rows) / problem.parameters[i].spread;
}

int residuals_at(const gsl_vector* point, const Problem& problem, gsl_vector* out) {
  const std::vector<double> values = values_at(point, problem);
  const std::size_t rows = problem.measured.size();
  std::vector<double> predicted(rows);
  problem.predict(values, predicted);
  for (std::size_t row = 0; row < rows; ++row) {
    const double ratio = std::log(predicted[row] / problem.measured[row]);
    if (!std::isfinite(ratio)) return GSL_EBADFUNC;
    gsl_vector_set(out, row, softened(ratio, problem.softness) * std::sqrt(problem.weights[row]));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    gsl_vector_set(out, rows + i, gsl_vector_get(point, i) * prior_slope(problem, i));
  }
  return GSL_SUCCESS;
}

/// Where the model gives no time, a step is as bad as can be: it is taken back, and a shorter one is tried.
int residuals(const gsl_vector* point, void* problem, gsl_vector* out) {
  constexpr double kHopeless = 1e9;
  if (residuals_at(point, *static_cast<const Problem*>(problem), out) != GSL_SUCCESS)
    gsl_vector_set_all(out, kHopeless);
  return GSL_SUCCESS;
}

struct Freed {
  void operator()(gsl_multilarge_nlinear_workspace* space) const { gsl_multilarge_nlinear_free(space); }
  void operator()(gsl_matrix* matrix) const { gsl_matrix_free(matrix); }
  void operator()(gsl_vector* vector) const { gsl_vector_free(vector); }
};
using Vector = std::unique_ptr<gsl_vector, Freed>;

/// What a row's residual gains by each of its parameters, those of one set of `together` after those of another: a row
/// depends on few parameters of many, so the matrix of slopes is never written out.
std::optional<std::vector<std::vector<double>>> slopes_at(const gsl_vector* point, const gsl_vector* here,
                                                          const Problem& problem) {
  const std::size_t rows = problem.measured.size(), count = problem.parameters.size();
  const Vector moved(gsl_vector_alloc(count)), there(gsl_vector_alloc(rows + count));
  std::vector<std::vector<double>> slopes;
  for (const std::vector<std::size_t>& of_row : problem.together) {
    gsl_vector_memcpy(moved.get(), point);
    for (const std::size_t i : of_row) gsl_vector_set(moved.get(), i, gsl_vector_get(point, i) + kStep);
    if (residuals_at(moved.get(), problem, there.get()) != GSL_SUCCESS) return std::nullopt;
    std::vector<double>& own = slopes.emplace_back(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      own[row] = (gsl_vector_get(there.get(), row) - gsl_vector_get(here, row)) / kStep;
    }
  }
  return slopes;
}

void add_to(gsl_vector* sums, std::size_t at, double more) { *gsl_vector_ptr(sums, at) += more; }

/// The normal equations: slopes' products with the residuals and, below the diagonal, with each other. GSL asks for them
/// at points whose residuals it knows, and its Levenberg-Marquardt for nothing else.
int normal_equations(CBLAS_TRANSPOSE_t transposed, const gsl_vector* point, const gsl_vector* here, void* data,
                     gsl_vector* gradient, gsl_matrix* products) {
  if (transposed != CblasTrans) return GSL_EUNSUP;
  const Problem& problem = *static_cast<const Problem*>(data);
  const auto slopes = slopes_at(point, here, problem);
  if (!slopes) return GSL_EBADFUNC;
  const std::size_t rows = problem.measured.size(), sets = slopes->size();
  gsl_vector_set_zero(gradient);
  if (products != nullptr) gsl_matrix_set_zero(products);
  for (std::size_t i = 0; i < problem.parameters.size(); ++i) {
    const double own = prior_slope(problem, i);
    gsl_vector_set(gradient, i, own * gsl_vector_get(here, rows + i));
    if (products != nullptr) gsl_matrix_set(products, i, i, own * own);
  }
  for (std::size_t one = 0; one < sets; ++one) {
    const auto& columns = problem.together[one];
    const auto& own = (*slopes)[one];
    for (std::size_t row = 0; row < rows; ++row) add_to(gradient, columns[row], own[row] * gsl_vector_get(here, row));
    if (products == nullptr) continue;
    for (std::size_t other = 0; other <= one; ++other) {
      const auto& across = problem.together[other];
      for (std::size_t row = 0; row < rows; ++row) {
        const auto [low, high] = std::minmax(columns[row], across[row]);
        *gsl_matrix_ptr(products, high, low) += own[row] * (*slopes)[other][row];
      }
    }
  }
  return GSL_SUCCESS;
}

/// Each parameter by itself, where nobody said which may be moved together.
MovedTogether one_by_one(std::size_t parameters, std::size_t rows) {
  MovedTogether out;
  for (std::size_t i = 0; i < parameters; ++i) out.emplace_back(rows, i);
  return out;
}

}  // namespace

Result<FitResult> fit_parameters(const std::vector<FitParameter>& parameters, const std::vector<double>& measured,
                                 const std::vector<double>& weights, const Predict& predict, double prior_rows,
                                 double softness, const MovedTogether& together) {
  if (parameters.empty() || measured.empty()) {
    return fail({"fit", "nothing to fit", "a fit needs rows and parameters"});
  }
  [[maybe_unused]] static gsl_error_handler_t* const before =
      gsl_set_error_handler_off();  // once: threads fit at a time
  const MovedTogether alone = together.empty() ? one_by_one(parameters.size(), measured.size()) : MovedTogether{};
  Problem problem{parameters, measured, weights, predict, prior_rows, softness, together.empty() ? alone : together};
  const std::size_t count = parameters.size(), rows = measured.size() + count;
  gsl_multilarge_nlinear_fdf system{};
  system.f = residuals;
  system.df = normal_equations;
  system.n = rows;
  system.p = count;
  system.params = &problem;
  gsl_multilarge_nlinear_parameters settings = gsl_multilarge_nlinear_default_parameters();
  settings.trs = gsl_multilarge_nlinear_trs_lm;
  settings.solver = gsl_multilarge_nlinear_solver_cholesky;  // priors keep the normal equations well conditioned
  const std::unique_ptr<gsl_multilarge_nlinear_workspace, Freed> space(
      gsl_multilarge_nlinear_alloc(gsl_multilarge_nlinear_trust, &settings, rows, count));
  const Vector start(gsl_vector_calloc(count)), first(gsl_vector_alloc(rows));
  if (residuals_at(start.get(), problem, first.get()) != GSL_SUCCESS ||
      gsl_multilarge_nlinear_init(start.get(), &system, space.get()) != GSL_SUCCESS) {
    return fail({"fit", "the model gives no time for some row at the starting values", "check the rows"});
  }
  int info = 0;
  constexpr std::size_t kMostIterations = 60;
  gsl_multilarge_nlinear_driver(kMostIterations, 1e-6, 1e-6, 1e-6, nullptr, nullptr, &info, space.get());

  FitResult fit;
  fit.rows = measured.size();
  fit.iterations = static_cast<int>(gsl_multilarge_nlinear_niter(space.get()));
  const std::vector<double> values = values_at(gsl_multilarge_nlinear_position(space.get()), problem);
  double squares = 0;
  const gsl_vector* left = gsl_multilarge_nlinear_residual(space.get());
  for (std::size_t i = 0; i < rows; ++i) squares += gsl_vector_get(left, i) * gsl_vector_get(left, i);
  const double variance = squares / static_cast<double>(std::max<std::size_t>(1, rows - count));
  const std::unique_ptr<gsl_matrix, Freed> covariance(gsl_matrix_alloc(count, count));
  gsl_multilarge_nlinear_covar(covariance.get(), space.get());
  for (std::size_t i = 0; i < count; ++i) {
    fit.parameters.push_back(
        {parameters[i].name, values[i], std::sqrt(std::max(0.0, gsl_matrix_get(covariance.get(), i, i) * variance))});
  }
  std::vector<double> predicted(measured.size());
  predict(values, predicted);
  for (std::size_t row = 0; row < measured.size(); ++row) {
    fit.mean_error += std::abs(predicted[row] / measured[row] - 1) / static_cast<double>(measured.size());
  }
  return fit;
}

}  // namespace ridge
