// Claims about racks: a layer over several, a pipeline of them, one expert over several chips.

#include "layout/racks.hpp"

#include <algorithm>

#include "claims/computations.hpp"

namespace ridge {

namespace {

constexpr const char* kCoarse = "mixtral-8x7b";

BytesPerSecond<double> scale_up(Inputs& in, const char* name) {
  const Machine machine = in.machine(name);
  return machine.scale_up ? machine.scale_up->value : BytesPerSecond<double>{};
}

FlopsPerSecond<double> peak(Inputs& in, const char* machine, const char* format) {
  const Chip chip = in.chip(in.machine(machine).chip);
  const auto* rate = find_rate(chip.matmul, format);
  return rate == nullptr ? FlopsPerSecond<double>{} : rate->value;
}

/// The slow-down of an exchange in which a token crosses to a rack once: `chips` in all, over one rack and over `racks`.
Ratio<double> merged_slow_down(const Ratio<double>& ratio, const Ratio<double>& copies, const Ratio<double>& chips,
                               const Ratio<double>& racks) {
  Rack<double> rack;
  rack.scale_out = BytesPerSecond<double>(1.0);
  rack.scale_up = ratio * rack.scale_out;
  const auto time = [&](const Ratio<double>& over) {
    return all_to_all_over(rack, merged_all_to_all(Bytes<double>(1.0), copies, chips / over, over)).total();
  };
  return time(racks) / time(Ratio<double>(1.0));
}

/// One of `stages` equal parts of a model: a share of everything that is stored, read and computed.
DecodeCase<double> stage_of(DecodeCase<double> c, const Ratio<double>& stages) {
  const Ratio<double> share = Ratio<double>(1.0) / stages;
  c.params_dense = share * c.params_dense;
  c.params_routed = share * c.params_routed;
  c.params_lookup = share * c.params_lookup;
  c.kv_stored = share * c.kv_stored;
  c.kv_read = share * c.kv_read;
  c.attention_flops = share * c.attention_flops;
  return c;
}

/// What a token costs in chip-seconds when every stage has a machine and a micro-batch of its own.
Seconds<double> chip_time(const DecodeCase<double>& c, const Ratio<double>& stages) {
  return stages * c.chips * estimate_decode(stage_of(c, stages)).step_time / c.batch;
}

}  // namespace

std::vector<Figure> c21(Inputs& in) {
  const auto ratio = in.given<Ratio<double>>("ratio");
  const Ratio<double> two(2.0), eight(8.0);
  const Ratio<double> copies = experts_of(in.model(kModel)).per_token;
  const auto chips = in.given<Ratio<double>>("chips");
  return {figure("two_racks", "over two racks, every copy of a token sent by itself", span_slow_down(ratio, two)),
          figure("eight_racks", "the same over eight racks", span_slow_down(ratio, eight)),
          figure("h100", "two nodes of eight H100 at their own ratio", span_slow_down(in.network_ratio(kHopper), two)),
          figure("gb200", "two GB200 racks at their own ratio", span_slow_down(in.network_ratio(kBlackwell), two)),
          figure("merged", "two racks, each token sent once to the other rack and handed on there, top 8",
                 merged_slow_down(ratio, copies, chips, two)),
          figure("merged_gb200", "the same on two GB200 racks at their own ratio",
                 merged_slow_down(in.network_ratio(kBlackwell), copies, chips, two))};
}

std::vector<Figure> c23(Inputs& in) {
  const auto ratio = in.given<Ratio<double>>("ratio");
  const auto few = in.given<Ratio<double>>("experts_few"), many = in.given<Ratio<double>>("experts_many");
  const auto one = in.given<Ratio<double>>("layers_one"), two = in.given<Ratio<double>>("layers_two");
  const Ratio<double> chosen = experts_of(in.model(kModel)).per_token;
  const Ratio<double> coarse = experts_of(in.model(kCoarse)).per_token;
  return {
      figure("few", "time inside a stage over that of a hop, 8 experts a token and one layer a stage",
             hop_hidden(ratio, few, one)),
      figure("many", "the same, 32 experts and two layers", hop_hidden(ratio, many, two)),
      figure("h100_one", "DeepSeek-V3 over nodes of H100, one layer a stage",
             hop_hidden(in.network_ratio(kHopper), chosen, one)),
      figure("gb200_one", "DeepSeek-V3 over GB200 racks, one layer a stage",
             hop_hidden(in.network_ratio(kBlackwell), chosen, one)),
      figure("gb200_layers", "layers a stage of it needs there", layers_to_hide(in.network_ratio(kBlackwell), chosen)),
      figure("coarse_one", "two experts a token (Mixtral), one layer a stage", hop_hidden(ratio, coarse, one))};
}

std::vector<Figure> c24(Inputs& in) {
  const auto stages = in.given<Ratio<double>>("stages");
  const auto hop = in.given<Seconds<double>>("hop"), measured = in.given<Seconds<double>>("hop_measured");
  const DecodeCase<double> c = with_load(in.decode({kModel, kBlackwell, "", "", "fp8"}),
                                         in.given<Ratio<double>>("batch"), in.given<Tokens<double>>("context"));
  const Seconds<double> alone = estimate_decode(c).step_time;
  const Seconds<double> staged = stages * estimate_decode(stage_of(c, stages)).step_time;
  const Ratio<double> hops = stages - Ratio<double>(1.0);
  const auto cadence = in.given<Seconds<double>>("cadence");
  const DecodeCase<double> few = with_load(c, c.batch / stages, c.context);
  return {figure("latency", "a token through four stages over one, hops taken as nothing",
                 pipelined_step(staged, hops, hop) / alone),
          figure("cost", "chip time of a token over four racks, a micro-batch in each, over one",
                 chip_time(c, stages) / chip_time(c, Ratio<double>(1.0))),
          figure("latency_cadence", "latency with measured hops, at the lecture's step of 20 ms",
                 pipelined_step(cadence, hops, measured) / cadence),
          figure("latency_bound", "latency with measured hops, at the bound of a GB200 step",
                 pipelined_step(staged, hops, measured) / alone),
          figure("cost_same_users", "chip time of a token when four micro-batches share the same number of sequences",
                 chip_time(few, stages) / chip_time(c, Ratio<double>(1.0)))};
}

std::vector<Figure> c25(Inputs& in) {
  const auto batch = in.given<Ratio<double>>("batch"), stages = in.given<Ratio<double>>("stages");
  const DecodeCase<double> c =
      with_load(in.decode({kModel, kBlackwell, "", "", "fp8"}), batch, in.given<Tokens<double>>("context"));
  const DecodeEstimate<double> e = estimate_decode(c);
  const Bytes<double> sequence = e.context_stored / batch;
  const auto at = [&](const Ratio<double>& in_flight, const Ratio<double>& over) {
    return pipeline_memory(e.weights_stored, sequence, in_flight, c.chips, over);
  };
  const PipelineMemory<double> one = at(batch, Ratio<double>(1.0)), more = at(stages * batch, stages);
  Ratio<double> worst(0.0);
  for (const double many : {2.0, 4.0, 8.0, 16.0}) {
    const Ratio<double> over(many);
    const Ratio<double> moved = at(over * batch, over).context / one.context - Ratio<double>(1.0);
    worst = max(worst, max(moved, Ratio<double>(0.0) - moved));
  }
  return {figure("weights_share", "weights on a chip, four stages over one", more.weights / one.weights),
          figure("context_moved", "largest change of the context on a chip over 2 to 16 stages", worst),
          figure("weights_one", "weights on a chip of a GB200 NVL72, one stage", one.weights),
          figure("weights_four", "the same with four stages", more.weights),
          figure("context_chip", "context on a chip, whatever the stages", more.context),
          figure("context_same_users", "context on a chip if the number of sequences stayed, four stages over one",
                 at(batch, stages).context / one.context)};
}

std::vector<Figure> c26(Inputs& in) {
  const auto step = in.given<Seconds<double>>("step"), hop = in.given<Seconds<double>>("hop");
  const auto stages = in.given<Ratio<double>>("stages"), batch = in.given<Ratio<double>>("batch");
  const auto measured = in.given<Seconds<double>>("hop_measured");
  const Machine machine = in.machine(kBlackwell);
  const auto scale_out = machine.scale_out ? machine.scale_out->value : BytesPerSecond<double>(1.0);
  // every chip hands its sequences' activations, two bytes a number, to its neighbor in the next rack
  const Bytes<double> sent(2.0 * in.model(kModel).hidden * batch.value() / std::max(1.0, machine.chips.value));
  return {figure("said", "a step of 20 ms over four stages, with the speaker's hop", pipelined_step(step, stages, hop)),
          figure("measured", "with a whole dispatch between nodes, eight copies of 128 tokens, as each hop",
                 pipelined_step(step, stages, measured)),
          figure("transfer", "sending a hop's bytes over the scale-out link of a GB200", sent / scale_out),
          figure("hop_ratio", "the speaker's hop over the measured dispatch", hop / measured)};
}

std::vector<Figure> c59(Inputs& in) {
  const Experts fine = experts_of(in.model(kModel)), coarse = experts_of(in.model(kCoarse));
  const auto width = in.given<Bytes<double>>("width"), weight = in.given<Bytes<double>>("weight");
  const auto tokens = in.given<Ratio<double>>("tokens");
  const Ratio<double> two(2.0), three(3.0);
  const auto ways = [&](const Experts& experts, const Ratio<double>& matrices, const char* machine) {
    return tensor_ways(Ratio<double>(experts.size), matrices, width, scale_up(in, machine), peak(in, machine, "bf16"));
  };
  const Chip hopper = in.chip(in.machine(kHopper).chip);
  return {figure("ways", "chips that may share an expert of DeepSeek-V3 on H100, two matrices as in the rule",
                 ways(fine, two, kHopper)),
          figure("ways_gated", "the same with its three matrices", ways(fine, three, kHopper)),
          figure("ways_gb200", "three matrices on GB200", ways(fine, three, kBlackwell)),
          figure("ways_reading", "three matrices on H100, 62.5 tokens an expert: reading the weights takes longest",
                 tensor_ways_reading(Ratio<double>(fine.size), three, weight, tokens, width, scale_up(in, kHopper),
                                     hopper.bandwidth.value)),
          figure("ways_coarse", "the large experts of Mixtral, two matrices, on H100", ways(coarse, two, kHopper))};
}

}  // namespace ridge
