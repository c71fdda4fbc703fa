#pragma once
// A layout in a line, as `ridge train` prints it: "TP8·PP16·VP2·DP64", "CP2·FSDP32", "TP2·PP4·DP8 ZB-V".

#include <optional>
#include <string_view>

#include "train/step/training_question.hpp"

namespace ridge {

struct SpokenLayout {
  AskedLayout layout;
  std::optional<double> data;  // copies
};

/// In any case, with "·", "-", "+", commas or spaces between degrees: TP, PP, VP, CP, EP, ETP, DP or FSDP (ZeRO-3), MB
/// (sequences of a micro-batch), ZERO, "shards of" so many chips, and the name of a schedule. What a degree may be is
/// another question.
Result<SpokenLayout> parse_training_layout(std::string_view text, std::string_view where);

}  // namespace ridge
