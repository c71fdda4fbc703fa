#include "train/plan/pipelining.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge {

namespace {

constexpr double kServedSequences = 64, kServedContext = 8192;

PipelineVerdict verdict_of(const TrainingGround& ground, const AskedLayout& asked) {
  PipelineVerdict out{ground.machine->title, ground.fabric.domain, ground.load.batch, {}, {}};
  AskedLayout one = asked;
  one.virtual_stages.reset();
  one.pipeline = 1;
  out.flat = search_training(ground, one).best;
  for (const double stages : {2.0, 4.0, 8.0, 16.0}) {
    if (stages > ground.model->layers() || std::fmod(ground.chips, stages) != 0) continue;
    one.pipeline = stages;
    auto found = search_training(ground, one).best;
    if (found && (!out.staged || found->times.step < out.staged->times.step)) out.staged = std::move(found);
  }
  return out;
}

}  // namespace

double PipelineVerdict::gain() const { return flat && staged ? (flat->times.step / staged->times.step).value() : 0; }

PipeliningArgument argue_pipelining(const TrainingGround& ground, const std::vector<TrainingGround>& others,
                                    const AskedLayout& asked) {
  PipeliningArgument out;
  out.sequences = kServedSequences;
  out.context = kServedContext;
  double elements = 0;
  for (const ContextTerm& term : context_terms(*ground.model)) elements += stored_elements(term, kServedContext);
  const double weights = count_parameters(*ground.model).total() * kActivationBytes;
  for (const double stages : {1.0, 2.0, 4.0, 8.0}) {
    if (stages > ground.model->layers()) continue;
    // every stage keeps its layers' part of the cache for the sequences of all stages: the parts cancel
    const double in_flight = kServedSequences * stages;
    out.served.push_back({stages, Bytes<double>(weights / stages), in_flight,
                          Bytes<double>(in_flight * elements * kActivationBytes / stages), stages - 1});
  }
  std::vector<double> domains = {8, 64, ground.fabric.domain};
  std::sort(domains.begin(), domains.end());
  domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
  for (const double domain : domains) {
    if (domain > ground.chips) continue;
    for (const double factor : {0.25, 1.0, 4.0}) {
      TrainingGround other = ground;
      other.fabric.domain = domain;
      other.load.batch = std::max(1.0, std::round(ground.load.batch * factor));
      out.domains.push_back(verdict_of(other, asked));
    }
  }
  for (const TrainingGround& other : others) out.generations.push_back(verdict_of(other, asked));
  return out;
}

}  // namespace ridge
