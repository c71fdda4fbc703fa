#pragma once
// How sure an answer is, in words: "17.6 to 22.3, 80 %", and what of it nobody measured.

#include <string>

#include "serve/error/error_spread.hpp"

namespace ridge::report {

/// "17.6 to 22.3, 80 %" around a time, in its unit as shown; empty where nothing is known of errors.
std::string interval_text(const AnswerErrors& errors, SpreadFigure figure, const Seconds<double>& estimate);
/// The same around tokens a second, and around dollars (of a million tokens, say).
std::string rate_interval_text(const AnswerErrors& errors, double estimate);
std::string money_interval_text(const AnswerErrors& errors, double estimate);

/// " (17.6 to 22.3, 80 %)" behind a figure; nothing where the interval is empty.
std::string in_brackets(const std::string& interval);

/// "a model nobody measured; chip borrowed: the intervals are wider for it"; empty where all was measured.
std::string situation_text(const AnswerErrors& errors);

}  // namespace ridge::report
