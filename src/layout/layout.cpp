#include "layout/layout.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text.hpp"
#include "layout/degrees_text.hpp"

namespace ridge {

namespace {

bool divides(double degree, double whole) { return std::fmod(whole, degree) == 0; }

/// Whether a degree divides what may be divided: a matrix with fewer pieces than chips is copied, evenly.
bool fits(const Weight& weight, double degree) {
  if (weight.use != Use::matrix || weight.split == Split::whole || weight.part == Part::routed_experts) return true;
  const double width = weight.split == Split::rows      ? weight.in
                       : weight.split == Split::columns ? weight.out
                                                        : weight.count;
  if (weight.part == Part::head) return true;  // vocabularies are padded
  if (std::isinf(weight.pieces)) return divides(degree, width);
  return degree <= weight.pieces ? divides(degree, weight.pieces) : divides(weight.pieces, degree);
}

/// Query heads set the limit: below it kv heads are copied, above it there would be nothing to do.
double most_tensor(const Model& model) {
  double most = std::numeric_limits<double>::infinity();
  visit_weights(model, [&](const Weight& weight, double) {
    if (weight.part == Part::attention && weight.split == Split::rows) most = std::min(most, weight.pieces);
  });
  return most;
}

std::string listed(const std::vector<double>& degrees) { return fmt::format("{:g}", fmt::join(degrees, ", ")); }

}  // namespace

std::vector<double> valid_tensor(const Model& model, double most) {
  std::vector<double> valid;
  const double limit = std::min(most, most_tensor(model));
  for (double degree = 1; degree <= limit; ++degree) {
    bool all = true;
    visit_weights(model, [&](const Weight& weight, double) { all = all && fits(weight, degree); });
    Layout alone;
    alone.tensor = degree;
    if (all && !valid_expert(model, alone).empty()) valid.push_back(degree);
  }
  return valid;
}

std::vector<double> valid_expert(const Model& model, const Layout& layout) {
  std::vector<double> valid;
  const Experts* experts = model.experts();
  if (experts == nullptr) return {1};
  const double most = std::min(layout.chips_per_stage(), experts->count + layout.redundant_experts);
  for (double degree = 1; degree <= most; ++degree) {
    const double sharing = layout.chips_per_stage() / degree;
    if (divides(degree, layout.chips_per_stage()) && divides(degree, experts->count + layout.redundant_experts) &&
        divides(sharing, experts->size)) {
      valid.push_back(degree);
    }
  }
  return valid;
}

double copies_to_balance(const Model& model, double expert) {
  const Experts* experts = model.experts();
  if (experts == nullptr || expert <= 1) return 0;
  return expert - std::fmod(experts->count, expert);
}

std::vector<double> valid_balanced_expert(const Model& model, const Layout& layout) {
  std::vector<double> valid;
  const Experts* experts = model.experts();
  if (experts == nullptr) return valid;
  for (double degree = 2; degree <= std::min(layout.chips_per_stage(), experts->count); ++degree) {
    if (divides(degree, layout.chips_per_stage()) && divides(layout.chips_per_stage() / degree, experts->size))
      valid.push_back(degree);
  }
  return valid;
}

Errors wrong_degrees(const Layout& layout) {
  Errors errors;
  constexpr double kMostChips = 1e6, kMostCopies = 1e5;
  const auto check = [&](const char* what, double degree) {
    if (degree >= 1 && degree <= kMostChips && degree == std::floor(degree)) return;
    errors.push_back(
        {what, fmt::format("{:g} is not a number of chips", degree), "a whole number from 1 to a million"});
  };
  check("tp", layout.tensor);
  check("pp", layout.pipeline);
  check("cp", layout.context);
  check("dp", layout.attention_data);
  check("ep", layout.expert);
  check("replicas", layout.replicas);
  const double copies = layout.redundant_experts;
  if (!(copies >= 0 && copies <= kMostCopies) || copies != std::floor(copies))
    errors.push_back({"redundant_experts", fmt::format("{:g} experts held twice", copies), "a whole number from 0"});
  return errors;
}

Result<Layout> checked(const Layout& layout, const Model& model) {
  Errors errors = wrong_degrees(layout);
  if (!errors.empty()) return fail(std::move(errors));
  const auto refuse = [&](const char* what, std::string why, std::string hint) {
    errors.push_back({what, std::move(why), std::move(hint)});
  };

  constexpr double kShown = 1024;
  bool divided_evenly = layout.tensor <= most_tensor(model);
  visit_weights(model,
                [&](const Weight& weight, double) { divided_evenly = divided_evenly && fits(weight, layout.tensor); });
  if (!divided_evenly) {
    refuse("tp", fmt::format("{} does not divide over {:g} chips", model.title, layout.tensor),
           "possible: " + listed(valid_tensor(model, kShown)));
  }
  if (layout.pipeline > model.layers()) {
    refuse("pp", fmt::format("{:g} stages for {:g} layers", layout.pipeline, model.layers()),
           fmt::format("at most {:g}", model.layers()));
  }
  if (layout.expert > 1 && model.experts() == nullptr) {
    refuse("ep", model.title + " has no experts", "leave it out, or use tensor parallelism");
  } else if (model.experts() != nullptr) {
    const std::vector<double> valid = valid_expert(model, layout);
    if (std::find(valid.begin(), valid.end(), layout.expert) == valid.end()) {
      refuse("ep",
             fmt::format("{:g} experts do not lie evenly on {:g} of {:g} chips",
                         model.experts()->count + layout.redundant_experts, layout.expert, layout.chips_per_stage()),
             valid.empty() ? "no degree fits these chips: choose another tensor degree" : "possible: " + listed(valid));
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  return layout;
}

std::string short_name(const Layout& layout) {
  const bool one_way = layout.context == 1 && layout.expert > 1;
  const bool tep = one_way && layout.attention_data == 1 && layout.expert == layout.tensor;
  const bool dep = one_way && layout.tensor == 1 && layout.expert == layout.attention_data;
  std::string name = tep || dep ? degrees_text({{tep ? "TEP" : "DEP", layout.expert}, {"PP", layout.pipeline}}, "·")
                                : degrees_text({{"TP", layout.tensor},
                                                {"CP", layout.context},
                                                {"DP", layout.attention_data},
                                                {"EP", layout.expert},
                                                {"PP", layout.pipeline}},
                                               "·");
  if (name.empty()) name = "TP1";
  return layout.replicas > 1 ? fmt::format("{:g}×{}", layout.replicas, name) : name;
}

namespace {

/// Words of a layout apart, in lower case: "TP2·PP4", "tp2-pp4" and "tp2, pp4" are the same two.
std::vector<std::string> layout_words(std::string_view text) {
  std::string spaced = lower_case(text);
  constexpr std::string_view kDot = "·";
  for (std::size_t at = spaced.find(kDot); at != std::string::npos; at = spaced.find(kDot, at))
    spaced.replace(at, kDot.size(), " ");
  for (char& c : spaced) {
    if (c == ',' || c == '-' || c == '+') c = ' ';
  }
  std::vector<std::string> words;
  for (std::string& word : split(spaced, ' ')) {
    if (word.empty()) continue;
    const bool tep = word.starts_with("tep"), dep = word.starts_with("dep");
    if (tep || dep) {
      words.push_back((tep ? "tp" : "dp") + word.substr(3));
      word = "ep" + word.substr(3);
    }
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace

Result<Layout> parse_layout(std::string_view text, std::string_view where) {
  Layout layout;
  const auto refuse = [&](std::string_view word) {
    return fail({std::string(where), fmt::format("\"{}\" is no degree of a layout", shortened(word)),
                 "for example TP4, TP2-PP4, DP8-EP8, TEP8 or DEP32"});
  };
  constexpr double kMost = 1e6;
  const std::vector<std::string> words = layout_words(text);
  for (const std::string& word : words) {
    double* degree = word.starts_with("tp")   ? &layout.tensor
                     : word.starts_with("cp") ? &layout.context
                     : word.starts_with("dp") ? &layout.attention_data
                     : word.starts_with("ep") ? &layout.expert
                     : word.starts_with("pp") ? &layout.pipeline
                                              : nullptr;
    const auto number = degree == nullptr ? std::nullopt : parse_number(word.substr(2));
    const bool whole = number && *number >= 1 && *number <= kMost && *number == std::floor(*number);
    if (!whole || *degree != 1) return refuse(word);  // or said before
    *degree = *number;
  }
  if (words.empty()) return refuse(text);
  return layout;
}

}  // namespace ridge
