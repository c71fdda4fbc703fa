#pragma once
// What a scaling law was fitted on. Outside of it the law is an extrapolation, and whoever uses it says so.

#include <optional>
#include <string>
#include <vector>

#include "base/numbers_entry.hpp"
#include "train/scaling.hpp"

namespace ridge {

/// The runs behind a law, as far as its entry says (range_params_least, range_params and the same of tokens).
struct LawDomain {
  std::string law;  // its title
  std::optional<Params<double>> least_params, most_params;
  std::optional<Tokens<double>> least_tokens, most_tokens;
};
LawDomain domain_of(const NumbersEntry& law);

/// "70M to 16B params and 5B to 500B tokens"; empty where nothing is known.
std::string fitted_on(const LawDomain& domain);

bool covers(const LawDomain& domain, const Params<double>& params);
bool covers(const LawDomain& domain, const TrainedModel<double>& model);

/// A model that a law was asked about, by what the answer calls it.
struct AskedModel {
  std::string name;
  TrainedModel<double> model;
};

/// Those that the law was not fitted on.
std::vector<AskedModel> outside(const LawDomain& domain, const std::vector<AskedModel>& asked);

/// "extrapolated: fitted on 70M to 16B params and 5B to 500B tokens (Chinchilla ...), and this model has 100B params on 1
/// token"; empty where the law covers all of them.
std::string extrapolation_note(const LawDomain& domain, const std::vector<AskedModel>& asked);
/// The same of a law that knows no tokens.
std::string extrapolation_note(const NumbersEntry& law, const Params<double>& params);

}  // namespace ridge
