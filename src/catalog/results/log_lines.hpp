#pragma once
// Lines of a program's output: colors, carriage returns and progress bars taken off; numbers after a label.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::catalog {

/// The text without escape sequences, carriage returns and a byte-order mark.
std::string plain_output(std::string_view text);

std::vector<std::string_view> lines_of(std::string_view text);

/// The number that follows a label in a line ("took 14.9889 GiB" after "took "), thousands separators allowed; nothing
/// where it is negative or not there.
std::optional<double> number_after(std::string_view line, std::string_view label);

/// What follows "'name': " or "name=" in a printed Python value, without its quotes; empty where it is not there.
std::string python_value(std::string_view line, std::string_view name);

/// The labels of a report: the number after the colon of the first line that starts with `label`.
std::optional<double> labeled(const std::vector<std::string_view>& lines, std::string_view label);
std::string labeled_text(const std::vector<std::string_view>& lines, std::string_view label);

}  // namespace ridge::catalog
