// ridge diff: only what differs between two models, or two other entries of one category.

#include <fmt/format.h>

#include "base/text.hpp"
#include "catalog/checkpoint/model_file.hpp"
#include "cli/entries.hpp"
#include "report/model/model_json.hpp"
#include "report/model/model_text.hpp"

namespace ridge::cli {

namespace {

/// A side of the comparison: a model, or the facts of something else.
struct Side {
  std::string model;  // its name in the library; empty where it is none
  std::vector<const catalog::Fact*> facts;
};

Result<Side> side_of(Program& program, const std::string& word, const Options& options) {
  if (catalog::names_model_file(word)) {
    Options own = options;
    const auto model = model_named(program, word, own);
    if (!model) return fail(model.error());
    return Side{*model, {}};
  }
  const auto facts = facts_of(program, word);
  if (facts.empty()) return fail(unknown_entry(program, word, "", "diff"));
  return Side{facts.front()->category == "model" ? facts.front()->entry : "", facts};
}

std::vector<report::Difference> fact_differences(const Side& a, const Side& b) {
  std::vector<report::Difference> differences;
  const auto value_in = [](const Side& side, const std::string& key) {
    for (const catalog::Fact* fact : side.facts) {
      if (fact->key == key) return fact->text;
    }
    return std::string("-");
  };
  for (const catalog::Fact* fact : a.facts) {
    const std::string other = value_in(b, fact->key);
    if (other != fact->text) differences.push_back({fact->key, fact->text, other, 0});
  }
  for (const catalog::Fact* fact : b.facts) {
    if (value_in(a, fact->key) == "-") differences.push_back({fact->key, "-", fact->text, 0});
  }
  return differences;
}

}  // namespace

int run_diff(const Options& options, Program& program) {
  const auto a = side_of(program, options.subject, options);
  if (!a) return report_errors(a.error(), options);
  const auto b = side_of(program, options.other, options);
  if (!b) return report_errors(b.error(), options);
  const bool models = !a->model.empty() && !b->model.empty();
  const bool same_category =
      !a->facts.empty() && !b->facts.empty() && a->facts.front()->category == b->facts.front()->category;
  if (!models && !same_category) {
    return report_errors({{"diff", fmt::format("{} and {} are not of one kind", options.subject, options.other),
                           "compare two models, two machines, two chips, ..."}},
                         options);
  }
  const auto differences =
      models ? report::model_differences(*find_named(program.library.models, a->model),
                                         *find_named(program.library.models, b->model), program.library.formats)
             : fact_differences(*a, *b);
  return print(options.json ? report::differences_json(differences, options.subject, options.other)
                            : report::differences_text(differences, options.subject, options.other, program.style));
}

}  // namespace ridge::cli
