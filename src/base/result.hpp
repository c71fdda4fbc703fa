#pragma once
// Wrong input is a value: where, what, and what to do about it. All errors of a file are collected before giving up.

#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace ridge {

struct Error {
  std::string where;  // a place ("h200.toml:7: hbm.bandwidth") or a field ("batch"), which the edge shows as a flag
  std::string what;
  std::string hint = {};

  bool operator==(const Error&) const = default;
};

using Errors = std::vector<Error>;

template <class T>
using Result = tl::expected<T, Errors>;

inline tl::unexpected<Errors> fail(Error error) { return tl::unexpected<Errors>(Errors{std::move(error)}); }
inline tl::unexpected<Errors> fail(Errors errors) { return tl::unexpected<Errors>(std::move(errors)); }

inline void append(Errors& to, const Errors& from) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace ridge
