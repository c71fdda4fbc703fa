// Is a safetensors header read as the format defines it, and is a wrong one refused with the reason?

#include "catalog/checkpoint/safetensors.hpp"

#include <limits>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "processor_time.hpp"

namespace safetensors_test {

using namespace ridge;
using catalog::read_safetensors_header;
using catalog::read_safetensors_index;
using catalog::safetensors_header_bytes;

namespace {

/// What the first error says; empty where there is none.
template <class T>
std::string first_complaint(const Result<T>& result) {
  if (result) return "";
  for (const Error& error : result.error()) {
    CHECK_FALSE(error.what.empty());
    CHECK_FALSE(error.hint.empty());
    CHECK(error.where == "m.safetensors");
  }
  return result.error().front().what;
}

std::string refusal(std::string_view json, std::uint64_t data_bytes) {
  return first_complaint(read_safetensors_header(json, 8 + json.size() + data_bytes, "m.safetensors"));
}

std::string tensor(std::string_view name, std::string_view type, std::string_view shape, std::string_view offsets) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{}]}})", name, type, shape, offsets);
}

std::string one(std::string_view type, std::string_view shape, std::string_view offsets) {
  return "{" + tensor("a", type, shape, offsets) + "}";
}

std::string index_refusal(std::string_view json) {
  return first_complaint(read_safetensors_index(json, "m.safetensors"));
}

std::string little_endian(std::uint64_t value) {
  std::string out(8, '\0');
  for (char& c : out) {
    c = static_cast<char>(value & 0xff);
    value >>= 8;
  }
  return out;
}

}  // namespace

TEST_CASE("the first eight bytes are the header's length, lowest byte first") {
  const auto length = safetensors_header_bytes(std::string_view("\x34\x12\0\0\0\0\0\0", 8), 1'000'000, "m.safetensors");
  REQUIRE(length.has_value());
  CHECK(*length == 0x1234);
}

TEST_CASE("a length that no header can have is refused") {
  const auto complaint = [](std::string_view bytes, std::uint64_t file_bytes) {
    return first_complaint(safetensors_header_bytes(bytes, file_bytes, "m.safetensors"));
  };
  CHECK(complaint("", 0) == "truncated: 0 of the first 8 bytes");
  CHECK(complaint("\x10", 1) == "truncated: 1 of the first 8 bytes");
  CHECK(complaint("version ", 134) == "a Git LFS pointer, not the file itself");
  CHECK(complaint(little_endian(100'000'001), 1'000'000'000) ==
        "a header of 100,000,001 bytes, over the format's limit of 100,000,000");
  CHECK(complaint(little_endian(std::numeric_limits<std::uint64_t>::max()), 1'000'000'000).find("over the format's") !=
        std::string::npos);
  CHECK(complaint(little_endian(100), 107) == "truncated: 99 of 100 bytes of the header");
  CHECK(complaint(little_endian(100), 108) == "");
  CHECK(complaint(little_endian(0), 108) == "a header of 0 bytes");
}

TEST_CASE("a header gives each tensor its type, shape, elements and bytes") {
  // 2*3 bf16 = 12 B; a scalar f32 = 4 B; 4 x 4 packed fp4 = 8 B; nothing at all = 0 B; 3 bool = 3 B
  const std::string json = "{\"__metadata__\":{\"format\":\"pt\"}," + tensor("b", "F32", "", "12,16") + "," +
                           tensor("a", "BF16", "2,3", "0,12") + "," + tensor("c", "F4", "4,4", "16,24") + "," +
                           tensor("none", "F16", "0,7", "24,24") + "," + tensor("d", "BOOL", "3", "24,27") + "}   ";
  const auto table = read_safetensors_header(json, 8 + json.size() + 27, "m.safetensors");
  REQUIRE(table.has_value());
  CHECK(table->format == "safetensors");
  REQUIRE(table->tensors.size() == 5);
  CHECK(table->tensors[0].name == "b");
  CHECK(table->tensors[0].elements == 1);
  CHECK(table->tensors[1].type == "BF16");
  CHECK(table->tensors[1].shape == std::vector<double>{2, 3});
  CHECK(table->tensors[1].bytes == 12);
  CHECK(table->tensors[2].elements == 16);
  CHECK(table->tensors[2].bytes == 8);
  CHECK(table->tensors[3].elements == 0);
}

TEST_CASE("a header without tensors is a file without data") {
  CHECK(refusal("{}", 0) == "");
  CHECK(refusal("{\"__metadata__\":{}}", 0) == "");
}

TEST_CASE("every type of the format has its width") {
  const std::pair<const char*, int> eight_elements[] = {
      {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"BOOL", 8}, {"U8", 8},   {"I8", 8},    {"F8_E5M2", 8},
      {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},    {"U16", 16}, {"F16", 16}, {"BF16", 16}, {"I32", 32},
      {"U32", 32},    {"F32", 32},    {"F64", 64},    {"I64", 64}, {"U64", 64}};
  for (const auto& [type, bytes] : eight_elements) {
    CAPTURE(type);
    CHECK(refusal(one(type, "8", fmt::format("0,{}", bytes)), static_cast<std::uint64_t>(bytes)) == "");
  }
}

TEST_CASE("a wrong tensor is refused by name") {
  CHECK(refusal(one("F8_E4M4", "1", "0,1"), 1) == "\"a\" has the dtype \"F8_E4M4\", which is not known");
  CHECK(refusal(one("F32", "2", "0,4"), 4) == "\"a\" holds 4 bytes, but its shape and type F32 need 8");
  CHECK(refusal(one("F4", "3", "0,2"), 2) ==
        "\"a\" holds 2 bytes, but its shape and type F4 need a fraction of a byte");
  CHECK(refusal(one("F32", "1", "4,0"), 4) == "\"a\" ends at byte 0, before it begins at 4");
  const std::string no_size = "\"a\" has a size in its shape that is not a whole number from 0 to 2^53";
  for (const char* shape : {"-1", "1.5", "1e300", "9007199254740993", "18446744073709551616", "\"1\"", "null", "NaN",
                            "Infinity", "[1]", "true"}) {
    CAPTURE(shape);
    CHECK(refusal(one("U8", shape, "0,1"), 1) == no_size);
  }
  const std::string no_offsets = "\"a\" has data_offsets that are not whole numbers from 0 to 2^53";
  for (const char* offsets : {"-1,0", "0,0.5", "0,9007199254740993", "\"0\",1", "0,NaN"}) {
    CAPTURE(offsets);
    CHECK(refusal(one("U8", "1", offsets), 1) == no_offsets);
  }
  for (const char* offsets : {"", "0", "0,1,2"}) {
    CHECK(refusal(one("U8", "1", offsets), 1) == "\"a\" has no data_offsets, a list of two numbers");
  }
  CHECK(refusal(one("U8", "4294967296,4294967296", "0,1"), 1) == "\"a\" has a shape of more than 2^53 elements");
  CHECK(refusal(R"({"a":7})", 0) == "\"a\" is a number, not a tensor");
  CHECK(refusal(R"({"a":{"shape":[],"data_offsets":[0,1]}})", 1) == "\"a\" has no dtype");
  CHECK(refusal(R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", 1) == "\"a\" has no shape");
  CHECK(refusal("[]", 0) == "the header is a list, not an object");
  CHECK(refusal("{\"a\u001b[31m\":7}", 0).find('\x1b') == std::string::npos);
  CHECK(refusal(R"({"\u001b[31m":7})", 0) == "\"?[31m\" is a number, not a tensor");
}

TEST_CASE("a tensor that stands twice is refused") {
  const std::string twice = "{" + tensor("a", "U8", "1", "0,1") + "," + tensor("a", "U8", "1", "1,2") + "}";
  CHECK(refusal(twice, 2).find("twice") != std::string::npos);
}

TEST_CASE("data that overlap, leave a hole or do not fill the file are refused") {
  const std::string overlap = "{" + tensor("a", "U8", "4", "0,4") + "," + tensor("b", "U8", "4", "3,7") + "}";
  CHECK(refusal(overlap, 7) == "\"a\" and \"b\" overlap");
  const std::string inside = "{" + tensor("a", "U8", "9", "0,9") + "," + tensor("b", "U8", "1", "3,4") + "," +
                             tensor("c", "U8", "1", "8,9") + "}";
  CHECK(refusal(inside, 9) == "\"a\" and \"b\" overlap");
  const std::string hole = "{" + tensor("a", "U8", "4", "0,4") + "," + tensor("b", "U8", "4", "6,10") + "}";
  CHECK(refusal(hole, 10) == "a hole of 2 bytes before \"b\"");
  CHECK(refusal(one("U8", "4", "2,6"), 6) == "a hole of 2 bytes before \"a\"");
  const std::string whole = one("U8", "1000", "0,1000");
  CHECK(refusal(whole, 1001) == "1 bytes after the last tensor");
  CHECK(refusal(whole, 400) == fmt::format("truncated: {} of {} bytes", 408 + whole.size(), "1,067"));
  CHECK(first_complaint(read_safetensors_header(whole, 3, "m.safetensors")) == "truncated: 3 of 1,067 bytes");
}

TEST_CASE("a file with many errors names the first ten and counts the rest") {
  std::string json = "{";
  for (int i = 0; i < 1000; ++i) json += fmt::format("{}\"t{}\":0", i == 0 ? "" : ",", i);
  const auto table = read_safetensors_header(json + "}", 0, "m.safetensors");
  REQUIRE_FALSE(table.has_value());
  REQUIRE(table.error().size() == 11);
  CHECK(table.error().back().what == "and 990 more errors");
}

TEST_CASE("a header of 100,000 tensors is read in a fraction of a second") {
  std::string json = "{";
  std::uint64_t at = 0;
  for (int i = 0; i < 100'000; ++i) {
    json +=
        (i == 0 ? "" : ",") + tensor(fmt::format("model.layers.{}.mlp.experts.{}.down_proj.weight", i / 256, i % 256),
                                     "F8_E4M3", "7168,2048", fmt::format("{},{}", at, at + 14680064));
    at += 14680064;
  }
  json += "}";
  const double took = processor_seconds([&] { CHECK(refusal(json, at) == ""); });
  MESSAGE(json.size() << " bytes in " << took * 1e3 << " ms");
  CHECK(took < 10.0);  // 140 ms in release; sanitizers are slower
}

TEST_CASE("an index gives its files once, sorted, and which tensor lies where") {
  const auto index = read_safetensors_index(
      R"({"metadata":{"total_size":688586727753},"weight_map":{"b":"m-2.safetensors","a":"m-1.safetensors",
          "c":"m-2.safetensors"}})",
      "m.safetensors");
  REQUIRE(index.has_value());
  CHECK(index->has_total_size);
  CHECK(index->total_size == 688586727753.0);
  CHECK(index->files == std::vector<std::string>{"m-1.safetensors", "m-2.safetensors"});
  REQUIRE(index->weight_map.size() == 3);
  CHECK(index->weight_map[0] == std::pair<std::string, std::string>("b", "m-2.safetensors"));
}

TEST_CASE("an index without a total says so") {
  for (const char* json : {R"({"weight_map":{"a":"m"}})", R"({"metadata":{},"weight_map":{"a":"m"}})",
                           R"({"metadata":{"total_size":null},"weight_map":{"a":"m"}})"}) {
    const auto index = read_safetensors_index(json, "m.safetensors");
    REQUIRE(index.has_value());
    CHECK_FALSE(index->has_total_size);
  }
}

TEST_CASE("an index that names files elsewhere is refused") {
  for (const char* file : {"", ".", "..", "a/b", "../m", "/etc/passwd", "a\\\\b", "C:m", "a..b", "m\\u0000", "m\\n"}) {
    CAPTURE(file);
    CHECK(index_refusal(fmt::format(R"({{"weight_map":{{"t":"{}"}}}})", file)).find("not a plain file name") !=
          std::string::npos);
  }
  CHECK(index_refusal(R"({"weight_map":{"t":"..m"}})") == "the file of \"t\" is \"..m\", not a plain file name");
  CHECK(index_refusal(R"({"weight_map":{"t":3}})") == "the file of \"t\" is a number, not a name");
}

TEST_CASE("what is no index is refused") {
  for (const char* json : {"{}", "[]", "3", R"({"weight_map":{}})", R"({"weight_map":[]})"}) {
    CAPTURE(json);
    CHECK(index_refusal(json) == "no weight_map, or none that names a tensor");
  }
  CHECK(index_refusal(R"({"metadata":{"total_size":-1},"weight_map":{"a":"m"}})") ==
        "metadata.total_size is not a whole number from 0 to 2^53");
  CHECK(index_refusal(R"({"weight_map":)").starts_with("not JSON at byte"));
}

}  // namespace safetensors_test
