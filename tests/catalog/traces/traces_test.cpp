#include "catalog/traces/traces.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "base/text/text.hpp"
#include "catalog/facts/files.hpp"
#include "real_files.hpp"

// What each kind of file says. What it must not say: traces_hostile_test.cpp.

namespace traces_test {

using namespace ridge;
using namespace ridge::catalog;
using simulate::kSecond;
using simulate::Trace;
using simulate::TraceRequest;

constexpr simulate::Nanoseconds kMs = kSecond / 1000;

Trace read(std::string_view text, const TraceLimits& limits = {}) {
  const auto trace = read_trace(text, "sample", limits);
  CAPTURE(trace ? std::string() : trace.error().front().where + ": " + trace.error().front().what);
  REQUIRE(trace.has_value());
  return *trace;
}

bool says(const Trace& trace, std::string_view part) {
  for (const std::string& note : trace.notes) {
    if (contains(note, part)) return true;
  }
  return false;
}

std::vector<std::uint64_t> names(const Trace& trace, std::size_t request) {
  const TraceRequest& one = trace.requests[request];
  const auto first = trace.chunks.begin() + one.first_chunk;
  return {first, first + one.prompt_chunks + one.output_chunks};
}

TEST_CASE("Mooncake: milliseconds after the first request, names of whole blocks of 512 tokens") {
  const Trace trace = read(
      R"({"timestamp": 1000, "input_length": 1500, "output_length": 7, "hash_ids": [0, 1, 2]}
{"timestamp": 3040, "input_length": 1536, "output_length": 5, "hash_ids": [0, 1, 9]}
{"timestamp": 3040, "input_length": 300, "output_length": 1, "hash_ids": [4]}
)");
  REQUIRE(trace.requests.size() == 3);
  CHECK(trace.name == "sample");
  CHECK(trace.chunk_tokens == 512);
  CHECK(trace.requests[0].sent == 0);
  CHECK(trace.requests[1].sent == 2040 * kMs);
  CHECK(trace.requests[1].prompt == 1536);
  CHECK(trace.requests[1].output == 5);
  CHECK(trace.requests[1].ttft == -1);
  CHECK(trace.requests[1].session == -1);
  CHECK(trace.requests[0].prompt_chunks == 2);  // 1,500 tokens: two whole blocks and a part of a third
  CHECK(trace.requests[1].prompt_chunks == 3);
  CHECK(trace.requests[2].prompt_chunks == 0);
  const auto first = names(trace, 0), second = names(trace, 1);
  CHECK(first[0] == second[0]);
  CHECK(first[1] == second[1]);
  CHECK(trace.notes.empty());
}

TEST_CASE("Mooncake: a block's name tells what stands before it, though the file's number does not") {
  const Trace trace = read(
      R"({"timestamp": 0, "input_length": 1024, "output_length": 1, "hash_ids": [1, 5]}
{"timestamp": 0, "input_length": 1024, "output_length": 1, "hash_ids": [2, 5]}
{"timestamp": 0, "input_length": 512, "output_length": 1, "hash_ids": [5]})");
  CHECK(names(trace, 0)[1] != names(trace, 1)[1]);
  CHECK(names(trace, 0)[1] != names(trace, 2)[0]);
}

TEST_CASE("Mooncake: lists of whole blocks alone, no lists, other fields and another order are read, and said") {
  const Trace trace = read(
      R"({"hash_ids":[18446744073709551615],"output_length":1,"input_length":700,"timestamp":0.5,"type":"text","x":{"a":[1,"]"]}}
{"timestamp": 1e1, "input_length": 700.0, "output_length": 2})");
  CHECK(trace.requests[0].prompt_chunks == 1);
  CHECK(trace.requests[1].prompt_chunks == 0);
  CHECK(trace.requests[1].sent == 9'500'000);  // 10 ms - 0.5 ms
  CHECK(trace.requests[1].prompt == 700);
  CHECK(says(trace, "1 requests without hash_ids"));
  CHECK(says(trace, "not used: type, x"));
}

TEST_CASE("Azure: times to 100 ns, line ends of Windows, no end of the last line") {
  const Trace trace = read(
      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,374,44\r\n"
      "2023-11-16 18:15:50.9951691,396,109");
  REQUIRE(trace.requests.size() == 2);
  CHECK(trace.requests[1].sent == 4'314'579'100);  // 50.9951691 - 46.6805900 s
  CHECK(trace.requests[0].prompt == 374);
  CHECK(trace.requests[1].output == 109);
  CHECK(trace.chunk_tokens == 0);
  CHECK(trace.notes.empty());
}

TEST_CASE("requests without output tokens are left out and counted, and the trace begins with the first that stays") {
  const Trace trace = read(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,2162,0\n"
      "2024-05-10 00:00:01+00:00,2399,6\n2024-05-10 00:00:03+00:00,0,6\n2024-05-10 00:00:03+00:00,1,0\n");
  REQUIRE(trace.requests.size() == 1);
  CHECK(trace.requests[0].sent == 0);
  CHECK(says(trace, "2 requests without output tokens left out"));
  CHECK(says(trace, "1 request without prompt tokens left out"));
}

// The wall clock is 1,000 s ahead of the engine's. Ways from arrival to the queue: 5, 1 and 41 ms, so the shortest is 1 ms
// and times are too short by it: the first token of a is 105 ms after its arrival, counted as 104.
const std::string kVllmLog =
    R"({"request_id": "a", "input_toks": 10, "output_toks": 3, "arrival_time": 1000.000, "queued_ts": 0.005, "scheduled_ts": 0.006, "first_token_ts": 0.105, "last_token_ts": 0.305}
{"request_id": "b", "input_toks": 20, "output_toks": 4, "arrival_time": 1000.100, "queued_ts": 0.101, "scheduled_ts": 0.102, "first_token_ts": 0.201, "last_token_ts": 0.501}
{"request_id": "c", "input_toks": 30, "output_toks": 5, "arrival_time": 1000.200, "queued_ts": 0.241, "scheduled_ts": 0.242, "first_token_ts": 0.301, "last_token_ts": 0.701}
)";

TEST_CASE("vLLM: the clocks of front end and engine are aligned by the shortest way between them") {
  const Trace trace = read(kVllmLog);
  REQUIRE(trace.requests.size() == 3);
  CHECK(trace.requests[1].sent == 100 * kMs);
  CHECK(trace.requests[0].ttft == 104 * kMs);
  CHECK(trace.requests[0].e2e == 304 * kMs);
  CHECK(trace.requests[1].ttft == 100 * kMs);
  CHECK(trace.requests[2].ttft == 100 * kMs);  // 301 - 200 - 1: the 40 ms before the queue are in it
  CHECK(trace.requests[2].e2e == 500 * kMs);
  CHECK(says(trace, "others 4 ms longer (median), 40 at most"));
  CHECK(says(trace, "moved by") == false);
}

TEST_CASE("vLLM: a log in the order in which requests ended is sorted, and says so") {
  std::string turned;
  std::string_view rest = kVllmLog;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n') + 1;
    turned.insert(0, rest.substr(0, end));
    rest.remove_prefix(end);
  }
  const Trace trace = read(turned), sorted = read(kVllmLog);
  CHECK(says(trace, "not in the order of arrival_time: sorted"));
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(trace.requests[i].sent == sorted.requests[i].sent);
    CHECK(trace.requests[i].ttft == sorted.requests[i].ttft);
    CHECK(trace.requests[i].prompt == sorted.requests[i].prompt);
  }
}

TEST_CASE("vLLM: one clock for both is taken as it is") {
  const Trace trace = read(
      R"({"input_toks": 10, "output_toks": 3, "arrival_time": 7.000, "queued_ts": 7.010, "first_token_ts": 7.1, "last_token_ts": 7.3})");
  CHECK(trace.requests[0].ttft == 100 * kMs);
  CHECK(says(trace, "from there to the queue 10 ms (median), 10 at most"));
}

TEST_CASE("vLLM: clocks that drift are said to") {
  std::string log;
  for (int i = 0; i < 20; ++i) {  // the engine's clock gains 5 ms in every 100: the halves begin 50 ms apart
    const double arrival = 1000 + 0.1 * i, queued = 0.105 * i;
    log += "{\"input_toks\": 1, \"output_toks\": 2, \"arrival_time\": " + std::to_string(arrival) +
           ", \"queued_ts\": " + std::to_string(queued) + ", \"first_token_ts\": " + std::to_string(queued + 1) +
           ", \"last_token_ts\": " + std::to_string(queued + 2) + "}\n";
  }
  CHECK(says(read(log), "moved by 50 ms between the halves"));
}

TEST_CASE("vLLM: a request without a time has no TTFT, one without output is left out whatever else it lacks") {
  const Trace trace = read(
      R"({"input_toks": 10, "output_toks": 3, "arrival_time": 1000, "queued_ts": 1, "first_token_ts": 2, "last_token_ts": 3}
{"input_toks": 10, "output_toks": 3, "arrival_time": 1001, "queued_ts": null, "first_token_ts": 4, "last_token_ts": 5}
{"input_toks": 10, "output_toks": 3, "arrival_time": 1002, "queued_ts": 3, "last_token_ts": 5}
{"input_toks": 10, "output_toks": 0, "arrival_time": null, "queued_ts": null}
)");
  REQUIRE(trace.requests.size() == 3);
  CHECK(trace.requests[0].ttft == kSecond);
  CHECK(trace.requests[1].ttft == -1);
  CHECK(trace.requests[1].e2e == -1);
  CHECK(trace.requests[2].ttft == -1);
  CHECK(trace.requests[2].e2e == 2 * kSecond);
  CHECK(says(trace, "1 of 3 requests without queued_ts"));
  CHECK(says(trace, "1 request without output tokens"));
}

TEST_CASE("llama-server: seconds when sent, milliseconds measured") {
  const Trace trace = read(
      "id,send_s,prompt_tokens,output_tokens,ttft_ms,itl_mean_ms,e2e_ms,token_ms\n"
      "0,0.02912,1002,166,827.86,87.15,15207.583,827.86 1047.16\n1,0.02999,900,128,,,,\n");
  REQUIRE(trace.requests.size() == 2);
  CHECK(trace.requests[0].ttft == 827'860'000);
  CHECK(trace.requests[0].e2e == 15'207'583'000);
  CHECK(trace.requests[1].sent == 870'000);
  CHECK(trace.requests[1].ttft == -1);
  CHECK(says(trace, "not used: id, itl_mean_ms, token_ms"));
}

TEST_CASE("our CSV: prompts of a session begin with those before them, and with their outputs") {
  const Trace trace = read(
      "\xef\xbb\xbfsent_s,prompt_tokens,output_tokens,session,priority\n"
      "0,100,60,\"a, b\",0\n"  // 6 chunks of 16 in the prompt; with the output 160 tokens, 10 chunks
      "1,64,10,other,-2\n"     // alone in its session
      "2,200,30,\"a, b\",1\n"  // 12 chunks
      "3,220,8,\"a, b\",\n"    // shorter than 230: what the one before generated is not in it
      "4,500,8,,\n");
  CHECK(trace.chunk_tokens == 16);
  const auto first = names(trace, 0), third = names(trace, 2), fourth = names(trace, 3);
  CHECK(trace.requests[0].prompt_chunks == 6);
  CHECK(trace.requests[0].output_chunks == 4);
  CHECK(trace.requests[2].prompt_chunks == 12);
  CHECK(trace.requests[2].output_chunks == 0);
  CHECK(std::equal(first.begin(), first.end(), third.begin()));
  CHECK(std::equal(third.begin(), third.end(), fourth.begin()));
  CHECK(trace.requests[1].prompt_chunks == 0);
  CHECK(trace.requests[0].session == 0);
  CHECK(trace.requests[1].session == 1);
  CHECK(trace.requests[3].session == 0);
  CHECK(trace.requests[4].session == -1);
  CHECK(trace.requests[1].priority == -2);
  CHECK(trace.chunks.size() == 13);  // the longest prompt, 220 tokens, once: requests point into one list
}

TEST_CASE("our CSV: a prompt shorter than an earlier one of its session is said to be") {
  const Trace trace = read("sent_s,prompt_tokens,output_tokens,session\n0,100,6,a\n1,64,10,a\n");
  CHECK(says(trace, "1 prompts are shorter"));
  CHECK(trace.requests[1].prompt_chunks == 4);
}

TEST_CASE("our CSV: long sessions are named in larger parts, so that names stay few") {
  const std::string text = "sent_s,prompt_tokens,output_tokens,session\n0,100000,6,a\n1,102400,10,a\n";
  CHECK(read(text).chunk_tokens == 16);  // 6,400 names
  const Trace trace = read(text, {.chunks = 1000});
  CHECK(trace.chunk_tokens == 128);  // 102,400 / 128 = 800; by 64 it would be 1,600
  CHECK(trace.chunks.size() == 800);
}

TEST_CASE("our CSV: chunks by name, in any order of columns") {
  const Trace trace = read(
      "chunks_32,output_tokens,e2e_s,sent_s,prompt_tokens,ttft_s\n"
      "7 8  18446744073709551615,40,2.5,10,70,0.25\n"  // 110 tokens hold 3 chunks, the prompt 2
      ",40,,10,70,\n7,40,,11,70,\n");
  CHECK(trace.chunk_tokens == 32);
  CHECK(names(trace, 0) == std::vector<std::uint64_t>{7, 8, 18446744073709551615U});
  CHECK(trace.requests[0].prompt_chunks == 2);
  CHECK(trace.requests[0].output_chunks == 1);
  CHECK(names(trace, 1).empty());
  CHECK(names(trace, 2) == std::vector<std::uint64_t>{7});
  CHECK(trace.requests[0].ttft == kSecond / 4);
  CHECK(trace.requests[0].e2e == 5 * kSecond / 2);
  CHECK(trace.requests[2].sent == kSecond);
}

/// A real file as a trace: of RIDGE_DATA, or the part of it that is shipped.
struct RealTrace {
  Trace trace;
  bool whole;

  /// The figure of the whole file, or that of the part.
  template <class T>
  T either(T of_whole, T of_part) const {
    return whole ? of_whole : of_part;
  }
};

RealTrace real_trace(const std::string& file) {
  const testing::RealFiles found = testing::real_files(file);
  CAPTURE(found.path.string());
  const auto text = read_file(found.path.string());
  REQUIRE(text.has_value());
  return {read(*text), found.whole};
}

std::int64_t sum_of(const Trace& trace, std::int32_t TraceRequest::*field) {
  std::int64_t sum = 0;
  for (const TraceRequest& one : trace.requests) sum += one.*field;
  return sum;
}

double mean_ms(const Trace& trace, simulate::Nanoseconds TraceRequest::*field) {
  double sum = 0;
  for (const TraceRequest& one : trace.requests) sum += simulate::seconds(one.*field);
  return 1e3 * sum / static_cast<double>(trace.requests.size());
}

std::size_t names_in(const Trace& trace) {
  return std::set<std::uint64_t>(trace.chunks.begin(), trace.chunks.end()).size();
}

// The figures of real files, and of their parts, were counted in Python, apart from this program.

TEST_CASE("Mooncake's own traces are read whole, with what their prompts share") {
  const RealTrace real = real_trace("traces/mooncake_fast25_conversation_trace.jsonl");
  CHECK(real.trace.requests.size() == real.either(12'031U, 51U));
  CHECK(sum_of(real.trace, &TraceRequest::prompt) == real.either(144'793'823, 230'739));
  CHECK(sum_of(real.trace, &TraceRequest::output) == real.either(4'122'048, 24'935));
  CHECK(real.trace.requests.back().sent == real.either(3'536'999, 2'418'000) * kMs);
  CHECK(real.trace.chunks.size() == real.either(276'491U, 424U));
  CHECK(names_in(real.trace) == real.either(170'899U, 144U));
  CHECK(real.trace.notes.empty());
  const RealTrace made = real_trace("traces/mooncake_fast25_synthetic_trace.jsonl");
  CHECK(made.trace.requests.size() == made.either(3993U, 55U));
  CHECK(made.trace.chunks.size() == made.either(117'888U, 413U));
  CHECK(names_in(made.trace) == made.either(40'148U, 65U));
}

TEST_CASE("Azure's own trace is read whole") {
  const RealTrace real = real_trace("traces/azure2023_conv.csv");
  CHECK(real.trace.requests.size() == real.either(19'366U, 60U));
  CHECK(sum_of(real.trace, &TraceRequest::prompt) == real.either(22'361'870, 43'328));
  CHECK(sum_of(real.trace, &TraceRequest::output) == real.either(4'088'665, 7301));
  // 19:14:08.4025270 - 18:15:46.6805900; 18:16:16.8620890 - 18:15:46.6805900
  CHECK(real.trace.requests.back().sent == real.either(3'501'721'937'000, 30'181'499'000));
  CHECK(real.trace.notes.empty());
}

TEST_CASE("real vLLM logs: TTFT and E2E from arrival") {
  const std::string end = "_Llama-3.1-8B_requests.jsonl";
  const RealTrace slow = real_trace("traces/vllm_runs/RTX4090" + end);
  CHECK(slow.trace.requests.size() == slow.either(300U, 40U));
  CHECK(sum_of(slow.trace, &TraceRequest::output) == slow.either(195'753, 27'268));
  CHECK(mean_ms(slow.trace, &TraceRequest::ttft) == doctest::Approx(slow.either(65486.3414, 847.8032)).epsilon(1e-6));
  CHECK(mean_ms(slow.trace, &TraceRequest::e2e) == doctest::Approx(slow.either(86608.0209, 25475.5687)).epsilon(1e-6));
  CHECK(says(slow.trace, slow.either("others 15.2 ms longer (median), 201 at most",
                                     "others 73.1 ms longer (median), 186 at most")));
  CHECK(slow.trace.notes.size() == 1);
  const RealTrace fast = real_trace("traces/vllm_runs/RTXPRO6000" + end);
  CHECK(mean_ms(fast.trace, &TraceRequest::ttft) == doctest::Approx(fast.either(7119.9749, 177.2907)).epsilon(1e-6));
  CHECK(mean_ms(fast.trace, &TraceRequest::e2e) == doctest::Approx(fast.either(28223.5649, 21485.6360)).epsilon(1e-6));
}

TEST_CASE("a real llama-server's request files have the means of their summary") {
  struct Run {
    const char* name;
    std::size_t requests;
    double ttft, e2e;            // mean, ms
    double part_ttft, part_e2e;  // of the first 32
  };
  const Run runs[] = {{"closed_c16", 96, 250.573, 5113.693, 508.606, 5388.644},
                      {"poisson_50", 220, 242.561, 20220.672, 160.909, 10970.716}};
  for (const Run& run : runs) {
    CAPTURE(run.name);
    const RealTrace real = real_trace("llamacpp/server/" + std::string(run.name) + ".csv");
    CHECK(real.trace.requests.size() == real.either(run.requests, std::size_t{32}));
    CHECK(mean_ms(real.trace, &TraceRequest::ttft) ==
          doctest::Approx(real.either(run.ttft, run.part_ttft)).epsilon(1e-5));
    CHECK(mean_ms(real.trace, &TraceRequest::e2e) == doctest::Approx(real.either(run.e2e, run.part_e2e)).epsilon(1e-5));
  }
}

}  // namespace traces_test
