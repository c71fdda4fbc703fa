#pragma once
// `ridge` alone: one calibrated answer beside its bound, and what to type next.

namespace ridge::cli {

int run_front_screen();

}  // namespace ridge::cli
