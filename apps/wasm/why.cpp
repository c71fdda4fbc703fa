// The engine for a browser or Node: text in, JSON out, no files, clocks or exceptions.
//
// The host writes "key=value" lines ("model=deepseek-v3", "machine=gb200-nvl72", "batch=2048", "sensitivity=true") into
// memory from ridge_allocate, calls ridge_why, and reads ridge_result_size bytes from the returned address.

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "catalog/entries/library.hpp"
#include "catalog/facts/fact.hpp"
#include "catalog/question/scenario_text.hpp"
#include "report/roofline/why_json.hpp"
#include "roofline/answer.hpp"

namespace {

/// A page has no flags: fields stand as they are, "chips = 8".
void in_words(std::vector<std::string>& texts) {
  for (std::string& text : texts) text = ridge::with_plain_fields(text);
}
ridge::Errors in_words(ridge::Errors errors) {
  for (ridge::Error& error : errors) {
    for (std::string* text : {&error.where, &error.what, &error.hint}) *text = ridge::with_plain_fields(*text);
  }
  return errors;
}

std::string answer(std::string_view request) {
  using namespace ridge;
  const Library library = catalog::checked_library(catalog::embedded_entries());
  Scenario scenario;
  Errors errors;
  bool with_sensitivity = false;
  for (const std::string& line : split(request, '\n')) {
    if (trimmed(line).empty()) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) {
      errors.push_back({line, "has no =", "write key=value"});
      continue;
    }
    const std::string key(trimmed(line.substr(0, equals)));
    const std::string value(trimmed(line.substr(equals + 1)));
    if (key == "sensitivity") {
      with_sensitivity = value == "true";
      continue;
    }
    const auto set = catalog::set_option(scenario, key, value, key);
    if (!set) append(errors, set.error());
  }
  if (!errors.empty()) return report::errors_json(in_words(std::move(errors)));
  auto why = answer_why(scenario, library);
  if (!why) return report::errors_json(in_words(why.error()));
  in_words(why->resolved.notes);
  in_words(why->fit.ways_out);
  report::WhyExtras extras;
  if (with_sensitivity) extras.sensitivity = sensitivities(why->resolved);
  return report::why_json(*why, extras);
}

std::string& last_result() {
  static std::string result;
  return result;
}

}  // namespace

extern "C" {

[[clang::export_name("ridge_allocate")]] void* ridge_allocate(std::size_t size) { return std::malloc(size); }
[[clang::export_name("ridge_free")]] void ridge_free(void* memory) { std::free(memory); }

[[clang::export_name("ridge_why")]] const char* ridge_why(const char* text, std::size_t size) {
  last_result() = answer({text, size});
  return last_result().data();
}
[[clang::export_name("ridge_result_size")]] std::size_t ridge_result_size() { return last_result().size(); }

// Debian's wasi-libc was built without the stack protector that its headers assume.
[[maybe_unused]] unsigned long __stack_chk_guard = 0x52494447;
[[noreturn]] void __stack_chk_fail() { __builtin_trap(); }
}
