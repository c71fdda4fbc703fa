// Does a fit find the numbers that made the rows, and keep what no row speaks about?

#include "calibrate/fit/least_squares.hpp"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

namespace least_squares_test {

using namespace ridge;

namespace {

/// Relative: doctest's own adds 1 to the size of a number, and times are far below 1.
doctest::Approx Approx(double value) { return doctest::Approx(value).scale(0); }

/// Kernels that take start + work / rate: 3 us and 0.8 of the peak, as the rows will say.
constexpr double kStart = 3e-6, kRate = 0.8;

struct Rows {
  std::vector<double> work, measured, weights;

  Predict predict() const {
    return [this](const std::vector<double>& values, std::vector<double>& predicted) {
      for (std::size_t i = 0; i < work.size(); ++i) predicted[i] = values[0] + work[i] / values[1];
    };
  }
};

/// `noise`: of the logarithm; one row in `wild_every` is three times off, up or down.
Rows rows(std::size_t count, double noise, std::size_t wild_every) {
  std::mt19937_64 random(20240601);
  std::normal_distribution<double> normal(0, 1);
  Rows out;
  for (std::size_t i = 0; i < count; ++i) {
    out.work.push_back(1e-7 * std::pow(10, 4 * static_cast<double>(i) / static_cast<double>(count)));
    double time = (kStart + out.work.back() / kRate) * std::exp(noise * normal(random));
    if (wild_every > 0 && i % wild_every == 0) time *= i % (2 * wild_every) == 0 ? 3 : 1.0 / 3;
    out.measured.push_back(time);
    out.weights.push_back(1);
  }
  return out;
}

std::vector<FitParameter> unknown() { return {{"start", 1e-6, 2}, {"rate", 0.3, 2}}; }

}  // namespace

TEST_CASE("owners that share no row may be moved together: the same numbers") {
  // two owners by turns, each with a start of its own, and a rate that both share
  const Rows all = rows(200, 0.05, 20);
  const auto predict = [&](const std::vector<double>& values, std::vector<double>& predicted) {
    for (std::size_t i = 0; i < all.work.size(); ++i) predicted[i] = values[i % 2] + all.work[i] / values[2];
  };
  const std::vector<FitParameter> parameters = {{"a", 1e-6, 2}, {"b", 9e-6, 2}, {"rate", 0.3, 2}};
  MovedTogether together(2);
  for (std::size_t i = 0; i < all.work.size(); ++i) {
    together[0].push_back(i % 2);
    together[1].push_back(2);
  }
  const auto alone = fit_parameters(parameters, all.measured, all.weights, predict);
  const auto moved = fit_parameters(parameters, all.measured, all.weights, predict, 1, kUsualSoftness, together);
  REQUIRE(alone);
  REQUIRE(moved);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    CHECK(moved->parameters[i].value == Approx(alone->parameters[i].value).epsilon(1e-4));
    CHECK(moved->parameters[i].spread == Approx(alone->parameters[i].spread).epsilon(1e-3));
  }
}

TEST_CASE("a trial step to where the model gives no time is taken back, and the fit goes on") {
  // time = 1 / (rate - 0.5): none below 0.5. At 0.74 (4.2 s), with rows of 100 s, a whole step in the logarithm of the
  // rate is ln(100 / 4.2) / (0.74 / 0.24) = 1.03, to 0.26; the answer is 0.51
  const std::vector<double> measured(20, 100.0), weights(20, 1.0);
  bool left = false;
  const auto predict = [&](const std::vector<double>& values, std::vector<double>& predicted) {
    for (double& time : predicted) time = values[0] > 0.5 ? 1 / (values[0] - 0.5) : std::nan("");
    left = left || values[0] <= 0.5;
  };
  const auto fit = fit_parameters({{"rate", 1, 10}}, measured, weights, predict, 1e-6, 1e3);
  REQUIRE(fit);
  CHECK(left);
  CHECK(fit->parameters[0].value == Approx(0.51).epsilon(1e-4));
}

TEST_CASE("a start where the model gives no time is refused") {
  const auto nothing = [](const std::vector<double>&, std::vector<double>& predicted) {
    for (double& time : predicted) time = std::nan("");
  };
  CHECK_FALSE(fit_parameters({{"rate", 1, 1}}, {1.0}, {1.0}, nothing));
}

TEST_CASE("rows without noise give the numbers that made them") {
  const Rows all = rows(200, 0, 0);
  const auto fit = fit_parameters(unknown(), all.measured, all.weights, all.predict(), 1e-6);
  REQUIRE(fit);
  CHECK(fit->parameters[0].name == "start");
  CHECK(fit->parameters[0].value == Approx(kStart).epsilon(1e-4));
  CHECK(fit->parameters[1].value == Approx(kRate).epsilon(1e-4));
  CHECK(fit->mean_error < 1e-4);
  CHECK(fit->rows == 200);
  CHECK(fit->iterations > 0);
}

TEST_CASE("5 percent of noise and a tenth of wild rows move the numbers by a few percent") {
  // 100 rows speak about each parameter: 5 % / 10 = 0.5 % from the noise. A wild row pulls like one that is
  // sqrt(0.1 * 1.1) off, not 1.1; ten up and ten down nearly cancel. 3 percent is generous.
  const Rows all = rows(200, 0.05, 10);
  const auto fit = fit_parameters(unknown(), all.measured, all.weights, all.predict());
  REQUIRE(fit);
  CHECK(fit->parameters[0].value == Approx(kStart).epsilon(0.03));
  CHECK(fit->parameters[1].value == Approx(kRate).epsilon(0.03));
  for (const FittedParameter& one : fit->parameters) {
    CAPTURE(one.name);
    CHECK(one.spread > 0.001);
    CHECK(one.spread < 0.05);
  }
  CHECK(fit->mean_error > 0.05);  // the wild rows are not explained away
}

TEST_CASE("the spread that a fit states is how far it is from the truth") {
  // the same kernels timed with twice the noise are known half as well
  const auto spread = [](double noise) {
    const Rows all = rows(200, noise, 0);
    return fit_parameters(unknown(), all.measured, all.weights, all.predict(), 1e-6)->parameters[1].spread;
  };
  CHECK(spread(0.04) / spread(0.02) == Approx(2).epsilon(0.1));
}

TEST_CASE("a parameter that no row speaks about stays where it was, as unsure as before") {
  const Rows all = rows(200, 0.05, 10);
  std::vector<FitParameter> parameters = unknown();
  parameters.push_back({"nobody's", 7, 0.5});
  const auto fit = fit_parameters(parameters, all.measured, all.weights, all.predict());
  REQUIRE(fit);
  CHECK(fit->parameters[2].value == Approx(7).epsilon(1e-9));
  CHECK(fit->parameters[2].spread > 10 * fit->parameters[1].spread);
  CHECK(fit->parameters[1].value == Approx(kRate).epsilon(0.03));
}

TEST_CASE("a firm prior outweighs few rows and yields to many") {
  const auto rate = [](std::size_t count) {
    const Rows all = rows(count, 0, 0);
    const std::vector<FitParameter> firm = {{"start", kStart, 1}, {"rate", 0.6, 0.05}};
    return fit_parameters(firm, all.measured, all.weights, all.predict())->parameters[1].value;
  };
  CHECK(rate(4) < 0.7);
  CHECK(rate(2000) == Approx(kRate).epsilon(0.02));
}

TEST_CASE("a row counts as its weight says") {
  // half of the rows come from a slower program; whoever weighs more is believed
  Rows all = rows(200, 0, 0);
  for (std::size_t i = 0; i < all.measured.size(); i += 2) all.measured[i] *= 1.5;
  const auto rate = [&](double slow, double fast) {
    for (std::size_t i = 0; i < all.weights.size(); ++i) all.weights[i] = i % 2 == 0 ? slow : fast;
    return fit_parameters(unknown(), all.measured, all.weights, all.predict())->parameters[1].value;
  };
  CHECK(rate(1, 1000) == Approx(kRate).epsilon(0.02));
  CHECK(rate(1000, 1) == Approx(kRate / 1.5).epsilon(0.02));
}

TEST_CASE("nothing to fit is an error, and so is a model without a time") {
  const Rows all = rows(10, 0, 0);
  CHECK(!fit_parameters({}, all.measured, all.weights, all.predict()));
  const Rows none = rows(0, 0, 0);
  const auto empty = fit_parameters(unknown(), none.measured, none.weights, none.predict());
  REQUIRE(!empty);
  CHECK(empty.error().front().hint.find("rows") != std::string::npos);
  const auto nowhere = fit_parameters(unknown(), all.measured, all.weights,
                                      [](const std::vector<double>&, std::vector<double>& predicted) {
                                        for (double& one : predicted) one = -1;
                                      });
  CHECK(!nowhere);
}

}  // namespace least_squares_test
