#include <array>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "base/text/text.hpp"
#include "catalog/json/json_value.hpp"
#include "catalog/refusal.hpp"
#include "catalog/traces/json_line.hpp"
#include "catalog/traces/traces.hpp"
#include "repeats.hpp"

// Bad traces: each is an error with its line, its cause and what to do.

namespace traces_hostile_test {

using namespace ridge;
using namespace ridge::catalog;

void refused(std::string_view text, std::string_view where, std::string_view what, const TraceLimits& limits = {}) {
  CAPTURE(std::string(text.substr(0, 300)));
  const auto trace = read_trace(text, "bad", limits);
  REQUIRE_FALSE(trace.has_value());
  testing::check_refusal(trace.error(), where, what);
  for (const Error& error : trace.error()) {
    for (const std::string& shown : {error.where, error.what, error.hint}) {
      CHECK(shown.size() < 500);
      CHECK(shown.find_first_of(std::string_view("\x1b\0\n\r", 4)) == std::string::npos);
      CHECK(is_utf8(shown));
    }
  }
}

const std::string kOwn = "sent_s,prompt_tokens,output_tokens\n";
const std::string kGood = R"({"timestamp": 5, "input_length": 600, "output_length": 7, "hash_ids": [0, 1]})"
                          "\n";

TEST_CASE("an unsorted trace names the line") {
  refused(kOwn + "1,10,10\n2,10,10\n\n1.5,10,10\n", "bad:5: sent_s", "is 0.5 s before the request above it");
  refused(kGood + R"({"timestamp": 0, "input_length": 600, "output_length": 7})", "bad:2: timestamp",
          "is 0.005 s before");
  refused("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,3,4\n2023-11-16 18:15:45,3,4\n",
          "bad:3: TIMESTAMP", "is 1 s before");
}

TEST_CASE("lengths that cannot be name the line and the field") {
  for (const auto& [text, what] : {std::pair{"-1", "-1 is negative"},
                                   {"nan", "nan is not finite"},
                                   {"NaN", "NaN is not finite"},
                                   {"inf", "inf is not finite"},
                                   {"-Infinity", "-Infinity is not finite"},
                                   {"12.5", "12.5 is no whole number"},
                                   {"100000001", "is more than 100 million tokens"},
                                   {"1e300", "is more than 100 million tokens"},
                                   {"99999999999999999999999999", "is more than 100 million tokens"},
                                   {"1e999999", "is no number"},
                                   {"abc", "\"abc\" is no number"},
                                   {"0x10", "is no number"},
                                   {"1 000", "is no number"},
                                   {"", "is empty"},
                                   {"\x1b[2J", "is no number"},
                                   {"\xff\xfe", "is no number"}}) {
    refused(kOwn + "0,10,10\n1," + text + ",10\n", "bad:3: prompt_tokens", what);
    refused(kOwn + "0,10,10\n1,10," + text + "\n", "bad:3: output_tokens", what);
  }
  for (const auto& [text, what] : {std::pair{"-1", "-1 is negative"},
                                   {"NaN", "NaN is not finite"},
                                   {"-Infinity", "-Infinity is not finite"},
                                   {"12.5", "12.5 is no whole number"},
                                   {"4e9", "is more than 100 million tokens"},
                                   {"\"12\"", "is no number"},
                                   {"[12]", "is no number"},
                                   {"true", "is no number"},
                                   {"{}", "is no number"},
                                   {"null", "is missing"}}) {
    refused(kGood + R"({"timestamp": 5, "output_length": 7, "input_length": )" + text + "}", "bad:2: input_length",
            what);
  }
}

TEST_CASE("times that cannot be name the line and the field") {
  for (const char* text : {"-1", "nan", "inf", "", "x", "1e30"}) {
    refused(kOwn + "0,10,10\n" + text + ",10,10\n", "bad:3: sent_s", "");
    refused("sent_s,prompt_tokens,output_tokens,ttft_s,e2e_s\n0,1,1,1,2\n0,1,1,1," +
                std::string(*text == 0 ? "-" : text) + "\n",
            "bad:3: e2e_s", "");
  }
  refused(kOwn + "0,10,10\n400000000,10,10\n", "bad:3: sent_s", "more than ten years after the first");
  refused("sent_s,prompt_tokens,output_tokens,ttft_s,e2e_s\n0,1,1,3,2\n", "bad:2", "has a TTFT of 3 s and an E2E");
  refused("TIMESTAMP,ContextTokens,GeneratedTokens\n0.5,3,4\n", "bad:2: TIMESTAMP", "is no date and time");
  const std::string log = R"({"input_toks": 1, "output_toks": 1, "arrival_time": 1000, )";
  refused(log + R"("queued_ts": 5, "first_token_ts": 4, "last_token_ts": 6})", "bad:1", "before it was queued");
  refused(log + R"("queued_ts": 5, "first_token_ts": 7, "last_token_ts": 6})", "bad:1", "the last before the first");
  refused(log + R"("queued_ts": -5})", "bad:1: queued_ts", "is negative");
  refused(log + R"("queued_ts": "5"})", "bad:1: queued_ts", "is no number");
  refused(log + R"("queued_ts": 5, "last_token_ts": 7999999999})", "bad:1", "more than ten years by its clocks");
  refused(log + "\"queued_ts\": 5}\n" + R"({"input_toks": 1, "output_toks": 1, "arrival_time": 7e9})",
          "bad:2: arrival_time", "more than ten years after the first");
}

TEST_CASE("missing fields and headings are named") {
  refused(kGood + R"({"timestamp": 5, "output_length": 7})", "bad:2: input_length", "is missing");
  refused(kGood + R"({"input_length": 5, "output_length": 7})", "bad:2: timestamp", "is missing");
  refused(kGood + "{}", "bad:2: output_length", "is missing");
  refused(R"({"input_toks": 5, "output_toks": 7})", "bad:1: arrival_time", "is missing");
  refused("sent_s,prompt_tokens\n1,2\n", "bad:1: output_tokens", "is missing among the headings");
  refused("TIMESTAMP,GeneratedTokens\n", "bad:1: ContextTokens", "is missing among the headings");
  refused("sent_s,prompt_tokens,output_tokens,sent_s\n", "bad:1: sent_s", "stands twice");
  refused("sent_s,prompt_tokens,output_tokens,chunks_x\n", "bad:1: chunks_x", "names no size");
  refused("sent_s,prompt_tokens,output_tokens,chunks_0\n", "bad:1: chunks_0", "names no size");
  refused(kOwn + "0,1\n", "bad:2", "has 2 cells below 3 headings");
  refused(kOwn + "0,1,2,3\n", "bad:2", "has 4 cells below 3 headings");
  refused("sent_s,prompt_tokens,output_tokens,session\n0,1,2,\"a\n0,1,2,b\n", "bad:2", "a quote that is not closed");
  refused("sent_s,prompt_tokens,output_tokens,priority\n0,1,2,high\n", "bad:2: priority", "is no priority");
  refused("sent_s,prompt_tokens,output_tokens,priority\n0,1,2,3000000000\n", "bad:2: priority", "is no priority");
}

TEST_CASE("files without a request, and files that are none, say so") {
  for (const char* text : {"", "\n\n \r\n\t", "\xef\xbb\xbf"}) refused(text, "bad", "is empty");
  refused(kOwn, "bad", "has no request");
  refused(kOwn + "0,10,0\n1,0,3\n", "bad", "none of its 2 requests has a prompt and an output");
  refused("hello\n", "bad:1", "begins no trace of a known kind");
  refused("0,10,10\n", "bad:1", "begins no trace");
  refused("t_s,decode_tokens,prompt_tokens,prompt_seqs\n0,1,2,3\n", "bad:1", "begins no trace");
  refused(R"({"mean_ttft_ms": 5, "completed": 3})", "bad:1", "is no request of a known trace");
  refused(R"([{"timestamp": 5, "input_length": 600, "output_length": 7}])", "bad:1", "is a list");
  refused("{\n\"timestamp\": 5,\n", "bad:1", "not JSON");
  refused(std::string_view("\x1f\x8b\x08\0\0", 5), "bad:1", "is compressed");
  refused(std::string_view("\xff\xfes\0e\0n\0t\0", 10), "bad:1", "is UTF-16");
  refused(std::string(100'000, '\0'), "bad:1", "begins no trace");
  refused(std::string(5000, '[') + "\n", "bad:1", "is a list");
  refused("{\"input_length\":" + std::string(5000, '['), "bad:1", "nested more than 64 deep");
  refused(kGood + "{\"a\": \"" + std::string("\x1b\0]", 3) + "\"}\n", "bad:2", "not JSON");
}

TEST_CASE("a line that is cut off, doubled or no JSON is named") {
  for (std::size_t cut = 1; cut + 2 < kGood.size(); cut += 3) refused(kGood + kGood.substr(0, cut), "bad:2", "");
  refused(kGood + kGood.substr(0, kGood.size() - 1) + "}", "bad:2", "not JSON");
  refused(kGood + R"({"timestamp": 5, "timestamp": 6, "input_length": 1, "output_length": 7})", "bad:2", "twice");
  refused(kGood + R"({"timestamp": 05, "input_length": 1, "output_length": 7})", "bad:2", "not JSON");
  refused(kGood + R"({"timestamp": +5, "input_length": 1, "output_length": 7})", "bad:2", "not JSON");
  refused(kGood + R"({"timestamp": 5., "input_length": 1, "output_length": 7})", "bad:2", "not JSON");
  refused(kGood + R"({"timestamp": , "input_length": 1, "output_length": 7})", "bad:2", "not JSON");
  refused(kGood + "[1]", "bad:2", "is a list, not an object");
  refused(kGood + "7", "bad:2", "is a number, not an object");
}

TEST_CASE("a list of blocks that does not fit its prompt is named") {
  const std::string start = kGood + R"({"timestamp": 5, "input_length": 600, "output_length": 7, "hash_ids": )";
  refused(start + "[]}", "bad:2: hash_ids", "names 0 blocks, where 600 tokens are 2 blocks of 512");
  refused(start + "[1,2,3]}", "bad:2: hash_ids", "names 3 blocks");
  refused(start + "[1,-2]}", "bad:2: hash_ids", "is no list of whole numbers");
  refused(start + "[1,2.5]}", "bad:2: hash_ids", "is no list of whole numbers");
  refused(start + "[1,,2]}", "bad:2: hash_ids", "is no list of whole numbers");
  refused(start + "[1,2,]}", "bad:2: hash_ids", "is no list of whole numbers");
  refused(start + "[1 2]}", "bad:2: hash_ids", "is no list of whole numbers");
  refused(start + "[1,99999999999999999999]}", "bad:2: hash_ids", "is no list of whole numbers");
  refused(start + "[[1],2]}", "bad:2: hash_ids", "is no list of whole numbers");
  refused(start + "\"1,2\"}", "bad:2: hash_ids", "is no list of whole numbers");
  refused(start + "[1,2}", "bad:2", "not JSON");
  const std::string own = "sent_s,prompt_tokens,output_tokens,chunks_16\n0,40,10,";
  refused(own + "1 2 3 4\n", "bad:2: chunks_16", "names 4 chunks, where prompt and output hold 3 of 16 tokens");
  refused(own + "1 x\n", "bad:2: chunks_16", "is no number");
  refused(own + "1 -2\n", "bad:2: chunks_16", "is negative");
}

TEST_CASE("limits are checked while reading, and name the line") {
  std::string many = kOwn;
  for (int i = 0; i < 12; ++i) many += "1,10,10\n";
  CHECK(read_trace(many, "bad", {.rows = 12}).has_value());
  refused(many, "bad:13", "is request 12", {.rows = 11});
  refused(many, "bad:8", "ends after 89 bytes", {.bytes = 89});  // line 8 ends at 35 + 7 x 8 - 1 = 90
  refused(many, "bad:1", "is longer than 30 bytes", {.line = 30});
  refused(kOwn + "1,10,10\n1,10," + std::string(100, '1'), "bad:3", "is longer than 50 bytes", {.line = 50});
  refused(kGood + kGood + kGood, "bad:3", "is request 3", {.rows = 2});
  refused(kGood + kGood + kGood, "bad:3: hash_ids", "names more than 2 parts", {.chunks = 2});
  const std::string log = R"({"input_toks": 1, "output_toks": 1, "arrival_time": 5})"
                          "\n";
  refused(log + log + log, "bad:3", "is request 3", {.rows = 2});
  const std::string sessions = "sent_s,prompt_tokens,output_tokens,session\n";
  // 10,000 tokens are 19 chunks of 512
  refused(sessions + "0,10000,1,a\n0,10000,1,b\n", "bad:3: session", "names more than 30 parts", {.chunks = 30});
  refused("sent_s,prompt_tokens,output_tokens,chunks_1\n0,10,1,1 2 3\n0,10,1,4\n", "bad:3: chunks_1",
          "names more than 3 parts", {.chunks = 3});
}

TEST_CASE("a few bytes cannot ask for much memory") {
  std::string text = "sent_s,prompt_tokens,output_tokens,session\n";
  for (int i = 0; i < 3000; ++i) text += "0,100000000,100000000,s" + std::to_string(i / 2) + "\n";
  refused(text, "session", "names more than 50,000,000 parts");
}

TEST_CASE("a file full of errors shows ten of them") {
  std::string text = kOwn;
  for (int i = 0; i < 1000; ++i) text += "x,-1,0.5\n";
  const auto trace = read_trace(text, "bad");
  REQUIRE_FALSE(trace.has_value());
  CHECK(trace.error().size() >= 10);
  CHECK(trace.error().size() <= 12);
}

TEST_CASE("a line that is read as JSON is JSON") {
  const std::string seeds[] = {
      R"({"timestamp": 0, "input_length": 1500, "output_length": 7, "hash_ids": [0, 1, 2], "x": [1, "a]"], "y": {"z": null}})",
      R"({"request_id": "b\u00e9\n", "input_length": -1.5e3, "output_length": true, "é": "\\", "a": 1, "b": NaN})"};
  constexpr std::array<std::string_view, 4> kKeys = {"timestamp", "input_length", "output_length", "hash_ids"};
  constexpr std::string_view kBytes = "{}[]\":,\\0123456789.eE+-truefalsn \t\xc3\xa9\x01\x7f";
  std::mt19937 random(20260823);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  int read = 0;
  for (int i = 0; i < repeats(40000); ++i) {
    std::string line = seeds[below(2)];
    for (std::size_t left = 1 + below(3); left > 0; --left) {
      const std::size_t at = below(line.size());
      if (below(3) == 0) line.erase(at, 1 + below(5));
      if (line.empty()) break;
      line[below(line.size())] = kBytes[below(kBytes.size())];
    }
    std::array<JsonField, 4> fields;
    JsonLine json;
    if (!json.read(line, kKeys, fields).empty()) continue;
    const bool list = fields[3].kind == JsonKind::list;  // read by whoever asks for it
    if (list) continue;
    ++read;
    CAPTURE(line);
    const auto parsed = parse_json(line, "");
    REQUIRE(parsed.has_value());
    for (std::size_t k = 0; k < kKeys.size(); ++k) {
      const JsonValue* value = parsed->find(kKeys[k]);
      const bool absent = value == nullptr || value->is_null();
      CHECK(absent == (fields[k].kind == JsonKind::absent));
      if (!absent && value->number() != nullptr) CHECK(parse_number(fields[k].text) == *value->number());
    }
  }
  CHECK(read > 100);
}

}  // namespace traces_hostile_test
