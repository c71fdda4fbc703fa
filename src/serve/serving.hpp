#pragma once
// The operator's answer: how fast for a user, how much for all, at what cost, and how sure.

#include <optional>

#include "serve/error/error_spread.hpp"
#include "serve/estimate.hpp"
#include "serve/question/serving_readings.hpp"

namespace ridge {

struct ServingAnswer {
  ServingQuestion question;
  Deployment deployment;
  RequestLoad load;
  ServingEstimate estimate;
  double rate_share = 0;  // of the requests a second that it could finish; 0 where only a concurrency was given
  bool waits = false;     // more in flight than fit, or near saturation: no time to the first token is given
  AnswerErrors errors;    // what was measured of it, and how far off it may be
  std::vector<ServingElasticity> sensitivity;  // where asked for
  std::vector<std::string> notes;

  const Layout& layout() const { return deployment.layout(); }
  const ServingGround& ground() const { return deployment.ground; }
};

/// Whether a price that its costs stand on is somebody's guess.
inline bool assumes_price(const ServingAnswer& answer) {
  const auto& prefill = answer.deployment.prefill_elsewhere;
  return price_is_assumed(answer.ground()) || (prefill && price_is_assumed(*prefill));
}

/// Does not fit: an answer, with what is missing.
struct ServingShortfall {
  Layout layout;
  ChipMemory memory;
  double longest = 0;  // tokens of a request at its end, which a chip has to hold
  std::vector<std::string> ways_out;
  double most_requests = 0;  // a second, where memory is not what is short
  std::vector<std::string> notes;
};

struct ServingResult {
  std::optional<ServingAnswer> answer;
  std::optional<ServingShortfall> shortfall;
};

/// The load that a question asks for, on a deployment; a default is noted.
struct LoadChoice {
  RequestLoad load;
  double rate_share = 0;
  std::vector<std::string> notes;
};
LoadChoice chosen_load(const ServingQuestion& question, const Deployment& deployment);

/// A deployment under a load, with what is to be said of it.
Result<ServingResult> answer_at(const ServingQuestion& question, const Deployment& deployment, const LoadChoice& choice,
                                const Library& library);

Result<ServingResult> answer_serving(const ServingQuestion& question, const Library& library);

}  // namespace ridge
