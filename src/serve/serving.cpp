#include "serve/serving.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "serve/answer_notes.hpp"
#include "serve/step/step_formats.hpp"

namespace ridge {

namespace {

/// Sequences that a layout would hold on this ground; 0 where a request would have no room at its longest.
double room_of(const ServingQuestion& question, const ServingGround& ground, const Layout& layout) {
  const Pool pool = pool_of(ground, layout);
  const ChipMemory memory = chip_memory(pool.operations, ground.memory_terms(),
                                        request_lengths(Tokens<double>(question.isl), Tokens<double>(question.osl)));
  return memory.longest_held.value() >= 1 ? memory.sequences.value() : 0;
}

/// Nothing fits: a wider layout, or weights of lower precision, that would.
ServingShortfall shortfall_of(const ServingQuestion& question, const Deployment& deployment, const ChipMemory& memory,
                              const Library& library) {
  const ServingGround& ground = deployment.ground;
  ServingShortfall out{deployment.layout(), memory, question.isl + question.osl, {}, 0, {}};
  for (double tensor = deployment.layout().tensor * 2; tensor <= ground.machine->chips.value; tensor *= 2) {
    const auto wider = checked(layout_with(question, tensor, *ground.model), *ground.model);
    if (!wider) continue;
    const double room = room_of(question, ground, *wider);
    if (room < 1) continue;
    out.ways_out.push_back(
        fmt::format("{}: room for {:.0f} sequences", field("tp", fmt::format("{:g}", tensor)), room));
    break;
  }
  for (const char* format : {"fp8", "nvfp4"}) {
    ServingQuestion narrow = question;
    narrow.scenario.weights = format;
    narrow.scenario.experts.reset();
    const auto changed = serving_ground(narrow, library);
    if (!changed) continue;
    const double room = room_of(question, *changed, deployment.layout());
    if (room < 1) continue;
    out.ways_out.push_back(fmt::format("{}: room for {:.0f} sequences", field("weights", format), room));
    break;
  }
  return out;
}

/// The chips that prefill have no room for one prompt.
ServingShortfall prefill_shortfall(const Deployment& deployment, const ServingEstimate& estimate, double isl) {
  ServingShortfall out{deployment.prefill.layout, estimate.prefill_memory, isl, {}, 0, {}};
  out.memory.sequences = estimate.prefill_sequences;
  out.notes.push_back(fmt::format("this is the prefill layout; give it another ({})", field("prefill_layout")));
  return out;
}

/// More requests a second than it can finish.
ServingShortfall rate_shortfall(const Deployment& deployment, const ServingEstimate& estimate, double rate,
                                double share) {
  ServingShortfall out{deployment.layout(), estimate.memory, 0, {}, rate / share, {}};
  const double replicas = std::ceil(share * deployment.layout().replicas / kBusy);
  out.ways_out.push_back(field("replicas", fmt::format("{:.0f}", replicas)));
  return out;
}

/// By the names of their entries; a repository stays the checkpoint.
ServingQuestion named_question(ServingQuestion question, const ServingGround& ground, const ServingGround* elsewhere) {
  Scenario& scenario = question.scenario;
  if (question.checkpoint.empty() && scenario.model.find('/') != std::string::npos)
    question.checkpoint = scenario.model;
  scenario.model = ground.model->name;
  scenario.machine = ground.machine->name;
  if (question.prefill_machine && elsewhere != nullptr) question.prefill_machine = elsewhere->machine->name;
  question.engine = ground.engine.name;
  question.token_budget = ground.engine.token_budget;
  if (ground.shape.ggml) question.ubatch = ground.engine.ubatch;
  return question;
}

void note_disaggregation(const Deployment& deployment, std::vector<std::string>& notes) {
  notes.push_back(prefill_busy_note());
  if (!deployment.ground.networked())
    notes.push_back("the machine has no scale-out network: KV transfer is not counted");
  if (!deployment.prefill_elsewhere) return;
  const ServingGround &prefill = *deployment.prefill_elsewhere, &decode = deployment.ground;
  for (std::string& note : notes_of_prefill(prefill, decode)) add_once(notes, std::move(note));
}

/// Requests of a replica that memory and the engine's own limit let run.
double most_at_work(const ServingAnswer& answer) {
  const double room = answer.estimate.memory.sequences.value();
  return std::min(room, answer.ground().engine.most_running.value_or(room));
}

void note_load(const ServingAnswer& answer, std::vector<std::string>& notes) {
  const ServingGround& ground = answer.ground();
  const double in_flight = answer.load.concurrency, room = most_at_work(answer);
  if (in_flight > room) {
    const bool limited = room < answer.estimate.memory.sequences.value();
    notes.push_back(fmt::format("{:.0f} of {:.0f} requests wait {}: no time to the first token is given",
                                in_flight - room, in_flight,
                                limited ? fmt::format("(a replica runs {:g} at once)", room) : "for memory"));
  }
  if (!answer.load.decodes())
    notes.push_back("one output token: prefill gives it, nothing is decoded, and there is no TPOT to speak of");
  if (std::string note = beyond_context(ground, answer.load); !note.empty()) notes.push_back(std::move(note));
  if (ground.engine.speculative_tokens > 0) {
    notes.push_back(fmt::format(
        "acceptance rate {} ({}); drafting a token costs {}", ground.numbers.acceptance_rate.value(),
        field("acceptance_rate"),
        ground.model->mtp_order.empty() ? "one layer of this model, and no memory" : "the model's own module"));
  }
}

bool near_saturation(const ServingAnswer& answer) {
  if (answer.rate_share > kBusy) return true;
  // where nothing is decoded all in flight stand in one queue, and wait as long as it is
  return answer.load.decodes() && answer.estimate.times.prefill_share.value() > kBusy;
}

bool has_links(const Deployment& deployment) {
  return !lacks_link(deployment.decode.operations, deployment.ground.numbers.peak) &&
         !lacks_link(deployment.prefill.operations, deployment.prefill_ground().numbers.peak);
}

}  // namespace

LoadChoice chosen_load(const ServingQuestion& question, const Deployment& deployment) {
  const double replicas = deployment.layout().replicas;
  LoadChoice out{{question.isl, question.osl, question.cached, 1}, 0, {}};
  out.load.concurrency = question.concurrency.value_or(kUsualConcurrency * replicas) / replicas;
  if (question.rate) {
    const RateLoad found = concurrency_for(deployment, out.load, *question.rate);
    out.load.concurrency = found.concurrency;
    out.rate_share = found.share;
  } else if (!question.concurrency) {
    out.notes.push_back(fmt::format("concurrency {:g} per replica ({} or {} says otherwise)", kUsualConcurrency,
                                    field("concurrency"), field("rate")));
  }
  return out;
}

Result<ServingResult> answer_at(const ServingQuestion& question, const Deployment& deployment, const LoadChoice& choice,
                                const Library& library) {
  ServingAnswer answer;
  answer.question = named_question(question, deployment.ground, deployment.prefill_elsewhere.get());
  answer.deployment = deployment;
  answer.load = choice.load;
  answer.rate_share = choice.rate_share;
  answer.estimate = evaluate(deployment, choice.load);
  const ServingGround& ground = answer.ground();
  if (answer.estimate.memory.longest_held.value() < 1)
    return ServingResult{{}, shortfall_of(question, deployment, answer.estimate.memory, library)};
  if (!fits(deployment, answer.estimate))
    return ServingResult{{}, prefill_shortfall(deployment, answer.estimate, choice.load.isl)};
  if (answer.rate_share > 1)
    return ServingResult{{}, rate_shortfall(deployment, answer.estimate, *question.rate, answer.rate_share)};
  if (!has_links(deployment)) {
    return fail({"layout",
                 fmt::format("{} needs a link between chips that {} does not have", short_name(answer.layout()),
                             ground.machine->title),
                 "a layout within one chip, or a machine with a network (ridge list machines)"});
  }
  answer.errors = errors_in(situation_of(deployment, choice.load, library), error_spread(library));
  if (question.sensitivity) answer.sensitivity = serving_sensitivity(deployment, choice.load);
  answer.notes = ground.notes;
  answer.notes.insert(answer.notes.end(), choice.notes.begin(), choice.notes.end());
  if (ground.engine.disaggregated) note_disaggregation(deployment, answer.notes);
  if (std::string note = extrapolation_of(ground); !note.empty()) answer.notes.push_back(std::move(note));
  answer.waits = answer.load.concurrency > most_at_work(answer);
  note_load(answer, answer.notes);
  if (std::string note = overlap_note(deployment, answer.load, answer.estimate); !note.empty())
    answer.notes.push_back(std::move(note));
  if (near_saturation(answer)) {
    answer.waits = true;
    answer.notes.push_back("so close to saturation TTFT depends on chance: none is given");
  }
  return ServingResult{std::move(answer), {}};
}

Result<ServingResult> answer_serving(const ServingQuestion& question, const Library& library) {
  const auto deployment = resolve(question, library);
  if (!deployment) return fail(deployment.error());
  return answer_at(question, *deployment, chosen_load(question, *deployment), library);
}

}  // namespace ridge
