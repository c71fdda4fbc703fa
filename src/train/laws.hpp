#pragma once
// Scaling laws of the library, by name: entries of numbers turned into laws.

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "library/library.hpp"
#include "train/law_domain.hpp"
#include "train/scaling.hpp"

namespace ridge {

/// The entry of a law of the wanted form ("chinchilla", "experts", "granular", "precision", "tokens").
Result<const NumbersEntry*> find_law(const Library& library, std::string_view name, std::string_view form,
                                     std::string_view where);

/// The laws of experts, and of loss, that the catalog's lifecycle uses.
Result<const NumbersEntry*> usual_expert_law(const Library& library, std::string_view where);
Result<const NumbersEntry*> usual_loss_law(const Library& library, std::string_view where);

Result<LossLaw<double>> loss_law(const NumbersEntry& entry);
Result<ExpertLaw<double>> expert_law(const NumbersEntry& entry);
Result<GranularLaw<double>> granular_law(const NumbersEntry& entry);
Result<PrecisionLaw<double>> precision_law(const NumbersEntry& entry);
Result<TokenLaw<double>> token_law(const NumbersEntry& entry);

/// Of a model of which each token uses `params` parameters, in layers that use `per_token` of `experts`: the dense model
/// that is as good, over those parameters. Clark's law has one expert of E; E is taken as experts over those used.
Result<Ratio<double>> dense_multiple(const ExpertLaw<double>& law, Params<double> params, double experts,
                                     double per_token, std::string_view where);

}  // namespace ridge
