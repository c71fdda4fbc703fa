#pragma once
// A model, and the comparison of two, as JSON; docs/json.md describes the fields.

#include <string>
#include <vector>

#include "catalog/facts/fact.hpp"
#include "report/model/model_text.hpp"
#include "report/serve/serving_diff.hpp"

namespace ridge::report {

/// A list of texts as one member of an object that goes on after it: "key": ["a"],
std::string member_json(std::string_view key, const std::vector<std::string>& texts);

/// Everything counted about a model; `facts` are those of its catalog entry, `unread` the keys of its file that were
/// not needed, both possibly empty.
std::string model_json(const Model& model, const std::vector<Format>& formats,
                       const std::vector<const catalog::Fact*>& facts, const std::vector<std::string>& unread);

/// A catalog entry that is not a model.
std::string facts_json(const std::vector<const catalog::Fact*>& facts);

/// `served`: where both were asked to be served; null otherwise.
std::string differences_json(const std::vector<Difference>& differences, const std::string& a, const std::string& b,
                             const ServingDiff* served = nullptr);

}  // namespace ridge::report
