#pragma once

#include "catalog/facts/fact.hpp"
#include "claims/lecture.hpp"

namespace ridge::catalog {

/// catalog/lecture, in the order of its files; claims that are named must be there.
Result<std::vector<LectureStep>> read_lecture(const std::vector<Fact>& facts);

}  // namespace ridge::catalog
