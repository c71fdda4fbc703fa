// Claims about machines: sweeping the memory, the scale-up domain, the network beyond it, what fits.

#include "claims/computations.hpp"

namespace ridge {

namespace {

constexpr const char* kRubin = "rubin-nvl144";
constexpr const char* kRubinUltra = "rubin-ultra-nvl576";

/// A machine with any model, its memory as printed on the datasheet.
DecodeCase<double> printed(Inputs& in, const std::string& machine) {
  return with_nameplate(in.decode({kDense, machine}), in.chip(in.machine(machine).chip));
}

Seconds<double> sweep_printed(Inputs& in, const std::string& machine) {
  return estimate_decode(printed(in, machine)).sweep_time;
}

Seconds<double> sweep_visible(Inputs& in, const std::string& machine) {
  return estimate_decode(in.decode({kDense, machine})).sweep_time;
}

Ratio<double> chips_of(Inputs& in, const std::string& machine) { return in.machine(machine).chips.value; }

}  // namespace

std::vector<Figure> c12(Inputs& in) {
  DecodeCase<double> said = printed(in, kRubin);
  said.hbm_bandwidth = in.given<BytesPerSecond<double>>("rubin_bandwidth");
  return {figure("rubin_said", "Rubin at the bandwidth the speaker gives", estimate_decode(said).sweep_time),
          figure("rubin", "Rubin as last announced", sweep_printed(in, kRubin)),
          figure("b200", "B200, nameplate", sweep_printed(in, "hgx-b200")),
          figure("h200", "H200, nameplate", sweep_printed(in, "hgx-h200")),
          figure("h100", "H100, nameplate", sweep_printed(in, kHopper)),
          figure("a100", "A100 80 GB, nameplate", sweep_printed(in, "hgx-a100")),
          figure("b200_visible", "B200, all its driver shows", sweep_visible(in, "hgx-b200")),
          figure("h200_visible", "H200, all its driver shows", sweep_visible(in, "hgx-h200")),
          figure("h100_visible", "H100, all its driver shows", sweep_visible(in, kHopper)),
          figure("a100_visible", "A100 80 GB, all its driver shows", sweep_visible(in, "hgx-a100"))};
}

std::vector<Figure> c22(Inputs& in) {
  const auto scale_up = [&](const std::string& name) {
    const Machine machine = in.machine(name);
    return machine.scale_up ? machine.scale_up->value : BytesPerSecond<double>{};
  };
  const auto scale_out = [&](const std::string& name) {
    const Machine machine = in.machine(name);
    return machine.scale_out ? machine.scale_out->value : BytesPerSecond<double>{};
  };
  return {figure("h100", "HGX H100", in.network_ratio(kHopper)),
          figure("gb200", "GB200 NVL72 with 400 Gbit/s a chip", in.network_ratio(kBlackwell)),
          figure("gb200_fast", "GB200 NVL72 with 800 Gbit/s a chip",
                 scale_up(kBlackwell) / in.given<BytesPerSecond<double>>("fast_scale_out")),
          figure("h800", "HGX H800, datasheet", in.network_ratio("hgx-h800")),
          figure("h800_reached", "HGX H800, scale-up as reached",
                 in.given<BytesPerSecond<double>>("h800_reached") / scale_out("hgx-h800")),
          figure("gb300", "GB300 NVL72", in.network_ratio("gb300-nvl72")),
          figure("rubin", "Rubin NVL144, announced", in.network_ratio(kRubin))};
}

std::vector<Figure> c27(Inputs& in) {
  const Ratio<double> hopper = chips_of(in, kHopper), blackwell = chips_of(in, kBlackwell),
                      rubin = chips_of(in, kRubin), ultra = chips_of(in, kRubinUltra);
  const auto ultra_dies = in.given<Ratio<double>>("ultra_dies");
  return {figure("hopper", "chips in a Hopper scale-up domain", hopper),
          figure("blackwell", "chips in a Blackwell scale-up domain", blackwell),
          figure("ultra_dies", "Rubin Ultra, counted in dies", ultra_dies),
          figure("ultra_packages", "Rubin Ultra, counted in packages", ultra),
          figure("genuine_dies", "Rubin Ultra over Rubin, both in dies",
                 ultra_dies / in.given<Ratio<double>>("rubin_dies")),
          figure("genuine_packages", "Rubin Ultra over Rubin, both in packages", ultra / rubin),
          figure("blackwell_growth", "Blackwell over Hopper", blackwell / hopper),
          figure("mixed_growth", "Rubin Ultra's dies over Blackwell's packages, as the names suggest",
                 ultra_dies / blackwell)};
}

std::vector<Figure> c28(Inputs& in) {
  const DecodeCase<double> hopper = in.decode({kModel, kHopper}), blackwell = in.decode({kModel, kBlackwell});
  const auto bandwidth = [](const DecodeCase<double>& c) { return c.chips * c.hbm_bandwidth; };
  const Ratio<double> growth = bandwidth(blackwell) / bandwidth(hopper);
  const Ratio<double> floor_growth = estimate_decode(hopper).floor_all / estimate_decode(blackwell).floor_all;
  const Ratio<double> domain = blackwell.chips / hopper.chips, chip = blackwell.hbm_bandwidth / hopper.hbm_bandwidth;
  return {
      figure("floor_follows", "gain of the latency floor over growth of the domain's bandwidth", floor_growth / growth),
      figure("domain_over_chip", "growth by the domain's size over growth by the chip", domain / chip),
      figure("hopper", "bandwidth of eight H100", bandwidth(hopper)),
      figure("blackwell", "bandwidth of a GB200 NVL72", bandwidth(blackwell)),
      figure("growth", "the second over the first", growth),
      figure("domain", "by more chips", domain),
      figure("chip", "by a faster chip", chip),
      figure("hopper_share", "share of eight H100's memory DeepSeek-V3 takes",
             estimate_decode(hopper).weights_stored / estimate_decode(hopper).memory_there)};
}

std::vector<Figure> c29(Inputs& in) {
  const auto params = in.given<Params<double>>("params");
  const auto stored = [&](const std::string& format) {
    DecodeCase<double> c = in.decode({.model = kDense, .machine = kBlackwell, .weights = format});
    c.params_dense = params;
    c.params_routed = c.params_lookup = {};
    return estimate_decode(c).weights_stored;
  };
  return {
      figure("hopper", "memory of eight H100, nameplate", estimate_decode(printed(in, kHopper)).memory_there),
      figure("blackwell", "memory of a GB200 NVL72, nameplate", estimate_decode(printed(in, kBlackwell)).memory_there),
      figure("trillion", "a trillion parameters in fp8", stored("fp8")),
      figure("trillion_bf16", "a trillion parameters in bf16", stored("bf16")),
      figure("trillion_fp4", "a trillion parameters in NVFP4 with its scales", stored("nvfp4")),
      figure("hopper_visible", "memory of eight H100, all the drivers show",
             estimate_decode(in.decode({kDense, kHopper})).memory_there),
      figure("blackwell_visible", "memory of a GB200 NVL72, all the drivers show",
             estimate_decode(in.decode({kDense, kBlackwell})).memory_there)};
}

std::vector<Figure> c30(Inputs& in) {
  const DecodeCase<double> c = in.decode({kModel, kBlackwell});
  const auto batch = in.given<Ratio<double>>("batch");
  const auto often = in.given<Ratio<double>>("stages");
  const auto at = [&](const Tokens<double>& context) { return estimate_decode(with_load(c, batch, context)); };
  const auto stages = [&](const Tokens<double>& context) {
    return at(context).weights_stored / at(context).context_stored;
  };
  const auto longer = in.given<Tokens<double>>("long_context"), mean = in.given<Tokens<double>>("mean_context");
  return {figure("stages_long", "stages at which a rack holds as many bytes of weights as of context, long context",
                 stages(longer)),
          figure("stages_mean", "the same at the mean context of a production service", stages(mean)),
          figure("shortest_context", "context below which two stages are not enough", mean * (stages(mean) / often)),
          figure("fits_long", "share of one rack's memory needed at the long context",
                 at(longer).memory_needed / at(longer).memory_there),
          figure("fits_mean", "share of one rack's memory needed at the mean context",
                 at(mean).memory_needed / at(mean).memory_there)};
}

}  // namespace ridge
