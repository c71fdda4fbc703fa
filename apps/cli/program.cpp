#include "cli/program.hpp"

#include <cassert>
#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text/clean_text.hpp"
#include "base/text/text.hpp"
#include "catalog/checkpoint/model_file.hpp"
#include "catalog/entries/claims.hpp"
#include "catalog/entries/library.hpp"
#include "catalog/facts/files.hpp"
#include "catalog/question/scenario_text.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/output/whole_file.hpp"
#include "cli/question/defaults.hpp"
#include "cli/question/serving.hpp"
#include "report/model/model_json.hpp"
#include "report/roofline/why_json.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kDefaultKv = "fp8";  // what engines store on Blackwell

/// Made once: its entries are read when they are asked for, and whoever asks later finds them read.
const Library& library_compiled_in() {
  static const Library library = catalog::checked_library(catalog::embedded_entries());
  return library;
}

}  // namespace

Result<Program> start(const Arguments& arguments) {
  Program program;
  program.style = outlet_style(arguments.has("plain"));
  program.style.details = arguments.has("verbose");
  const std::string folder = arguments.text("catalog");
  if (folder.empty()) {  // the build has checked it: each part is read when it is asked for
    program.facts = Lazy<std::vector<catalog::Fact>>(catalog::embedded_facts);
    program.library = library_compiled_in();
    program.claims = Lazy<std::vector<Claim>>([] {
      auto claims = catalog::read_claims(catalog::embedded_facts());
      assert(claims && "the build has read them without errors");
      return std::move(*claims);
    });
    return program;
  }
  const auto own = catalog::read_folder(folder, folder + "/");
  if (!own) return fail(own.error());
  auto facts = catalog::overlaid(catalog::embedded_facts(), *own);
  auto library = catalog::build_library(facts);
  if (!library) return fail(library.error());
  program.library = std::move(*library);
  auto claims = catalog::read_claims(facts);
  if (!claims) return fail(claims.error());
  program.claims = Lazy<std::vector<Claim>>(std::move(*claims));
  program.facts = Lazy<std::vector<catalog::Fact>>(std::move(facts));
  return program;
}

namespace {

Result<catalog::Assumptions> assumptions_of(const Arguments& arguments) {
  catalog::Assumptions assumptions;
  for (const std::string& text : arguments.all("assume")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      return fail({"assume", fmt::format("\"{}\" is not TYPE=KIND or KEY=ignored", shortened(text)),
                   "e.g. --assume my_attention=sliding_attention, --assume my_model=llama, --assume my_size=ignored"});
    }
    assumptions[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return assumptions;
}

}  // namespace

Result<bool> models_named(Program& program, const std::vector<std::string>& words, const Arguments& arguments) {
  const auto assumptions = assumptions_of(arguments);
  if (!assumptions) return fail(assumptions.error());
  std::map<std::string, Error> unneeded;
  for (const auto& [name, meant] : *assumptions) {
    unneeded[name] = {
        "assume",
        words.empty() ? "no model is read from a file" : fmt::format("\"{}\" is no file", shortened(words.front())),
        "it is for models read from a file; the catalog's are known"};
  }
  Errors errors;
  std::optional<ConfigWords> known;  // most commands read no file
  for (const std::string& word : words) {
    if (!catalog::names_model_file(word) || find_named(program.library.models, word) != nullptr) continue;
    if (!known) known = catalog::config_words(program.library);
    auto read = catalog::read_model_file(word, *known, *assumptions);
    if (!read) {
      append(errors, read.error());
      continue;
    }
    for (const auto& [name, meant] : *assumptions) {  // one file that needs it is enough
      const auto why = read->unneeded.find(name);
      if (why == read->unneeded.end())
        unneeded.erase(name);
      else if (unneeded.contains(name))
        unneeded[name] = why->second;
    }
    program.unread = std::move(read->unread);
    for (const std::string& assumption : read->model.assumptions) add_once(program.assumed, assumption);
    program.library.models.push_back(std::move(read->model));
  }
  if (errors.empty()) {
    for (const auto& [name, error] : unneeded) errors.push_back(error);
  }
  if (!errors.empty()) return fail(std::move(errors));
  return true;
}

Result<std::string> model_named(Program& program, const std::string& word, const Arguments& arguments) {
  if (find_named(program.library.models, word) != nullptr && catalog::names_model_file(word)) return word;
  if (const auto read = models_named(program, {word}, arguments); !read) return fail(read.error());
  return word;
}

Result<Scenario> scenario_of(Program& program, const Arguments& arguments, const std::string& model) {
  Scenario scenario;
  if (model.ends_with(".toml")) {
    const auto text = catalog::read_file(model);
    if (!text) return fail(text.error());
    auto read = catalog::read_scenario(*text, model);
    if (!read) return fail(read.error());
    scenario = std::move(*read);
  } else {
    scenario.model = model;
  }
  OptionReader reader(arguments);
  for (const Given& one : arguments.given) {
    if (one.by != Reads::scenario) continue;
    reader.take(catalog::override_option(scenario, one.key, one.text, flag_of(one.key, *arguments.command)));
  }
  if (!asks_serving(arguments)) {  // of a calibrated answer they are other inputs: see serving.cpp
    for (const auto& [key, value, where] : reader.pairs("set", "--set 'hbm.bandwidth=7 TB/s'"))
      reader.take(catalog::set_option(scenario, key, value, where));
  }
  if (arguments.has("price") && arguments.has("price_basis"))
    reader.refuse("price_basis", "stands beside --price", "a price that is given has no other basis: give one of them");
  Errors errors = reader.errors();
  if (!scenario.model.empty()) {
    const auto named = model_named(program, scenario.model, arguments);
    if (!named && !is_complete(scenario)) append(errors, named.error());
  }
  if (scenario.model.empty() && scenario.machine.empty()) {
    scenario.model = kDefaultModel;
    scenario.machine = kDefaultMachine;
    program.taken = {scenario.model, "--on " + scenario.machine};
    if (!scenario.kv) {
      scenario.kv = kDefaultKv;
      program.taken.push_back("--kv " + *scenario.kv);
    }
  }
  if (scenario.model.empty())
    errors.push_back({"model", "which model?", "name one before --on, e.g. deepseek-v3 (ridge list models)"});
  if (scenario.machine.empty())
    errors.push_back(
        {"machine", "which machine?", "add one, e.g. --on gb200-nvl72 or --on hgx-h100 (ridge list machines)"});
  if (!errors.empty()) return fail(std::move(errors));
  return scenario;
}

std::string with_assumptions(std::string answer, const Arguments& arguments, const Program& program) {
  std::vector<std::string> unsaid;
  const auto without_blanks = [](std::string text) {  // a text may be broken into lines anywhere
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
  };
  if (program.assumed.empty()) return answer;
  const std::string said = without_blanks(answer);
  for (const std::string& one : program.assumed) {
    if (!contains(said, without_blanks(one))) unsaid.push_back(one);
  }
  if (unsaid.empty()) return answer;
  constexpr std::string_view kSchema = "\"schema\":";
  const std::size_t schema = arguments.json() ? answer.find(kSchema) : std::string::npos;
  if (const std::size_t comma = answer.find(',', schema); schema != std::string::npos && comma != std::string::npos) {
    answer.insert(comma + 1, "\n  " + report::member_json("assumptions", unsaid));
    return answer;
  }
  std::string lines;
  for (const std::string& one : unsaid) lines += report::wrapped(one, program.style.columns, 2) + "\n";
  if (!arguments.has("csv") && !arguments.json()) return answer + lines;
  say(lines);
  return answer;
}

namespace {

/// The last guard: a figure that is no number is said to be our bug, in place of the answer.
bool has_no_number(std::string_view answer) {
  const std::string_view line = line_without_number(answer);
  if (line.empty()) return false;
  say(
      fmt::format("ridge: our bug: a figure of this answer is no number: {}\n"
                  "  hint: please report the command; nothing was printed\n",
                  readable(std::string(line))));
  return true;
}

}  // namespace

int print(std::string_view answer) {
  const std::string text = cleaned(answer, is_terminal(STDOUT_FILENO) ? Allowed::colors : Allowed::lines);
  if (has_no_number(text)) return kOurBug;
  const int error = put_out(text);
  if (error == 0) return kAnswered;
  say(fmt::format("ridge: standard output could not be written: {}\n", std::strerror(error)));
  return kBadInput;
}

void say(std::string_view text) { put_beside(cleaned(text, Allowed::lines)); }

std::string readable(const std::string& text) {
  constexpr std::size_t kMost = 400;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

std::string in_sight(std::string_view place) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  const bool hidden = place.empty() || is_blank(place.front()) || is_blank(place.back());
  return hidden ? fmt::format("\"{}\"", place) : std::string(place);
}

void say_errors(const Errors& shown) {
  for (const Error& error : shown) {
    say(fmt::format("{}: {}\n", readable(in_sight(error.where)), readable(error.what)));
    if (!error.hint.empty()) say(fmt::format("  hint: {}\n", readable(error.hint)));
  }
}

int report_errors(const Errors& errors, const Arguments& arguments) {
  const Errors shown = in_flags(errors, *arguments.command);
  say_errors(shown);
  if (arguments.json()) print(report::errors_json(shown));
  return kBadInput;
}

Result<int> write(const std::string& path, std::string_view text) {
  const auto written = write_file(path, text);
  if (!written) return fail(written.error());
  say(fmt::format("wrote {}\n", path));
  return kAnswered;
}

Result<int> svg_named(const std::string& path) {
  for (const char* other : {".png", ".pdf", ".jpg", ".jpeg"}) {
    if (!lower_case(path).ends_with(other)) continue;
    return fail({"svg", fmt::format("writes SVG, not {}", other), "name it .svg; browsers and rsvg-convert read that"});
  }
  return kAnswered;
}

Result<int> svg_writable(const Arguments& arguments) {
  if (!arguments.has("svg")) return kAnswered;
  const std::string path = arguments.text("svg");
  if (const auto named = svg_named(path); !named) return named;
  if (const auto file = WholeFile::open(path); !file) return fail(file.error());  // and away again
  return kAnswered;
}

Result<int> write_svg(const std::string& path, std::string_view svg) {
  if (const auto named = svg_named(path); !named) return named;
  if (has_no_number(svg)) return kOurBug;
  return write(path, svg);
}

}  // namespace ridge::cli
