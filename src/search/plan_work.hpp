#pragma once
// A plan's search, prepared: all layouts of all variants in one row, any stretch of which can be searched alone.

#include "search/deployments.hpp"
#include "search/plan.hpp"

namespace ridge {

class PlanWork {
 public:
  static Result<PlanWork> prepare(const PlanRequest& request, const Library& library);

  /// Layouts to search: stretches of 0 to size() - 1 are searched apart and merged.
  std::uint64_t size() const { return starts_.back(); }
  void search(std::uint64_t first, std::uint64_t count, PlanSearch& out) const;
  /// All of it, with the request's threads.
  PlanSearch search_all() const;
  /// What the search of all comes to.
  PlanAnswer answer(PlanSearch search) const;
  const PlanRequest& request() const { return request_; }
  /// Figures that hang on every input: two that mean the same have the same.
  std::string signature() const;

 private:
  /// Chips for prompts: a layout, and what a prompt takes there.
  struct PromptChoice {
    Layout layout;
    PromptService service;
    Seconds<double> chip_time{};  // of all its chips, for a prompt
  };

  /// A machine with formats and settings: everything that no layout changes, resolved once.
  struct Variant : DeploymentGround {
    PlanVariant which;
    double power = 0;  // watts of a chip
    const Model* model = nullptr;
    std::vector<Layout> layouts;
    /// Those that no other equals or beats in chip time, time and bytes of cache on a chip: whoever is beaten in all
    /// three makes no deployment cheaper or quicker.
    std::vector<PromptChoice> prompts;
  };

  class Searcher;

  Result<Variant> variant_of(const PlanVariant& which, const Library& library) const;
  static void find_prompt_choices(Variant& variant);

  PlanRequest request_;
  std::vector<Variant> variants_;
  std::vector<std::uint64_t> starts_ = {0};  // of each variant's layouts among all, and the end
  std::vector<PlanMachine> machines_;
  std::vector<std::string> notes_;
  std::string model_title_;
};

}  // namespace ridge
