#pragma once
// Single kernels by a fit that never saw them: all numbers of chips and kernels are fitted to one half of every library's
// rows and judged on the other, and the other way round.

#include "calibrate/judge/validate.hpp"

namespace ridge {

/// The same rows, by the same fit, where each library's kernel on a chip has its own ratios, fitted to its half: what is
/// left when it is known how libraries differ. No answer knows that.
inline constexpr std::string_view kHalvesByLibrary = "fitted to one half, each library by itself";

/// What these errors are to be, by the name of a class; 0: nobody said.
double kernel_goal(std::string_view kernel_class);

/// A line for each class of kernels, and one where libraries are told apart. The halves are drawn by a hash of what a row
/// is, not of its time. Nothing where one of them has no row.
Result<std::vector<ValidationLine>> judge_kernels_by_halves(const Evidence& evidence, const Library& library,
                                                            unsigned threads = 1);

}  // namespace ridge
