#include "report/calibrate/results_text.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "report/base/listing_text.hpp"
#include "report/calibrate/result_words.hpp"

namespace ridge::report {

namespace {

std::string number_cell(const std::optional<double>& value, double unit = 1) {
  return value ? significant(*value * unit, *value * unit >= 1000 ? 4 : 3) : std::string(kNotStated);
}

/// What the results of a file are of: tool, engine, model, hardware, layout.
std::string of_text(const BenchmarkResult& r) {
  std::vector<std::string> parts = {r.tool +
                                    (r.version.empty() || r.version == r.engine_version ? "" : " " + r.version)};
  if (!r.engine.empty()) parts.push_back(r.engine + (r.engine_version.empty() ? "" : " " + r.engine_version));
  if (!r.model.empty()) parts.push_back(r.model + (r.format.empty() ? "" : " " + r.format));
  if (!r.hardware.empty()) parts.push_back(r.hardware);
  if (r.tensor) parts.push_back(fmt::format("TP{:g}", *r.tensor));
  if (r.pipeline && *r.pipeline > 1) parts.push_back(fmt::format("PP{:g}", *r.pipeline));
  if (r.attention_data && *r.attention_data > 1) parts.push_back(fmt::format("DP{:g}", *r.attention_data));
  if (r.expert && *r.expert > 1) parts.push_back(fmt::format("EP{:g}", *r.expert));
  return joined(parts, ", ");
}

using Members = std::vector<const HeldResult*>;

std::string memory_table(const Members& members, const Style& style) {
  constexpr double kGi = 1.0 / (1024.0 * 1024 * 1024);
  Listing listing{{{"start"}, {"weights GiB/chip"}, {"KV cache GiB/chip"}, {"KV tokens"}}, {}};
  for (const HeldResult* one : members) {
    const BenchmarkResult& r = one->result;
    listing.rows.push_back({fmt::format("{}", listing.rows.size() + 1), number_cell(r.weight_bytes, kGi),
                            number_cell(r.kv_bytes, kGi),
                            r.kv_tokens ? with_commas(*r.kv_tokens) : std::string(kNotStated)});
  }
  return listing_text(listing, style);
}

std::string load_table(const Members& members, const Style& style) {
  const bool predicted = std::any_of(members.begin(), members.end(), [](const auto* one) { return one->predicted; });
  Listing listing{{{"run"}, {"ISL"}, {"OSL"}, {"load"}, {"TTFT ms"}, {"TPOT ms"}, {"out tok/s"}}, {}};
  if (predicted) listing.columns.insert(listing.columns.end(), {{"predicted ms"}, {"error"}});
  for (const HeldResult* one : members) {
    const BenchmarkResult& r = one->result;
    const std::string part = file_and_part(r.place).second;
    std::vector<std::string> cells = {
        part.empty() ? std::string(name_of(r.kind)) : part,
        r.depth ? fmt::format("{}+{:g}", number_cell(r.isl ? r.isl : 0), *r.depth) : number_cell(r.isl),
        number_cell(r.osl),
        load_cell(r),
        number_cell(r.ttft.typical(), 1e3),
        number_cell(r.tpot.typical(), 1e3),
        number_cell(r.output_rate)};
    if (predicted) {
      cells.push_back(one->predicted ? significant(one->prediction * 1e3, 3) : std::string(kNotStated));
      cells.push_back(one->predicted ? fmt::format("{:+.0f} %", 100 * one->error()) : std::string(kNotStated));
    }
    listing.rows.push_back(std::move(cells));
  }
  return listing_text(listing, style);
}

std::string sentences_of(const Members& members, const Style& style) {
  Sentences faults(members.size()), bounds(members.size()), notes(members.size()), missing(members.size()),
      unpredicted(members.size()), settings(members.size());
  for (const HeldResult* one : members) {
    const std::string run = file_and_part(one->result.place).second;
    for (const std::string& text : one->result.faults) faults.add(text, run);
    for (const std::string& text : one->result.notes) notes.add(text, run);
    for (const std::string& text : one->notes) notes.add(text, run);
    if (!one->result.missing.empty()) missing.add(joined(one->result.missing, ", "), run);
    if (one->beats_bound())
      bounds.add(fmt::format("{} ms is faster than the bound of {} ms", significant(one->measured * 1e3, 3),
                             significant(one->bound * 1e3, 3)),
                 run);
    if (one->predicted) settings.add(one->setting, run);
    if (!one->unpredicted.empty()) unpredicted.add(one->unpredicted, run);
  }
  return settings.text("predicted for ", style) + warn(style, bounds.text("impossible: ", style)) +
         warn(style, faults.text("no anchor: ", style)) + missing.text("not stated: ", style) +
         unpredicted.text("no prediction: ", style) + notes.text("note: ", style);
}

}  // namespace

std::string results_text(const ResultsReport& report, const Style& style) {
  std::vector<std::string> order;
  std::map<std::string, Members> files;
  for (const HeldResult& one : report.results) {
    const std::string file = file_and_part(one.result.place).first;
    if (!files.contains(file)) order.push_back(file);
    files[file].push_back(&one);
  }
  std::string out;
  for (const std::string& file : order) {
    const Members& members = files.at(file);
    out += (out.empty() ? "" : "\n") + bold(style, clipped(file, style.columns)) + "\n";
    Members loads, starts;
    std::vector<std::string> of;
    for (const HeldResult* one : members) {
      (one->result.kind == ResultKind::start_up ? starts : loads).push_back(one);
      add_once(of, of_text(one->result));
    }
    for (const std::string& one : of) out += wrapped(one, style.columns, 2) + "\n";
    if (!loads.empty()) out += load_table(loads, style);
    if (!starts.empty()) out += memory_table(starts, style);
    out += sentences_of(members, style);
  }
  for (const Error& error : report.refused) {
    out += "\n" + bold(style, clipped(error.where, style.columns)) + "\n" +
           wrapped("refused: " + error.what + (error.hint.empty() ? "" : "; " + error.hint), style.columns, 2) + "\n";
  }
  return out;
}

std::string anchor_text(const AnchorAnswer& answer, const Style& style) {
  const std::size_t count = answer.lines.size();
  std::string out = bold(style, fmt::format("Anchored by {} measured {}", count, count == 1 ? "run" : "runs")) + "\n";
  Listing runs{{{"run"}, {"figure"}, {"measured ms"}, {"bound ms"}, {"before ms"}, {"error"}, {"after ms"}, {"error"}},
               {}};
  for (const AnchorLine& line : answer.lines) {
    const double after = answer.left_out ? line.left_out : line.after;
    const auto error = [&](double predicted) {
      return fmt::format("{:+.0f} %", 100 * (predicted / line.measured - 1));
    };
    const auto ms = [](double seconds) { return significant(seconds * 1e3, 3); };
    const auto [file, part] = file_and_part(line.name);
    const std::string name = file.substr(file.rfind('/') + 1);  // npos + 1 is 0
    runs.rows.push_back({part.empty() ? name : name + ": " + part, line.figure, ms(line.measured), ms(line.bound),
                         ms(line.before), error(line.before), ms(after), error(after)});
  }
  out += listing_text(runs, style) + "\n";
  const std::string errors =
      fmt::format("mean error {:.1f} % before, {:.1f} % after", 100 * answer.before, 100 * answer.after);
  out += wrapped(answer.left_out
                     ? errors + ": each run predicted by a fit to the others"
                     : errors + ", on the run that was fitted: there is one, so nothing was left out to judge by",
                 style.columns, 0) +
         "\n\n";
  Listing moved{{{"number"}, {"factor"}, {"known to before"}, {"after"}, {"", "", true}}, {}};
  for (const AnchorFactor& one : answer.fit.factors) {
    const Moved moved_by = moved_of(one);
    moved.rows.push_back({one.owner + " " + one.name, fmt::format("{:.3f}", one.value),
                          fmt::format("{:.0f} %", 100 * one.prior), fmt::format("{:.0f} %", 100 * one.spread),
                          moved_by == Moved::yes ? fmt::format("{:.0f} % of the doubt gone", 100 * one.narrowed())
                          : moved_by == Moved::together ? "moved with the others; alone as unsure as before"
                                                        : "not moved: these runs say nothing of it"});
  }
  out += listing_text(moved, style);
  for (const RefusedAnchor& one : answer.refused)
    out += "\n" + warn(style, wrapped(fmt::format("not absorbed: {}: {}", one.name, one.why), style.columns, 2)) + "\n";
  std::vector<std::string> notes;
  for (const AnchorLine& line : answer.lines) {
    for (const std::string& note : line.notes) add_once(notes, note);
  }
  for (const std::string& note : notes) out += wrapped("note: " + note, style.columns, 2) + "\n";
  return out;
}

}  // namespace ridge::report
