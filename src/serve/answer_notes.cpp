#include "serve/answer_notes.hpp"

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge {

std::string kv_note(const ServingGround& ground) {
  return fmt::format("KV cache in {}, as {} ({} says otherwise)", ground.kv,
                     ground.kv_released ? "the checkpoint says" : "engines choose on this chip", field("kv"));
}

std::vector<std::string> notes_of_prefill(const ServingGround& prefill, const ServingGround& decode) {
  std::vector<std::string> notes;
  const BytesPerSecond<double> one = prefill.numbers.peak.scale_out, other = decode.numbers.peak.scale_out;
  notes.push_back(
      fmt::format("prefill on {}, decode on {}: the KV cache moves over the slower scale-out link, {} a chip",
                  prefill.machine->title, decode.machine->title, show(one < other ? one : other)));
  if (prefill.chip->vendor != decode.chip->vendor)
    notes.push_back(
        fmt::format("chips of {} and of {}: no engine of the catalog is known to send a KV cache from one to the other",
                    prefill.chip->vendor, decode.chip->vendor));
  for (const std::string& note : {extrapolation_of(prefill), assumed_price_of(prefill)}) {
    if (!note.empty()) notes.push_back(fmt::format("{}: {}", prefill.machine->name, note));
  }
  return notes;
}

std::string beyond_context(const ServingGround& ground, const RequestLoad& load) {
  const double tokens = load.isl + load.osl, limit = ground.model->context_limit;
  if (!(limit > 0 && tokens > limit)) return "";
  return fmt::format("{:g} tokens are more than the model's context of {:g}: engines refuse such requests", tokens,
                     limit);
}

std::string prefill_busy_note() {
  return fmt::format("prefill replicas are taken to be {:.0f}% utilized", 100 * kPrefillBusy);
}

// Halves that hide each other's network read all weights twice: where there is little network to hide, that is slower.
std::string overlap_note(const Deployment& deployment, const RequestLoad& load, const ServingEstimate& estimate) {
  if (deployment.ground.engine.overlap != Overlap::two || !load.decodes()) return "";
  Deployment plain = deployment;
  plain.ground.engine.overlap = Overlap::none;
  const ServingEstimate without = evaluate(plain, load);
  if (!(without.times.tpot < estimate.times.tpot)) return "";
  return fmt::format(
      "{} is slower here than none: its two halves take {}, one whole step takes {} with {} of network in it; each "
      "half reads all weights and fills the kernels less",
      field("overlap", "two-batch"), show(estimate.times.decode_step), show(without.times.decode_step),
      show(without.step.wire()));
}

}  // namespace ridge
