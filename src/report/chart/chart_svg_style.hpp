#pragma once
// How an SVG chart looks: colors for light and dark, text widths, escaping.

#include <cstddef>
#include <string>
#include <string_view>

namespace ridge::report::svg {

inline constexpr double kTextSize = 13.0;
inline constexpr double kPageWidth = 880.0, kPageMargin = 24.0;
inline constexpr std::size_t kSeriesColors = 8;  // classes fill-c0 .. line-c7

/// The <style> element: a light and a dark palette as custom properties of the class "ridge-chart".
std::string stylesheet();

/// An estimate that errs on the wide side: system-ui is a different font on every machine.
double pixel_width(const std::string& character);
double width_of(std::string_view text, bool strong = false);
/// The text, or as much of it as fits and an ellipsis.
std::string cut(std::string_view text, double width);

std::string escaped(std::string_view text);
/// A coordinate with at most two decimals.
std::string px(double value);

}  // namespace ridge::report::svg
