#pragma once
// How many requests somebody would keep in flight who has a target for TPOT and nothing else.

#include <optional>

#include "serve/serving.hpp"

namespace ridge {

struct TpotSlo {
  Seconds<double> tpot{0.05};
  bool given = false;
};

/// A target of nothing, or one beside a load that was given.
Errors slo_errors(const TpotSlo& slo, const ServingQuestion& question);

/// The load that makes a token cheapest among those that meet the SLO on this deployment; none where none does.
std::optional<RequestLoad> cheapest_load(const Deployment& deployment, const RequestLoad& lengths, const TpotSlo& slo);

/// The load that a question gives, or else the cheapest within the SLO; what was taken is noted.
LoadChoice load_within(const TpotSlo& slo, const ServingQuestion& question, const Deployment& deployment);

}  // namespace ridge
