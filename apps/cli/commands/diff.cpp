// ridge diff: only what differs between two models, or two other entries of one category.

#include <fmt/format.h>

#include "base/text.hpp"
#include "catalog/checkpoint/model_file.hpp"
#include "cli/entries.hpp"
#include "cli/options/option_groups.hpp"
#include "report/model/model_json.hpp"
#include "report/model/model_text.hpp"

namespace ridge::cli {

namespace {

/// A side of the comparison: a model, or the facts of something else.
struct Side {
  std::string model;  // its name in the library; empty where it is none
  std::vector<const catalog::Fact*> facts;
};

Result<Side> side_of(const Program& program, const std::string& word) {
  if (catalog::names_model_file(word)) return Side{word, {}};
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

Result<int> run_diff(const Arguments& arguments, Program& program) {
  const std::string name_a = arguments.text("a"), name_b = arguments.text("b");
  if (const auto read = models_named(program, {name_a, name_b}, arguments); !read) return fail(read.error());
  const auto a = side_of(program, name_a);
  if (!a) return fail(a.error());
  const auto b = side_of(program, name_b);
  if (!b) return fail(b.error());
  const bool models = !a->model.empty() && !b->model.empty();
  const bool same_category =
      !a->facts.empty() && !b->facts.empty() && a->facts.front()->category == b->facts.front()->category;
  if (!models && !same_category) {
    return fail({"diff", fmt::format("{} and {} are not of one kind", name_a, name_b),
                 "compare two models, two machines, two chips, ..."});
  }
  const auto differences =
      models ? report::model_differences(*find_named(program.library.models, a->model),
                                         *find_named(program.library.models, b->model), program.library.formats)
             : fact_differences(*a, *b);
  return print(with_assumptions(arguments.json() ? report::differences_json(differences, name_a, name_b)
                                                 : report::differences_text(differences, name_a, name_b, program.style),
                                arguments, program));
}

}  // namespace

Command diff_command() {
  return {.name = "diff",
          .purpose = Purpose::model,
          .place = 2,
          .summary = "what differs between two models, machines, chips, ...",
          .groups = {{kUsual,
                      {{"A", "a", "NAME", "a model, its file, or another entry", "", Reads::command, false, true},
                       {"B", "b", "NAME", "the other one", "", Reads::command, false, true}}},
                     output_options(),
                     rare_options({kAssume})},
          .examples = {"ridge diff deepseek-v3 kimi-k2", "ridge diff hgx-h100 hgx-h200",
                       "ridge diff llama-3.1-70b qwen2.5-72b --json"},
          .run = run_diff};
}

}  // namespace ridge::cli
