#pragma once

#include <string>
#include <vector>

/// Predicted against measured, on logarithmic axes of one length: a cloud around the line where both are equal.
/// A pure function of its data, as are the other charts.
namespace ridge::report {

/// Points of one kind; the same label has the same color and shape in every panel.
struct ScatterGroup {
  std::string label{}, detail{};  // detail: a line below it in the legend
  std::vector<double> measured{}, predicted{};
};

struct ScatterPanel {
  std::string title{}, detail{};  // above the panel, where there are several
  std::vector<ScatterGroup> groups{};
};

struct Scatter {
  std::string title{}, subtitle{}, footer{};
  std::string what{};  // "TPOT": in the axes' titles
  std::string unit = "s";
  std::vector<std::string> bands{};  // what the two bands are, in words: ±10 % and ±25 %
  std::vector<ScatterPanel> panels{};
};

/// Shares off that the bands around the line mark.
inline constexpr double kNarrowBand = 0.10, kWideBand = 0.25;

/// A legend has at most six entries: the smallest groups are joined as "others".
inline constexpr std::size_t kMostGroups = 6;

/// A self-contained SVG, 880 wide, in the colors of the other charts. Points that are not positive are left out.
std::string to_svg(const Scatter& scatter);

}  // namespace ridge::report
