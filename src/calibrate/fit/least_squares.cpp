#include "calibrate/fit/least_squares.hpp"

#include <cmath>
#include <memory>

#include <gsl/gsl_multifit_nlinear.h>

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

int residuals(const gsl_vector* point, void* data, gsl_vector* out) {
  const Problem& problem = *static_cast<const Problem*>(data);
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

struct Freed {
  void operator()(gsl_multifit_nlinear_workspace* space) const { gsl_multifit_nlinear_free(space); }
  void operator()(gsl_matrix* matrix) const { gsl_matrix_free(matrix); }
  void operator()(gsl_vector* vector) const { gsl_vector_free(vector); }
};
using Vector = std::unique_ptr<gsl_vector, Freed>;

/// Slopes by forward differences, all parameters of a set at once.
int slopes(const gsl_vector* point, void* data, gsl_matrix* out) {
  const Problem& problem = *static_cast<const Problem*>(data);
  const std::size_t rows = problem.measured.size(), count = problem.parameters.size();
  const Vector here(gsl_vector_alloc(rows + count)), there(gsl_vector_alloc(rows + count));
  const Vector moved(gsl_vector_alloc(count));
  if (residuals(point, data, here.get()) != GSL_SUCCESS) return GSL_EBADFUNC;
  gsl_matrix_set_zero(out);
  for (std::size_t i = 0; i < count; ++i) gsl_matrix_set(out, rows + i, i, prior_slope(problem, i));
  for (const std::vector<std::size_t>& of_row : problem.together) {
    gsl_vector_memcpy(moved.get(), point);
    for (const std::size_t i : of_row) gsl_vector_set(moved.get(), i, gsl_vector_get(point, i) + kStep);
    if (residuals(moved.get(), data, there.get()) != GSL_SUCCESS) return GSL_EBADFUNC;
    for (std::size_t row = 0; row < rows; ++row) {
      const double rise = gsl_vector_get(there.get(), row) - gsl_vector_get(here.get(), row);
      gsl_matrix_set(out, row, of_row[row], rise / kStep);
    }
  }
  return GSL_SUCCESS;
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
  Problem problem{parameters, measured, weights, predict, prior_rows, softness, together};
  const std::size_t count = parameters.size(), rows = measured.size() + count;
  gsl_multifit_nlinear_fdf system{};
  system.f = residuals;
  if (!together.empty()) system.df = slopes;
  system.n = rows;
  system.p = count;
  system.params = &problem;
  gsl_multifit_nlinear_parameters settings = gsl_multifit_nlinear_default_parameters();
  settings.trs = gsl_multifit_nlinear_trs_lm;
  // Priors keep the normal equations well conditioned; QR was more than half of all fitting.
  settings.solver = gsl_multifit_nlinear_solver_cholesky;
  settings.h_df = kStep;
  const std::unique_ptr<gsl_multifit_nlinear_workspace, Freed> space(
      gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &settings, rows, count));
  const Vector start(gsl_vector_calloc(count));
  if (gsl_multifit_nlinear_init(start.get(), &system, space.get()) != GSL_SUCCESS) {
    return fail({"fit", "the model gives no time for some row at the starting values", "check the rows"});
  }
  int info = 0;
  constexpr std::size_t kMostIterations = 60;
  gsl_multifit_nlinear_driver(kMostIterations, 1e-6, 1e-6, 1e-6, nullptr, nullptr, &info, space.get());

  FitResult fit;
  fit.rows = measured.size();
  fit.iterations = static_cast<int>(gsl_multifit_nlinear_niter(space.get()));
  const std::vector<double> values = values_at(gsl_multifit_nlinear_position(space.get()), problem);
  double squares = 0;
  const gsl_vector* left = gsl_multifit_nlinear_residual(space.get());
  for (std::size_t i = 0; i < rows; ++i) squares += gsl_vector_get(left, i) * gsl_vector_get(left, i);
  const double variance = squares / static_cast<double>(std::max<std::size_t>(1, rows - count));
  const std::unique_ptr<gsl_matrix, Freed> covariance(gsl_matrix_alloc(count, count));
  gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(space.get()), 0, covariance.get());
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
