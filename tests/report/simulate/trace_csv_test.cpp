#include "report/simulate/trace_csv.hpp"

#include <string>

#include <doctest/doctest.h>

#include "catalog/facts/files.hpp"
#include "catalog/traces/traces.hpp"
#include "real_files.hpp"

namespace trace_csv_test {

using namespace ridge;
using simulate::Trace;
using simulate::TraceRequest;

Trace read(std::string_view text) {
  const auto trace = catalog::read_trace(text, "sample");
  CAPTURE(trace ? std::string() : trace.error().front().where + ": " + trace.error().front().what);
  REQUIRE(trace.has_value());
  return *trace;
}

std::vector<std::uint64_t> names(const Trace& trace, const TraceRequest& one) {
  const auto first = trace.chunks.begin() + one.first_chunk;
  return {first, first + one.prompt_chunks + one.output_chunks};
}

/// Written and read back, a trace is the same; only where its names stand may differ.
void check_round_trip(const Trace& trace) {
  const std::string text = report::trace_csv(trace);
  const Trace again = read(text);
  CHECK(again.notes.empty());
  CHECK(again.chunk_tokens == trace.chunk_tokens);
  REQUIRE(again.requests.size() == trace.requests.size());
  bool same = true;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const TraceRequest &one = trace.requests[i], &other = again.requests[i];
    same = same && one.sent == other.sent && one.prompt == other.prompt && one.output == other.output &&
           one.ttft == other.ttft && one.e2e == other.e2e && one.priority == other.priority &&
           one.session == other.session && one.prompt_chunks == other.prompt_chunks &&
           one.output_chunks == other.output_chunks && names(trace, one) == names(again, other);
  }
  CHECK(same);
  CHECK(report::trace_csv(again) == text);
}

TEST_CASE("a trace is written with the columns that say something") {
  Trace trace;
  trace.requests = {{.sent = 0, .prompt = 3, .output = 4}, {.sent = 1'500'000'001, .prompt = 5, .output = 6}};
  CHECK(report::trace_csv(trace) == "sent_s,prompt_tokens,output_tokens\n0,3,4\n1.500000001,5,6\n");
  trace.requests[1].ttft = 250'000'000;
  trace.requests[1].e2e = 2'000'000'000;
  trace.requests[0].priority = -1;
  CHECK(report::trace_csv(trace) ==
        "sent_s,prompt_tokens,output_tokens,ttft_s,e2e_s,priority\n0,3,4,,,-1\n1.500000001,5,6,0.25,2,0\n");
}

TEST_CASE("every kind of trace is the same after it was written and read") {
  check_round_trip(read(
      R"({"timestamp": 1000, "input_length": 1500, "output_length": 7, "hash_ids": [0, 1, 2]}
{"timestamp": 3040, "input_length": 1536, "output_length": 5, "hash_ids": [0, 1, 9]}
{"timestamp": 3040, "input_length": 300, "output_length": 1, "hash_ids": [4]}
)"));
  check_round_trip(
      read("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n"
           "2023-11-16 18:15:50.9951691,396,109"));
  check_round_trip(read(
      R"({"input_toks": 10, "output_toks": 3, "arrival_time": 1000.1, "queued_ts": 7.010, "first_token_ts": 7.1, "last_token_ts": 7.3})"));
  check_round_trip(read("send_s,prompt_tokens,output_tokens,ttft_ms,e2e_ms\n0.02912,1002,166,827.86,15207.583\n"));
  check_round_trip(read("chunks_32,output_tokens,sent_s,prompt_tokens\n7 8 9,40,10,70\n,40,10,70\n7,40,11,70\n"));
}

TEST_CASE("sessions are written as sessions, and named again when they are read") {
  const Trace trace = read(
      "sent_s,prompt_tokens,output_tokens,session,priority\n0,100,60,b,0\n1,64,10,a,-2\n2,200,30,b,1\n3,230,8,b,\n"
      "4,500,8,,\n");
  CHECK(report::trace_csv(trace) ==
        "sent_s,prompt_tokens,output_tokens,session,priority\n0,100,60,0,0\n1,64,10,1,-2\n2,200,30,0,1\n3,230,8,0,0\n"
        "4,500,8,,0\n");
  check_round_trip(trace);
}

TEST_CASE("what sessions do not tell is named chunk by chunk") {
  const Trace both = read("sent_s,prompt_tokens,output_tokens,session,chunks_4\n0,8,4,x,5 6\n1,12,4,x,5 7\n");
  CHECK(report::trace_csv(both) == "sent_s,prompt_tokens,output_tokens,session,chunks_4\n0,8,4,0,5 6\n1,12,4,0,5 7\n");
  check_round_trip(both);
  const Trace nothing = read("sent_s,prompt_tokens,output_tokens,session,chunks_4\n0,100,4,x,\n1,120,4,x,\n");
  CHECK(nothing.chunk_tokens == 0);
  check_round_trip(nothing);
}

TEST_CASE("real traces are the same after they were written and read") {
  for (const char* file : {"traces/mooncake_fast25_synthetic_trace.jsonl", "traces/azure2023_conv.csv",
                           "traces/vllm_runs/RTX4090_Llama-3.1-8B_requests.jsonl", "llamacpp/server/closed_c64.csv"}) {
    CAPTURE(file);
    const auto text = catalog::read_file(testing::real_files(file).path.string());
    REQUIRE(text.has_value());
    check_round_trip(read(*text));
  }
}

}  // namespace trace_csv_test
