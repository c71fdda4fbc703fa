#pragma once
// How often a test asks the same kind of random question.

namespace ridge {

/// All of them in a release build, every tenth under sanitizers, where each takes thirty times as long.
constexpr int repeats(int all) { return RIDGE_SANITIZED ? all / 10 : all; }

}  // namespace ridge
