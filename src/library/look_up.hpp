#pragma once
// Entries of the library by the names that people give them.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/result.hpp"
#include "base/text/text.hpp"
#include "library/library.hpp"

namespace ridge {

/// The entry of that name, in any case. `what` it is ("machine") names the field and, with an s, the list of all.
template <template <class...> class List, class T, class... More>
Result<const T*> look_up(const List<T, More...>& all, const std::string& name, std::string_view what) {
  if (const T* found = find_named(all, name)) return found;
  const std::vector<std::string> names = names_of(all);
  for (const std::string& one : names) {
    if (lower_case(one) == lower_case(name)) return find_named(all, one);
  }
  return fail({std::string(what), fmt::format("unknown {} \"{}\"", what, shortened(name)),
               suggestion(name, names) + fmt::format(" (ridge list {}s shows all)", what)});
}

}  // namespace ridge
