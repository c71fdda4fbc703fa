#include "simulate/answer/answer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "serve/answer_notes.hpp"
#include "simulate/question_check.hpp"

namespace ridge::simulate {

namespace {

/// Requests a second of an open loop; nothing where requests wait for others' answers.
std::optional<double> asked_rate(const ClientRules& client) {
  if (const auto* loop = std::get_if<OpenLoop>(&client.arrivals)) return loop->rate;
  if (const auto* sessions = std::get_if<Sessions>(&client.arrivals)) {
    if (sessions->rate > 0) return sessions->rate * sessions->turns;
    return {};
  }
  if (const auto* replay = std::get_if<Replay>(&client.arrivals)) {
    if (const double rate = own_rate(*replay->trace); rate > 0) return rate * replay->speed;
  }
  return {};
}

double users_of(const ClientRules& client) {
  if (const auto* loop = std::get_if<ClosedLoop>(&client.arrivals)) return static_cast<double>(loop->users);
  if (const auto* sessions = std::get_if<Sessions>(&client.arrivals)) return static_cast<double>(sessions->users);
  return kUsualConcurrency;
}

/// Prompts that a session's turns share, or a system prompt, as a share of all prompt tokens.
double shared_share(const ClientRules& client, double isl) {
  if (const auto* sessions = std::get_if<Sessions>(&client.arrivals)) {
    const double fresh = client.prompt.mean();
    return std::clamp(1 - (fresh + (client.system_tokens + 0.0) / sessions->turns) / isl, 0.0, 0.99);
  }
  return client.system_prompts == 0 ? 0 : std::clamp(client.system_tokens / isl, 0.0, 0.99);
}

double cached_share(const SimulationResult& result, std::int64_t tokens) {
  const auto prompts = static_cast<double>(result.counts.prompt_tokens);
  return prompts > 0 ? static_cast<double>(tokens) / prompts : 0;
}

void note_short_run(const SimulationAnswer& answer, std::vector<std::string>& notes) {
  const SimulationResult& result = answer.result;
  if (!answer.asked.question.client.is_open() || result.saturated || result.all.e2e.count() == 0) return;
  const double served = result.service_time();
  if (result.duration < kSteadyLives * served) {
    notes.push_back(fmt::format("requests take {} and the run {}: too short to be steady; send more ({})",
                                show(Seconds<double>(served)), show(Seconds<double>(result.duration)),
                                field("requests")));
  }
}

}  // namespace

double SimulationAnswer::chips() const {
  const auto& pool = asked.simulated.setup.prefill;
  return layout().chips() + (pool ? pool->replicas * asked.simulated.deployment->prefill.layout.chips() : 0);
}

double SimulationAnswer::bill() const {
  return asked.simulated.deployment->bill(chips()) / ground().numbers.utilization.value();
}

double SimulationAnswer::cost() const { return result.output_rate() > 0 ? bill() / result.output_rate() : 0; }

double SimulationAnswer::cost_of_all() const {
  const auto tokens = static_cast<double>(result.prompt_tokens + result.output_tokens);
  return tokens > 0 ? bill() * result.duration / tokens : 0;
}

double SimulationAnswer::hit_rate() const { return cached_share(result, result.counts.cached_tokens); }

double SimulationAnswer::fetched_rate() const { return cached_share(result, result.counts.fetched_tokens); }

Result<Readiness> ready(const SimulationQuestion& question, const Library& library) {
  if (Errors errors = checked_question(question); !errors.empty()) return fail(std::move(errors));
  auto simulated = resolve(question, library);
  if (!simulated) return fail(simulated.error());
  const Deployment& deployment = *simulated->deployment;
  ServingQuestion serving = question.serving;
  serving.isl = simulated->load.isl;
  serving.osl = simulated->load.osl;
  const double shared = question.shared ? *question.shared : shared_share(question.client, serving.isl);
  serving.cached = simulated->setup.replica.rules.prefix_cache ? shared : 0;
  serving.concurrency.reset();
  serving.rate = asked_rate(question.client);
  if (!serving.rate) serving.concurrency = users_of(question.client);
  LoadChoice choice = chosen_load(serving, deployment);
  ReadySimulation out;
  out.closed_load = choice.rate_share;
  if (serving.rate && choice.rate_share > 0) out.capacity = *serving.rate / choice.rate_share;
  choice.rate_share = std::min(1.0, choice.rate_share);  // an overload is simulated, not refused
  auto closed = answer_at(serving, deployment, choice, library);
  if (!closed) return fail(closed.error());
  if (closed->shortfall) return Readiness{{}, std::move(closed->shortfall)};
  out.closed = std::move(*closed->answer);
  out.question = question;
  out.simulated = std::move(*simulated);
  return Readiness{std::move(out), {}};
}

std::vector<std::string> notes_of(const SimulationAnswer& answer) {
  const SimulationResult& result = answer.result;
  std::vector<std::string> notes = answer.ground().notes;
  const auto& more = answer.asked.simulated.notes;
  notes.insert(notes.end(), more.begin(), more.end());
  if (std::string note = extrapolation_of(answer.ground()); !note.empty()) notes.push_back(std::move(note));
  if (const auto& prefill = answer.asked.simulated.deployment->prefill_elsewhere) {
    for (std::string& note : notes_of_prefill(*prefill, answer.ground())) notes.push_back(std::move(note));
  }
  if (result.refused > 0) {
    notes.push_back(fmt::format("{} of {} requests were refused: {}", with_commas(static_cast<double>(result.refused)),
                                with_commas(static_cast<double>(result.sent)), why_refused()));
  }
  if (result.counts.preemptions > 0) {
    notes.push_back(fmt::format("the KV cache ran out {} times: {} tokens were computed again",
                                with_commas(static_cast<double>(result.counts.preemptions)),
                                with_commas(static_cast<double>(result.counts.lost_tokens))));
  }
  if (result.failures > 0) {
    notes.push_back(fmt::format(
        "replicas failed {} times: {} times a request was lost and sent again{}; times run from its first sending",
        with_commas(static_cast<double>(result.failures)), with_commas(static_cast<double>(result.retries)),
        result.lost > 0 ? fmt::format(", {} were given up", with_commas(static_cast<double>(result.lost))) : ""));
  }
  note_short_run(answer, notes);
  if (!answer.asked.question.cold_start)
    notes.push_back(
        fmt::format("a cold start is not simulated ({}): weights, compilation and first launches come on top",
                    field("cold_start")));
  return notes;
}

}  // namespace ridge::simulate
