#pragma once
// What is said of an answer in more than one command.

#include <string>

#include "serve/estimate.hpp"

namespace ridge {

/// Which format the KV cache is in, where nobody chose.
std::string kv_note(const ServingGround& ground);

/// What is to be said where prefill is on another machine: whose link the KV cache goes over, whether engines do that, and
/// what of that machine is borrowed or assumed.
std::vector<std::string> notes_of_prefill(const ServingGround& prefill, const ServingGround& decode);

/// "201000 tokens are more than the model's context of 131072: ..."; empty where they are not.
std::string beyond_context(const ServingGround& ground, const RequestLoad& load);

/// How busy prefill replicas are, which the closed form does not know.
std::string prefill_busy_note();

/// Where an overlap of two batches is slower than none, and why; empty where it is not, or is not asked for.
std::string overlap_note(const Deployment& deployment, const RequestLoad& load, const ServingEstimate& estimate);

}  // namespace ridge
