#pragma once
// The catalog's laws for tests: a test that names another fails.

#include <string>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "train/laws.hpp"
#include "train/lifecycle_answer.hpp"

namespace ridge::testing {

inline const NumbersEntry& law_entry(const std::string& name) {
  const NumbersEntry* found = find_named(library().scaling_laws, name);
  if (found == nullptr) FAIL("no scaling law ", name);
  return *found;
}
inline LossLaw<double> chinchilla(const std::string& name = "besiroglu-2024") {
  return loss_law(law_entry(name)).value();
}
inline ExpertLaw<double> experts(const std::string& name = "clark-2022") { return expert_law(law_entry(name)).value(); }

inline LifecycleAnswer life_of(const std::vector<std::pair<std::string, double>>& given = {},
                               const std::string& law = "", const std::string& model = "") {
  LifecycleQuestion question;
  question.model = model;
  if (!law.empty()) question.law = law;
  for (const auto& [key, value] : given) question.given.push_back({key, value, {"--" + key, Kind::user, "", ""}});
  return answer_lifecycle(question, library()).value();
}

}  // namespace ridge::testing
