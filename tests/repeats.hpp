#pragma once
// How often a test asks the same kind of random question, and whether it asks the long ones.

namespace ridge {

/// All of them in a release build, every tenth under sanitizers, where each takes thirty times as long.
constexpr int repeats(int all) { return RIDGE_SANITIZED ? all / 10 : all; }

/// ./test under sanitizers leaves out what takes seconds there and is long, not different; `make soak` does not.
constexpr bool kBrief = RIDGE_BRIEF;

}  // namespace ridge
