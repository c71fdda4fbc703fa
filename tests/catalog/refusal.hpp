#pragma once

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "base/result.hpp"

namespace ridge::testing {

/// One of the errors names `where` and says `what`; all of them say what to do.
inline void check_refusal(const Errors& errors, std::string_view where, std::string_view what) {
  std::string all;
  bool found = false;
  for (const Error& error : errors) {
    all += error.where + ": " + error.what + " (" + error.hint + ")\n";
    found = found || (error.where.find(where) != std::string::npos && error.what.find(what) != std::string::npos);
    CHECK_FALSE(error.hint.empty());
  }
  CAPTURE(all);
  CHECK(found);
}

}  // namespace ridge::testing
