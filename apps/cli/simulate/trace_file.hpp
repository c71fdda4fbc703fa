#pragma once
// Recorded requests, and mixes of them, as commands read them.

#include <memory>
#include <optional>

#include "cli/options/option_reader.hpp"
#include "simulate/client/request_mix.hpp"

namespace ridge::cli {

/// --trace: a file, or - for standard input; nothing where it was not given or is wrong, which the reader keeps.
std::shared_ptr<const simulate::Trace> asked_trace(OptionReader& reader);

/// --mix
std::optional<simulate::RequestMix> asked_mix(OptionReader& reader);

}  // namespace ridge::cli
