#include "train/law_domain.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge {

namespace {

/// A number of an entry, where it is there and has the unit.
template <Dimension D>
std::optional<Quantity<D, double>> fact(const NumbersEntry& law, std::string_view name) {
  const auto found = law.numbers.find(name);
  if (found == law.numbers.end() || found->second.value.dimension != D) return std::nullopt;
  return Quantity<D, double>(found->second.value.value);
}

/// "70M": a count of parameters or tokens.
std::string counted(double value) {
  const std::string text = show(value, kParam, 3);
  return text.substr(0, text.find(' '));
}

/// "70M to 16B params", "up to 1.3B params"; empty where no end is known.
template <class Q>
std::string range_text(const std::optional<Q>& least, const std::optional<Q>& most, std::string_view unit) {
  if (least && most) return fmt::format("{} to {} {}", counted(least->value()), counted(most->value()), unit);
  if (most) return fmt::format("up to {} {}", counted(most->value()), unit);
  return least ? fmt::format("{} and more {}", counted(least->value()), unit) : "";
}

template <class Q>
bool within(const std::optional<Q>& least, const Q& value, const std::optional<Q>& most) {
  return !(least && value < *least) && !(most && value > *most);
}

}  // namespace

LawDomain domain_of(const NumbersEntry& law) {
  return {law.title, fact<kParam>(law, "range_params_least"), fact<kParam>(law, "range_params"),
          fact<kToken>(law, "range_tokens_least"), fact<kToken>(law, "range_tokens")};
}

std::string fitted_on(const LawDomain& domain) {
  std::vector<std::string> parts;
  for (std::string part : {range_text(domain.least_params, domain.most_params, "params"),
                           range_text(domain.least_tokens, domain.most_tokens, "tokens")}) {
    if (!part.empty()) parts.push_back(std::move(part));
  }
  return joined(parts, " and ");
}

bool covers(const LawDomain& domain, const Params<double>& params) {
  return within(domain.least_params, params, domain.most_params);
}

bool covers(const LawDomain& domain, const TrainedModel<double>& model) {
  return covers(domain, model.params) && within(domain.least_tokens, model.tokens, domain.most_tokens);
}

std::vector<AskedModel> outside(const LawDomain& domain, const std::vector<AskedModel>& asked) {
  std::vector<AskedModel> out;
  for (const AskedModel& one : asked) {
    if (!covers(domain, one.model)) out.push_back(one);
  }
  return out;
}

std::string extrapolation_note(const LawDomain& domain, const std::vector<AskedModel>& asked) {
  std::vector<std::string> beyond;
  for (const AskedModel& one : outside(domain, asked))
    beyond.push_back(fmt::format("{} has {} params on {} token{}", one.name, counted(one.model.params.value()),
                                 counted(one.model.tokens.value()), one.model.tokens.value() == 1 ? "" : "s"));
  if (beyond.empty()) return "";
  return fmt::format("extrapolated: fitted on {} ({}); {}", fitted_on(domain), domain.law, joined(beyond, ", "));
}

std::string extrapolation_note(const NumbersEntry& law, const Params<double>& params) {
  const LawDomain domain = domain_of(law);
  if (covers(domain, params)) return "";
  return fmt::format("extrapolated: fitted on {} ({}); this model has {} active params", fitted_on(domain), domain.law,
                     counted(params.value()));
}

}  // namespace ridge
