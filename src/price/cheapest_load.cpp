#include "price/cheapest_load.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/unit_text.hpp"

namespace ridge {

namespace {

constexpr double kMostInFlight = 4096;

}  // namespace

DollarsPerToken<double> cost_of(const ServingAnswer& answer) {
  return DollarsPerToken<double>(answer.chips_in_all * answer.price / answer.total_rate);
}

void choose_load(ServingAnswer& answer, const TpotPromise& promise, const Library& library) {
  ServingQuestion question = held(answer);
  std::optional<ServingAnswer> best;
  for (double each = 1; each <= std::min(kMostInFlight, answer.memory.sequences); each *= 2) {
    question.concurrency = each * answer.layout.replicas;
    const auto tried = answer_serving(question, library);
    if (!tried || !tried->answer || promise.tpot < tried->answer->times.tpot) continue;
    if (!best || cost_of(*tried->answer) < cost_of(*best)) best = std::move(*tried->answer);
  }
  if (!best) {
    answer.notes.push_back(fmt::format("no load keeps {} a token on this layout: {:g} in flight instead",
                                       show(promise.tpot), answer.concurrency));
    return;
  }
  // how the layout came about was said of the first answer; the load is said here
  std::vector<std::string> notes = std::move(answer.notes);
  std::erase_if(notes, [](const std::string& note) { return note.find("in flight") != std::string::npos; });
  notes.push_back(fmt::format("{:g} requests in flight: the cheapest that keeps {} a token{}", best->concurrency,
                              show(promise.tpot), promise.given ? "" : " (default)"));
  answer = std::move(*best);
  answer.notes = std::move(notes);
}

}  // namespace ridge
