#include "cli/answer_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/checkpoint/model_file.hpp"
#include "cli/board/page.hpp"
#include "cli/program.hpp"

namespace ridge::cli {

namespace {

constexpr double kSecondsOfAnHour = 3600.0;
constexpr double kUsualAnswer = 1024.0;  // tokens; the board's context is in the middle of an answer

/// What a link carries, and what changes the words of an answer and not its numbers.
constexpr std::array kCarried = std::to_array<std::string_view>(
    {"model",       "machine",     "chips", "batch", "context", "weights", "kv",  "price",         "isl",     "osl",
     "concurrency", "engine",      "tp",    "pp",    "dp",      "ep",      "cp",  "disaggregated", "html",    "derive",
     "depth",       "sensitivity", "json",  "plain", "verbose", "quiet",   "csv", "save",          "commands"});

Errors not_carried(const Arguments& arguments, std::string_view model) {
  Errors errors;
  for (const Given& given : arguments.given) {
    if (std::find(kCarried.begin(), kCarried.end(), given.key) == kCarried.end())
      errors.push_back({given.key, "does not go with --html: the board has no place for it", "leave one of them out"});
  }
  if (catalog::names_model_file(model))
    errors.push_back({"html", "a page does not carry the model's file", "ridge board, and drop the file on it"});
  return errors;
}

/// A name as a link has it.
std::string linked(std::string_view text) {
  std::string out;
  for (const char sign : text) {
    const bool plain = (sign >= '0' && sign <= '9') || (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') ||
                       std::string_view("-_.~:/@").find(sign) != std::string_view::npos;
    out += plain ? std::string(1, sign) : fmt::format("%{:02X}", static_cast<unsigned char>(sign));
  }
  return out;
}

class Link {
 public:
  Link& add(std::string_view key, std::string_view text) {
    text_ += fmt::format("{}{}={}", text_.empty() ? "" : "&", key, linked(text));
    return *this;
  }
  Link& add(std::string_view key, double number) { return add(key, fmt::format("{}", number)); }
  std::string text() const { return text_; }

 private:
  std::string text_;
};

/// Lengths whose middle is this context.
void add_context(Link& link, double context) {
  const double answer = context > kUsualAnswer / 2 ? kUsualAnswer : 2.0;
  link.add("isl", std::max(1.0, std::round(context - answer / 2))).add("osl", answer);
}

}  // namespace

Result<std::string> board_link(const Arguments& arguments, const ResolvedCase& resolved) {
  if (Errors errors = not_carried(arguments, arguments.text("model")); !errors.empty()) return fail(std::move(errors));
  Link link;
  link.add("model", resolved.model).add("machine", resolved.machine).add("batch", resolved.numbers.batch.value());
  add_context(link, resolved.numbers.context.value());
  link.add("kv", arguments.text("kv"));
  if (arguments.has("weights")) link.add("weights", arguments.text("weights"));
  if (arguments.has("chips") || resolved.named_chips) link.add("chips", resolved.numbers.chips.value());
  if (arguments.has("price")) link.add("price", resolved.numbers.price.value() * kSecondsOfAnHour);
  return link.text();
}

Result<std::string> board_link(const Arguments& arguments, const ServingQuestion& question) {
  Errors errors = not_carried(arguments, question.scenario.model);
  if (!question.concurrency)
    errors.push_back({"html", "needs requests in flight: the board has no rate", "add --concurrency"});
  if (!errors.empty()) return fail(std::move(errors));
  Link link;
  link.add("model", question.scenario.model)
      .add("machine", question.scenario.machine)
      .add("batch", *question.concurrency);
  link.add("isl", question.isl).add("osl", question.osl).add("kv", question.scenario.kv.value_or(""));
  if (question.scenario.weights) link.add("weights", *question.scenario.weights);
  link.add("engine", question.engine);
  for (const GivenInput& one : question.scenario.given) {
    if (one.key == "price") link.add("price", one.value * kSecondsOfAnHour);
  }
  std::string layout;
  for (const auto& [name, ways] : {std::pair{"tp", question.tensor},
                                   {"pp", question.pipeline},
                                   {"cp", question.context},
                                   {"dp", question.attention_data},
                                   {"ep", question.expert}}) {
    if (ways) layout += fmt::format("{}{}{}", layout.empty() ? "" : " ", name, *ways);
  }
  if (question.disaggregated) layout += layout.empty() ? "disaggregated" : " disaggregated";
  link.add("layout", layout.empty() ? "tp1" : layout).add("read", "calibrated");
  return link.text();
}

Result<int> write_answer_page(const Arguments& arguments, const Result<std::string>& link) {
  if (!link) return fail(link.error());
  const auto page = page_of_answer(*link, arguments.text("derive", "step_time"));
  if (!page) return fail(page.error());
  return write(arguments.text("html"), *page);
}

}  // namespace ridge::cli
