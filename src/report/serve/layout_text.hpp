#pragma once
// A model on racks, for people: the racks drawn, what a chip holds and sends, and what the boundary of a rack does.

#include <string>
#include <vector>

#include "report/base/style.hpp"
#include "serve/rack_layout.hpp"

namespace ridge::report {

/// What is written into a chip: "0-3" for its experts, "t2" or "d5" for its share otherwise.
std::string chip_label(const LayoutAnswer& answer, const Seat& seat);
/// What the labels mean, in one sentence.
std::string label_legend(const LayoutAnswer& answer);
/// "layers 0-30", "layer 4".
std::string layers_text(const Range& layers);
/// "DeepSeek-V3 on GB200 NVL72 rack: dp64 ep64, 64 chips in 1 rack".
std::string layout_title(const LayoutAnswer& answer);

std::string layout_text(const LayoutAnswer& answer, const Style& style);
std::string compare_text(const std::vector<RackColumn>& columns, const Model& model, const Style& style);

std::string layout_json(const LayoutAnswer& answer);
std::string compare_json(const std::vector<RackColumn>& columns, const Model& model);

std::string layout_svg(const LayoutAnswer& answer);

}  // namespace ridge::report
