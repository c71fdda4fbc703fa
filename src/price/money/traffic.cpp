#include "price/money/traffic.hpp"

#include "base/numbers_reader.hpp"

namespace ridge {

Result<ProviderTraffic> traffic_of(const NumbersEntry& entry) {
  NumbersReader reader(entry, "traffic");
  const auto has = [&](const char* name) { return entry.numbers.find(name) != entry.numbers.end(); };
  using Rate = TokensPerSecond<double>;
  ProviderTraffic out;
  if (has("output")) {
    out.output = reader.get<Rate>("output");
    out.all = has("input") ? out.output + reader.get<Rate>("input") : out.output;
    out.from = entry.numbers.find("output")->second.from;
  } else {
    out.all = reader.get<Rate>("all");
    const auto share = reader.get<Ratio<double>>("output_share");
    out.output = share * out.all;
    if (has("output_share"))
      out.by_share = Sourced<Ratio<double>>{share, entry.numbers.find("output_share")->second.from};
    if (has("all")) out.from = entry.numbers.find("all")->second.from;
  }
  if (!(out.output.value() > 0)) reader.complain("there is no output", "give output, or all and output_share");
  return reader.made(out);
}

}  // namespace ridge
