#include "catalog/traces/json_traces.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/traces/json_line.hpp"
#include "catalog/traces/trace_numbers.hpp"
#include "catalog/traces/trace_rows.hpp"
#include "simulate/client/random.hpp"

namespace ridge::catalog {

namespace {

constexpr std::array<std::string_view, 4> kMooncakeKeys = {"timestamp", "input_length", "output_length", "hash_ids"};
constexpr std::array<std::string_view, 8> kVllmKeys = {"request_id", "input_toks",   "output_toks",    "arrival_time",
                                                       "queued_ts",  "scheduled_ts", "first_token_ts", "last_token_ts"};
constexpr std::int32_t kMooncakeBlock = 512;
constexpr int kMilliPower = 6, kOne = 9;  // powers of ten, in nanoseconds

/// The lines of a file, each as fields.
template <std::size_t N, class Read>
void each_json_line(std::string_view text, const std::array<std::string_view, N>& keys, TraceRows& rows, Read read) {
  TraceLines lines(text, rows.limits());
  JsonLine json;
  std::array<JsonField, N> fields;
  while (rows.go_on()) {
    const auto next = lines.next();
    if (next != TraceLines::Next::line) return rows.stop_at(next, lines.number());
    const std::string wrong = json.read(lines.line(), keys, fields);
    if (!wrong.empty()) {
      rows.refuse(lines.number(), "", wrong, "a trace has one JSON object a line: is the file whole?");
      continue;
    }
    for (const std::string_view key : json.unknown_keys()) rows.ignored(key);
    read(fields, lines.number());
  }
}

/// Whether a field is a number, as a number is needed.
bool number_there(const JsonField& field, const TraceCell& cell, TraceRows& rows) {
  if (field.kind == JsonKind::number) return true;
  const bool absent = field.kind == JsonKind::absent;
  rows.refuse(cell.line, cell.column, absent ? "is missing" : "is no number",
              absent ? "every line of the trace needs it" : "a number without quotes is expected");
  return false;
}

struct JsonLengths {
  std::int32_t prompt = -1, output = -1;
  bool read() const { return prompt >= 0 && output >= 0; }
};

JsonLengths json_lengths(const JsonField& prompt, const TraceCell& prompt_cell, const JsonField& output,
                         const TraceCell& output_cell, TraceRows& rows) {
  JsonLengths lengths;
  if (number_there(prompt, prompt_cell, rows)) lengths.prompt = rows.tokens(prompt_cell);
  if (number_there(output, output_cell, rows)) lengths.output = rows.tokens(output_cell);
  return lengths;
}

/// The numbers of a list, each taken; false where one is no whole number.
template <class Take>
bool each_whole(std::string_view list, Take take) {
  std::size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < list.size() && (list[at] == ' ' || list[at] == '\t')) ++at;
  };
  skip_blanks();
  if (at == list.size()) return true;
  for (;;) {
    const std::size_t start = at;
    std::uint64_t quick = 0;  // exact up to 19 digits
    for (; at < list.size() && list[at] >= '0' && list[at] <= '9'; ++at)
      quick = quick * 10 + static_cast<std::uint64_t>(list[at] - '0');
    if (at == start) return false;
    if (at - start > 19) {
      const auto number = whole_number(list.substr(start, at - start));
      if (!number) return false;
      quick = *number;
    }
    take(quick);
    skip_blanks();
    if (at == list.size()) return true;
    if (list[at++] != ',') return false;
    skip_blanks();
  }
}

/// Names of a prompt's whole blocks. The last block of most prompts is a part of one: its name says that a prompt is the
/// same to its end, and is left out.
bool add_mooncake_blocks(const JsonField& list, const TraceCell& cell, simulate::TraceRequest& request,
                         TraceRows& rows) {
  auto& chunks = rows.trace().chunks;
  const std::size_t before = chunks.size();
  const auto whole = static_cast<std::size_t>(request.prompt / kMooncakeBlock);
  const std::size_t all = whole + (request.prompt % kMooncakeBlock == 0 ? 0 : 1);
  if (!rows.room_for_chunks(whole, cell)) return false;
  std::size_t count = 0;
  std::uint64_t name = 0;
  const bool numbers = list.kind == JsonKind::list && each_whole(list.text, [&](std::uint64_t id) {
                         name = simulate::mixed(name, id);
                         if (count++ < whole) chunks.push_back(name);
                       });
  if (numbers && (count == all || count == whole)) {
    request.first_chunk = static_cast<std::uint32_t>(before);
    request.prompt_chunks = static_cast<std::uint32_t>(whole);
    return true;
  }
  chunks.resize(before);
  if (!numbers) {
    rows.refuse(cell.line, cell.column, "is no list of whole numbers", "[0, 1, 2], one for each 512 tokens");
  } else {
    rows.refuse(cell.line, cell.column,
                fmt::format("names {} blocks, where {} tokens are {} blocks of 512", count, request.prompt, all),
                "other block sizes: write the trace as our CSV, with a column such as chunks_16");
  }
  return false;
}

/// A request as its log has it: arrival in `sent`, the engine's clock in `ttft` and `e2e` until the clocks are aligned.
struct VllmRow {
  simulate::TraceRequest request;
  simulate::Nanoseconds queued = -1;
  std::size_t line = 1;

  simulate::Nanoseconds lag() const { return queued - request.sent; }
};

/// One of the engine's times: -1 where it is not there, false where it cannot be.
bool vllm_time(const JsonField& field, const TraceCell& cell, TraceRows& rows, simulate::Nanoseconds& to) {
  if (field.kind == JsonKind::absent) return true;
  if (!number_there(field, cell, rows)) return false;
  to = rows.time(cell, kOne);
  return to >= 0;
}

bool in_order(simulate::Nanoseconds before, simulate::Nanoseconds after) {
  return before < 0 || after < 0 || before <= after;
}

std::vector<VllmRow> vllm_rows(std::string_view text, TraceRows& rows) {
  std::vector<VllmRow> log;
  each_json_line(text, kVllmKeys, rows, [&](const std::array<JsonField, 8>& fields, std::size_t line) {
    const auto cell = [&](std::size_t i) { return TraceCell{line, kVllmKeys[i], fields[i].text}; };
    const JsonLengths lengths = json_lengths(fields[1], cell(1), fields[2], cell(2), rows);
    VllmRow row;
    row.line = line;
    row.request.prompt = lengths.prompt;
    row.request.output = lengths.output;
    if (!lengths.read() || !rows.counts(row.request)) return;
    if (!number_there(fields[3], cell(3), rows)) return;
    row.request.sent = rows.time(cell(3), kOne);
    if (row.request.sent < 0 || !vllm_time(fields[4], cell(4), rows, row.queued) ||
        !vllm_time(fields[6], cell(6), rows, row.request.ttft) || !vllm_time(fields[7], cell(7), rows, row.request.e2e))
      return;
    if (!in_order(row.queued, row.request.ttft) || !in_order(row.request.ttft, row.request.e2e) ||
        !in_order(row.queued, row.request.e2e)) {
      rows.refuse(line, "", "its first or last token came before it was queued, or the last before the first",
                  "queued_ts, first_token_ts and last_token_ts are times of one clock, in this order");
      return;
    }
    if (log.size() >= rows.limits().rows) {
      rows.stop(line, "", fmt::format("is request {}", with_commas(static_cast<double>(log.size()) + 1)),
                "no more of a trace is read: give a part of it");
      return;
    }
    log.push_back(row);
  });
  return log;
}

/// From arrival to the queue, beside the shortest such way: what is known of the two clocks.
struct ClockLags {
  simulate::Nanoseconds offset = 0;                          // of the engine's clock before the wall clock
  simulate::Nanoseconds median = 0, longest = 0, drift = 0;  // drift: between the shortest of the two halves
  std::size_t known = 0;
  bool one_clock = false;
};

ClockLags clock_lags(const std::vector<VllmRow>& log) {
  constexpr simulate::Nanoseconds kSameClock = 60 * simulate::kSecond;
  std::vector<simulate::Nanoseconds> lags;
  for (const VllmRow& row : log) {
    if (row.queued >= 0) lags.push_back(row.lag());
  }
  ClockLags found;
  found.known = lags.size();
  if (lags.empty()) return found;
  const auto middle = lags.begin() + static_cast<std::ptrdiff_t>(lags.size() / 2);
  const simulate::Nanoseconds early = middle == lags.begin() ? lags.front() : *std::min_element(lags.begin(), middle);
  const simulate::Nanoseconds late = *std::min_element(middle, lags.end());
  found.drift = late - early;
  const simulate::Nanoseconds shortest = std::min(early, late);
  found.one_clock = shortest >= 0 && shortest < kSameClock;  // a wall clock is decades ahead of a machine's start
  found.offset = found.one_clock ? 0 : shortest;
  std::nth_element(lags.begin(), middle, lags.end());
  found.median = *middle - found.offset;
  found.longest = *std::max_element(lags.begin(), lags.end()) - found.offset;
  return found;
}

void note_clocks(const ClockLags& lags, std::size_t requests, TraceRows& rows) {
  constexpr simulate::Nanoseconds kNotedDrift = simulate::kSecond / 100;
  if (lags.known < requests)
    rows.note(fmt::format("{} of {} requests without queued_ts: their TTFT and E2E are not known",
                          requests - lags.known, requests));
  if (lags.known == 0) return;
  const double median = simulate::seconds(lags.median) * 1e3, longest = simulate::seconds(lags.longest) * 1e3;
  rows.note(lags.one_clock
                ? fmt::format("TTFT and E2E from arrival_time; from there to the queue {:.3g} ms (median), {:.3g} at "
                              "most",
                              median, longest)
                : fmt::format("TTFT and E2E from arrival_time; its clock aligned to queued_ts by the shortest way to "
                              "the queue, others {:.3g} ms longer (median), {:.3g} at most",
                              median, longest));
  if (!lags.one_clock && (lags.drift > kNotedDrift || lags.drift < -kNotedDrift))
    rows.note(
        fmt::format("the shortest way to the queue moved by {:.3g} ms between the halves of the log: the clocks "
                    "may have drifted, and TTFT with them",
                    simulate::seconds(lags.drift) * 1e3));
}

}  // namespace

Result<simulate::Trace> read_mooncake(std::string_view text, std::string_view place, const TraceLimits& limits) {
  TraceRows rows(place, limits);
  std::size_t without_blocks = 0;
  each_json_line(text, kMooncakeKeys, rows, [&](const std::array<JsonField, 4>& fields, std::size_t line) {
    const auto cell = [&](std::size_t i) { return TraceCell{line, kMooncakeKeys[i], fields[i].text}; };
    const JsonLengths lengths = json_lengths(fields[1], cell(1), fields[2], cell(2), rows);
    simulate::TraceRequest request;
    request.prompt = lengths.prompt;
    request.output = lengths.output;
    if (!lengths.read() || !rows.counts(request) || !number_there(fields[0], cell(0), rows)) return;
    request.sent = rows.time(cell(0), kMilliPower);
    if (request.sent < 0) return;
    if (fields[3].kind == JsonKind::absent) {
      ++without_blocks;
    } else if (!add_mooncake_blocks(fields[3], cell(3), request, rows)) {
      return;
    }
    rows.add(request, cell(0));
  });
  if (without_blocks > 0) rows.note(fmt::format("{} requests without hash_ids share nothing", without_blocks));
  if (!rows.trace().chunks.empty()) rows.trace().chunk_tokens = kMooncakeBlock;
  return rows.finish();
}

Result<simulate::Trace> read_vllm_log(std::string_view text, std::string_view place, const TraceLimits& limits) {
  TraceRows rows(place, limits);
  std::vector<VllmRow> log = vllm_rows(text, rows);
  const auto earlier = [](const VllmRow& a, const VllmRow& b) {
    return a.request.sent != b.request.sent ? a.request.sent < b.request.sent : a.line < b.line;
  };
  if (!std::is_sorted(log.begin(), log.end(), earlier)) {  // a request is logged when it has ended
    std::sort(log.begin(), log.end(), earlier);
    rows.note("the log is not in the order of arrival_time: sorted");
  }
  if (!log.empty() && log.back().request.sent - log.front().request.sent > kLongestTrace)
    rows.stop(log.back().line, "arrival_time", "is more than ten years after the first request",
              "is the time in another unit?");
  if (!rows.go_on()) return rows.finish();
  const ClockLags lags = clock_lags(log);
  note_clocks(lags, log.size(), rows);
  for (VllmRow& row : log) {
    simulate::TraceRequest& request = row.request;
    const bool known = row.queued >= 0;
    const simulate::Nanoseconds arrival = request.sent + lags.offset;  // on the engine's clock
    request.ttft = known && request.ttft >= 0 ? request.ttft - arrival : -1;
    request.e2e = known && request.e2e >= 0 ? request.e2e - arrival : -1;
    if (request.ttft > kLongestTrace || request.e2e > kLongestTrace) {
      rows.stop(row.line, "", "took more than ten years by its clocks", "is a time in another unit?");
      break;
    }
    rows.add(request, {row.line, kVllmKeys[3], {}});
  }
  return rows.finish();
}

JsonTraceReader json_trace_reader(std::string_view first_line) {
  constexpr std::array<std::string_view, 4> kLengths = {"input_length", "output_length", "input_toks", "output_toks"};
  std::array<JsonField, 4> fields;
  JsonLine json;
  if (!json.read(first_line, kLengths, fields).empty()) return nullptr;
  const auto there = [&](std::size_t i) { return fields[i].kind != JsonKind::absent; };
  if (there(0) || there(1)) return read_mooncake;
  return there(2) || there(3) ? read_vllm_log : nullptr;
}

}  // namespace ridge::catalog
