// Is the head of a GGUF file read as ggml writes it, quickly and within bounds, and is every hostile one refused?

#include "catalog/gguf/gguf.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "catalog/gguf/config.hpp"
#include "catalog/gguf/parts.hpp"
#include "fuzz/gguf_fuzz.hpp"
#include "repeats.hpp"

namespace gguf_test {

using namespace ridge;
using namespace ridge::catalog;

namespace {

template <class Unsigned>
std::string little(Unsigned value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}
std::string u32(std::uint32_t value) { return little(value); }
std::string u64(std::uint64_t value) { return little(value); }
std::string text(std::string_view value) { return u64(value.size()) + std::string(value); }

enum Kind : std::uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kText, kArray, kU64, kI64, kF64 };

std::string key(std::string_view name, Kind kind, std::string value) { return text(name) + u32(kind) + value; }
std::string key(std::string_view name, std::uint32_t value) { return key(name, kU32, u32(value)); }
std::string key(std::string_view name, std::string_view value) { return key(name, kText, text(value)); }
std::string array_of(Kind kind, std::uint64_t length, std::string_view items) {
  return u32(kind) + u64(length) + std::string(items);
}
std::string list(std::string_view name, const std::vector<std::uint32_t>& values) {
  std::string items;
  for (const std::uint32_t value : values) items += u32(value);
  return key(name, kArray, array_of(kU32, values.size(), items));
}

constexpr std::uint32_t kTypeF32 = 0, kTypeQ4K = 12, kTypeQ6K = 14;

std::string tensor_entry(std::string_view name, const std::vector<std::uint64_t>& dims, std::uint32_t type,
                         std::uint64_t offset) {
  std::string bytes = text(name) + u32(static_cast<std::uint32_t>(dims.size()));
  for (const std::uint64_t dim : dims) bytes += u64(dim);
  return bytes + u32(type) + u64(offset);
}

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 31) / 32 * 32; }

/// A file as llama.cpp writes it: tensors side by side, each padded to 32 bytes.
struct Writer {
  std::vector<std::string> keys, tensors;
  std::uint64_t data = 0;  // bytes of the data section so far

  void add(std::string_view name, const std::vector<std::uint64_t>& innermost_first, std::uint32_t type = kTypeF32) {
    tensors.push_back(tensor_entry(name, innermost_first, type, data));
    std::uint64_t elements = 1;
    for (const std::uint64_t dim : innermost_first) elements *= dim;
    const GgmlType* stored = ggml_type(type);
    if (stored != nullptr) data += padded(elements / stored->block * stored->bytes);
  }
  std::string head(std::uint32_t version = 3) const {
    std::string bytes = "GGUF" + u32(version) + u64(tensors.size()) + u64(keys.size());
    for (const std::string& one : keys) bytes += one;
    for (const std::string& one : tensors) bytes += one;
    return bytes;
  }
  std::uint64_t size() const { return padded(head().size()) + data; }
};

/// A file of `size` bytes of which only the head is real.
ByteSource sparse(std::string_view head, std::uint64_t size) {
  return {size, [head](std::uint64_t offset, std::span<char> into) {
            const std::string_view rest = head.substr(std::min(offset, head.size()));
            const std::size_t real = std::min(rest.size(), into.size());
            std::copy_n(rest.begin(), real, into.begin());
            std::fill(into.begin() + static_cast<std::ptrdiff_t>(real), into.end(), '\0');
            return true;
          }};
}

Result<GgufHeader> read(const Writer& writer) {
  const std::string head = writer.head();
  return read_gguf(sparse(head, writer.size()), "m.gguf");
}

Error refusal(const std::string& bytes, std::uint64_t size) {
  const auto header = read_gguf(sparse(bytes, size), "m.gguf");
  REQUIRE_FALSE(header.has_value());
  REQUIRE(header.error().size() == 1);
  const Error& error = header.error().front();
  CHECK(error.where.starts_with("m.gguf: byte "));
  CHECK_FALSE(error.what.empty());
  CHECK_FALSE(error.hint.empty());
  return error;
}
Error refusal(const std::string& bytes) { return refusal(bytes, bytes.size()); }
Error refusal(const Writer& writer) { return refusal(writer.head(), writer.size()); }

bool says(const Error& error, std::string_view words) {
  const bool found = error.what.find(words) != std::string::npos;
  if (!found) MESSAGE(error.where << ": " << error.what);
  return found;
}

double number(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  return value && value->number() ? *value->number() : -1;
}
std::string word(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  return value && value->text() ? *value->text() : "";
}
bool flag(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  REQUIRE(value != nullptr);
  REQUIRE(value->boolean() != nullptr);
  return *value->boolean();
}

Writer minimal(std::string_view architecture) {
  Writer writer;
  const std::string prefix(architecture);
  writer.keys = {key("general.architecture", architecture), key(prefix + ".block_count", 4),
                 key(prefix + ".embedding_length", 64), key(prefix + ".attention.head_count", 4),
                 key(prefix + ".feed_forward_length", 128)};
  return writer;
}

JsonValue config(const Writer& writer) {
  const auto header = read(writer);
  REQUIRE(header.has_value());
  const auto translated = config_from_gguf(*header, "m.gguf");
  if (!translated) MESSAGE(translated.error().front().where << ": " << translated.error().front().what);
  REQUIRE(translated.has_value());
  return *translated;
}

Error config_refusal(const Writer& writer) {
  const auto header = read(writer);
  REQUIRE(header.has_value());
  const auto translated = config_from_gguf(*header, "m.gguf");
  REQUIRE_FALSE(translated.has_value());
  CHECK_FALSE(translated.error().front().hint.empty());
  return translated.error().front();
}

}  // namespace

TEST_CASE("a small file is read to the byte") {
  Writer writer;
  writer.keys = {key("general.architecture", "llama"), key("n", 7)};
  writer.add("token_embd.weight", {256, 10}, kTypeQ4K);
  writer.add("output_norm.weight", {256});
  // fixed part 4 + 4 + 8 + 8 = 24; keys (8 + 20) + 4 + (8 + 5) = 45 and (8 + 1) + 4 + 4 = 17;
  // tensors (8 + 17) + 4 + 16 + 4 + 8 = 57 and (8 + 18) + 4 + 8 + 4 + 8 = 50; in all 193, padded to 224
  CHECK(writer.head().size() == 193);
  // 2,560 elements of Q4_K in 10 blocks of 144 bytes = 1,440 (a multiple of 32); 256 of F32 in 1,024
  CHECK(writer.size() == 224 + 1440 + 1024);
  const auto header = read(writer);
  REQUIRE(header.has_value());
  CHECK(header->version == 3);
  CHECK(header->file_bytes == 2688);
  REQUIRE(header->metadata.size() == 2);
  CHECK(*header->find("general.architecture")->text() == "llama");
  CHECK(*header->find("n")->number() == 7);
  CHECK(header->tensors.format == "gguf");
  REQUIRE(header->tensors.tensors.size() == 2);
  const TensorInfo& embedding = header->tensors.tensors[0];
  CHECK(embedding.name == "token_embd.weight");
  CHECK(embedding.type == "Q4_K");
  CHECK(embedding.shape == std::vector<double>{10, 256});  // outermost first: 10 rows of 256
  CHECK(embedding.elements == 2560);
  CHECK(embedding.bytes == 1440);
  CHECK(header->tensors.tensors[1].bytes == 1024);
}

TEST_CASE("version 2 differs from 3 in its number alone; 1, 4 and big-endian files are refused by name") {
  Writer writer;
  writer.keys = {key("n", 7)};
  const std::string two = writer.head(2);
  CHECK(read_gguf(memory_source(two), "m.gguf").has_value());
  CHECK(says(refusal(writer.head(1)), "version 1"));
  CHECK(says(refusal(writer.head(4)), "version 4"));
  CHECK(says(refusal(writer.head(0)), "version 0"));
  CHECK(says(refusal(writer.head(0x03000000)), "big-endian"));
}

TEST_CASE("every type takes the bytes of its struct in ggml-common.h") {
  // K blocks hold 256 elements. Q2_K: 16 scales + 64 quants + 2 halves; Q3_K: 32 + 64 + 12 + 1 half;
  // Q4_K: 2 halves + 12 + 128; Q5_K: that + 32; Q6_K: 128 + 64 + 16 + 1 half; Q8_K: a float + 256 + 16 sums of 2 bytes
  const std::vector<std::pair<std::uint32_t, std::pair<double, double>>> sizes = {{0, {1, 4}},
                                                                                  {1, {1, 2}},
                                                                                  {2, {32, 2 + 16}},
                                                                                  {3, {32, 4 + 16}},
                                                                                  {6, {32, 2 + 4 + 16}},
                                                                                  {7, {32, 4 + 4 + 16}},
                                                                                  {8, {32, 2 + 32}},
                                                                                  {9, {32, 4 + 32}},
                                                                                  {10, {256, 16 + 64 + 4}},
                                                                                  {11, {256, 32 + 64 + 12 + 2}},
                                                                                  {12, {256, 4 + 12 + 128}},
                                                                                  {13, {256, 4 + 12 + 128 + 32}},
                                                                                  {14, {256, 128 + 64 + 16 + 2}},
                                                                                  {15, {256, 4 + 256 + 32}},
                                                                                  {16, {256, 2 + 64}},
                                                                                  {17, {256, 2 + 64 + 8}},
                                                                                  {18, {256, 2 + 96}},
                                                                                  {19, {256, 2 + 32 + 16}},
                                                                                  {20, {32, 2 + 16}},
                                                                                  {21, {256, 2 + 64 + 8 + 32 + 4}},
                                                                                  {22, {256, 2 + 64 + 8 + 8}},
                                                                                  {23, {256, 2 + 2 + 4 + 128}},
                                                                                  {24, {1, 1}},
                                                                                  {25, {1, 2}},
                                                                                  {26, {1, 4}},
                                                                                  {27, {1, 8}},
                                                                                  {28, {1, 8}},
                                                                                  {29, {256, 32 + 16 + 8}},
                                                                                  {30, {1, 2}},
                                                                                  {34, {256, 48 + 4 + 2}},
                                                                                  {35, {256, 64 + 2}},
                                                                                  {39, {32, 1 + 16}},
                                                                                  {40, {64, 4 + 32}},
                                                                                  {41, {128, 2 + 16}},
                                                                                  {42, {64, 2 + 16}}};
  for (const auto& [type, size] : sizes) {
    CAPTURE(type);
    const GgmlType* found = ggml_type(type);
    REQUIRE(found != nullptr);
    CHECK(static_cast<double>(found->block) == size.first);
    CHECK(static_cast<double>(found->bytes) == size.second);
  }
  for (const std::uint32_t withdrawn : {4u, 5u, 31u, 32u, 33u, 36u, 37u, 38u, 43u, 142u, 0xffffffffu}) {
    CHECK(ggml_type(withdrawn) == nullptr);
  }
}

TEST_CASE("a value of each type is kept as a number, a truth or a text") {
  Writer writer;
  writer.keys = {key("u8", kU8, "\xff"),
                 key("i8", kI8, "\xff"),
                 key("u16", kU16, "\xfe\xff"),
                 key("i16", kI16, "\xfe\xff"),
                 key("u32", kU32, u32(4'000'000'000)),
                 key("i32", kI32, u32(0xfffffffdu)),
                 key("f32", kF32, u32(std::bit_cast<std::uint32_t>(1.5f))),
                 key("yes", kBool, "\x01"),
                 key("u64", kU64, u64(1ull << 40)),
                 key("i64", kI64, u64(~0ull)),
                 key("f64", kF64, u64(std::bit_cast<std::uint64_t>(0.1))),
                 key("nan", kF32, u32(0x7fc00000)),
                 key("text", "\xc3\xa9t\xc3\xa9"),
                 key("not utf-8", "\xff\xfe")};
  const auto header = read(writer);
  REQUIRE(header.has_value());
  const auto value = [&](std::string_view name) { return *header->find(name)->number(); };
  CHECK(value("u8") == 255);
  CHECK(value("i8") == -1);
  CHECK(value("u16") == 65534);
  CHECK(value("i16") == -2);
  CHECK(value("u32") == 4e9);
  CHECK(value("i32") == -3);
  CHECK(value("f32") == 1.5);
  CHECK(value("u64") == 0x1p40);
  CHECK(value("i64") == -1);
  CHECK(value("f64") == 0.1);
  CHECK(*header->find("yes")->boolean());
  CHECK(*header->find("nan")->text() == "NaN");
  CHECK(*header->find("text")->text() == "été");
  CHECK(word(*header->find("not utf-8"), "array_of") == "byte");
}

TEST_CASE("short arrays are kept, long ones and nested ones only counted, and what follows is still found") {
  std::string tokens, numbers;
  for (int i = 0; i < 65; ++i) tokens += text(fmt::format("token {}", i));
  for (std::uint32_t i = 0; i < 65'537; ++i) numbers += u32(i);
  const std::string pair = array_of(kU32, 2, u32(1) + u32(2));
  Writer writer;
  writer.keys = {key("few texts", kArray, array_of(kText, 2, text("a") + text("b"))),
                 key("many texts", kArray, array_of(kText, 65, tokens)),
                 list("few", {1, 2, 3}),
                 key("many", kArray, array_of(kU32, 65'537, numbers)),
                 key("most", kArray, array_of(kU32, 65'536, std::string_view(numbers).substr(4))),
                 key("nested", kArray, array_of(kArray, 2, pair + pair)),
                 key("long text", std::string(70'000, 'x')),
                 key("none", kArray, array_of(kText, 0, "")),
                 key("last", 9)};
  const auto header = read(writer);
  REQUIRE(header.has_value());
  CHECK(header->find("few texts")->array()->size() == 2);
  CHECK(*header->find("few texts")->array()->at(1).text() == "b");
  CHECK(word(*header->find("many texts"), "array_of") == "string");
  CHECK(number(*header->find("many texts"), "length") == 65);
  CHECK(*header->find("few")->array()->at(2).number() == 3);
  CHECK(number(*header->find("many"), "length") == 65'537);
  CHECK(header->find("most")->array()->size() == 65'536);
  CHECK(word(*header->find("nested"), "array_of") == "array");
  CHECK(number(*header->find("long text"), "length") == 70'000);
  CHECK(header->find("none")->array()->empty());
  CHECK(*header->find("last")->number() == 9);
}

TEST_CASE("a file cut anywhere in its head is refused with the byte, and never read past its end") {
  Writer writer = minimal("llama");
  writer.keys.push_back(key("tokens", kArray, array_of(kText, 2, text("a") + text("b"))));
  writer.add("token_embd.weight", {64, 10});
  const std::string head = writer.head();
  for (std::size_t size = 0; size < head.size(); ++size) {
    CAPTURE(size);
    const std::string cut = head.substr(0, size);
    const auto header = read_gguf(memory_source(cut), "m.gguf");
    REQUIRE_FALSE(header.has_value());
    CHECK(header.error().front().where.starts_with("m.gguf: byte "));
  }
}

TEST_CASE("a file cut in its data says how much of it is there, and nothing else says so") {
  Writer writer;
  writer.add("a", {256, 10}, kTypeQ4K);
  writer.add("b", {32});
  const std::string head = writer.head();
  // 24 + (8 + 1) + 4 + 16 + 4 + 8 + (8 + 1) + 4 + 8 + 4 + 8 = 98, padded to 128; then 1,440 and 128 bytes
  CHECK(writer.size() == 128 + 1440 + 128);
  CHECK(read_gguf(sparse(head, 1696), "m.gguf").has_value());
  const Error error = refusal(head, 1695);
  CHECK(error.what == "truncated: 1695 of 1696 bytes present");
  CHECK(error.where == "m.gguf: byte 1695");
  CHECK(refusal(head, 98).what == "truncated: 98 of 1696 bytes present");
  CHECK_FALSE(refusal(head, 97).what.starts_with("truncated"));
}

TEST_CASE("what is no GGUF file is refused at its first bytes") {
  CHECK(says(refusal("GGML" + std::string(100, '\0')), "\"GGML\""));
  CHECK(says(refusal("\x1b[2J" + std::string(100, '\0')), "\"?[2J\""));  // nothing a terminal would obey
  CHECK(says(refusal("GG"), "the file ends at byte 2"));
  CHECK(says(refusal(""), "the file ends at byte 0"));
}

TEST_CASE("counts and lengths beyond the file are refused before anything is allocated for them") {
  const std::string start = "GGUF" + u32(3);
  CHECK(says(refusal(start + u64(1ull << 63) + u64(0)), "tensors"));
  CHECK(says(refusal(start + u64(0) + u64(~0ull)), "metadata keys"));
  CHECK(says(refusal(start + u64(1000) + u64(0), 24 + 24'999), "1000 tensors in a file of"));  // 25 bytes each at least
  CHECK(says(refusal(start + u64(0) + u64(100), 24 + 1'399), "100 metadata keys"));            // 14 bytes each at least
  CHECK(says(refusal(start + u64(2'000'000) + u64(0), 1ull << 40), "at most"));

  const auto with_key = [&](const std::string& bytes) { return start + u64(0) + u64(1) + bytes; };
  const std::uint64_t size = 1ull << 40;
  CHECK(says(refusal(with_key(u64(1ull << 63)), size), "a name of 9223372036854775808 bytes"));
  CHECK(says(refusal(with_key(u64(0)), size), "a name of 0 bytes"));
  CHECK(says(refusal(with_key(text("a\xff") + u32(kU8) + "\x01"), size), "not UTF-8"));
  CHECK(says(refusal(with_key(text("k") + u32(kText) + u64(1ull << 63)), size), "the file ends at byte"));
  CHECK(says(refusal(with_key(text("k") + u32(kText) + u64(~0ull)), size), "the file ends at byte"));
  CHECK(says(refusal(with_key(text("k") + u32(kText) + u64(1ull << 39)), size), "go past 256 MiB"));
  CHECK(says(refusal(with_key(text("k") + u32(kArray) + u32(kU64) + u64(1ull << 61)), size), "an array of"));
  CHECK(says(refusal(with_key(text("k") + u32(kArray) + u32(kText) + u64(1ull << 60)), size), "an array of"));
  CHECK(says(refusal(with_key(text("k") + u32(kArray) + u32(kU8) + u64(~0ull)), size), "an array of"));
  CHECK(says(refusal(with_key(text("k") + u32(kArray) + u32(kU8) + u64(1ull << 39)), size), "go past 256 MiB"));
  if (!kBrief) {  // 32 million empty texts
    CHECK(says(refusal(with_key(text("k") + u32(kArray) + u32(kText) + u64(1ull << 36)), size), "go past 256 MiB"));
  }
  CHECK(says(refusal(with_key(text("k") + u32(kArray) + u32(kArray) + u64(65'537)), size), "65537 arrays"));
  CHECK(says(refusal(with_key(text("k") + u32(13)), size), "type 13"));
  CHECK(says(refusal(with_key(text("k") + u32(kArray) + u32(13) + u64(1)), size), "type 13"));
  CHECK(says(refusal(with_key(text("k") + u32(kBool) + "\x07"), size), "true or false as 7"));
}

TEST_CASE("arrays in arrays in arrays are refused, however many") {
  std::string nested;
  for (int i = 0; i < 100'000; ++i) nested += u32(kArray) + u64(1);
  CHECK(says(refusal("GGUF" + u32(3) + u64(0) + u64(1) + text("k") + u32(kArray) + nested), "nested more than 2 deep"));
}

TEST_CASE("a hostile tensor is refused by what is wrong with it") {
  const auto one = [](std::string_view name, const std::vector<std::uint64_t>& dims, std::uint32_t type = kTypeF32,
                      std::uint64_t offset = 0) {
    Writer writer;
    writer.tensors = {tensor_entry(name, dims, type, offset)};
    return refusal(writer.head(), 1ull << 40);
  };
  CHECK(says(one("t", {1, 1, 1, 1, 1}), "5 dimensions"));
  CHECK(says(one("t", {4, 0}), "a dimension of 0"));
  CHECK(says(one("t", {~0ull}), "a dimension of -1"));
  CHECK(says(one("t", {1ull << 32, 1ull << 32}), "a dimension of 4294967296"));
  CHECK(says(one("t", {1ull << 62}), "larger than any file"));
  CHECK(says(one("t", {32}, 5), "ggml type 5"));
  CHECK(says(one("t", {32}, 142), "ggml type 142"));
  CHECK(says(one("t", {255}, kTypeQ4K), "rows of 255, but Q4_K comes in blocks of 256"));
  CHECK(says(one("t", {8}, kTypeF32, 16), "no multiple of 32"));
  CHECK(says(one("t", {8}, kTypeF32, ~31ull), "larger than any file"));
  CHECK(says(one("t", {8}, kTypeF32, 1ull << 50), "past the 0 bytes of the tensors before it"));
  CHECK(says(one("", {8}), "a name of 0 bytes"));
  CHECK(says(one(std::string(256, 'x'), {8}), "a name of 256 bytes"));
}

TEST_CASE("names that stand twice and data that overlap are refused at the second") {
  Writer keys;
  keys.keys = {key("a", 1), key("b", 2), key("a", 3)};
  // each key is 9 + 4 + 4 = 17 bytes: the third begins at 24 + 34
  CHECK(refusal(keys).where == "m.gguf: byte 58");
  CHECK(says(refusal(keys), "\"a\" stands twice"));
  Writer tensors;
  tensors.add("t", {8});
  tensors.add("t", {8});
  CHECK(says(refusal(tensors), "\"t\" stands twice"));
  Writer overlap;
  overlap.tensors = {tensor_entry("a", {16}, kTypeF32, 0), tensor_entry("b", {16}, kTypeF32, 32)};
  CHECK(says(refusal(overlap.head(), 10'000), "\"b\" overlaps"));
}

TEST_CASE("an alignment is a power of two, and moves the data") {
  for (const std::uint32_t wrong : {0u, 3u, 48u, 0x80000001u}) {
    Writer writer;
    writer.keys = {key("general.alignment", wrong)};
    CHECK(says(refusal(writer), "general.alignment"));
  }
  Writer words;
  words.keys = {key("general.alignment", "32")};
  CHECK(says(refusal(words), "general.alignment is a text"));
  Writer wide;
  wide.keys = {key("general.alignment", 4096)};
  wide.add("t", {8});
  // the data begin at 4,096 and take 32 bytes
  const std::string head = wide.head();
  CHECK(read_gguf(sparse(head, 4096 + 32), "m.gguf").has_value());
  CHECK(refusal(head, 4096 + 31).what == "truncated: 4127 of 4128 bytes present");
}

TEST_CASE("a medium that fails is an error, not an empty model") {
  const ByteSource broken = {1000, [](std::uint64_t, std::span<char>) { return false; }};
  const auto header = read_gguf(broken, "m.gguf");
  REQUIRE_FALSE(header.has_value());
  CHECK(says(header.error().front(), "cannot be read"));
  CHECK_FALSE(file_source("/").has_value());
  CHECK_FALSE(file_source("/no/such/file").has_value());
}

TEST_CASE("the head of a 400 GB model is read in windows, in milliseconds, and none of its data") {
  Writer writer = minimal("qwen3moe");
  std::string tokens, merges;
  for (int i = 0; i < 200'000; ++i) tokens += text(fmt::format("token number {:08}", i));
  for (int i = 0; i < 400'000; ++i) merges += text(fmt::format("left {:06} right {:06}", i, i));
  writer.keys.push_back(key("tokenizer.ggml.tokens", kArray, array_of(kText, 200'000, tokens)));
  writer.keys.push_back(key("tokenizer.ggml.scores", kArray, array_of(kF32, 200'000, std::string(800'000, '\0'))));
  writer.keys.push_back(key("tokenizer.ggml.merges", kArray, array_of(kText, 400'000, merges)));
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < 22; ++j) writer.add(fmt::format("blk.{}.attn_extra_{}.weight", i, j), {4096, 4096}, kTypeQ6K);
    writer.add(fmt::format("blk.{}.ffn_up_exps.weight", i), {8192, 2048, 256}, kTypeQ6K);
  }
  const std::string head = writer.head();
  CHECK(head.size() > 18e6);
  CHECK(static_cast<double>(writer.size()) > 380e9);

  std::uint64_t bytes_read = 0, largest_read = 0;
  const ByteSource source = sparse(head, writer.size());
  const ByteSource counted = {source.size, [&](std::uint64_t offset, std::span<char> into) {
                                bytes_read += into.size();
                                largest_read = std::max<std::uint64_t>(largest_read, into.size());
                                return source.read(offset, into);
                              }};
  const std::clock_t begin = std::clock();  // of the processor: a busy machine does not matter
  const auto header = read_gguf(counted, "m.gguf");
  const double took = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  REQUIRE(header.has_value());
  CHECK(header->tensors.tensors.size() == 2300);
  CHECK(number(*header->find("tokenizer.ggml.tokens"), "length") == 200'000);
  CHECK(largest_read <= 1 << 20);
  CHECK(bytes_read < head.size() + (3 << 20));  // a window is read again where a field straddles its end
  MESSAGE(fmt::format("a head of {:.1f} MB took {:.1f} ms", static_cast<double>(head.size()) / 1e6, took));
  CHECK(took < 500);  // 50 in a release build; sanitizers take several times as long
}

TEST_CASE("Llama 3 8B's header becomes its config") {
  Writer writer;
  writer.keys = {key("general.architecture", "llama"),
                 key("llama.block_count", 32),
                 key("llama.context_length", 8192),
                 key("llama.embedding_length", 4096),
                 key("llama.feed_forward_length", 14336),
                 key("llama.attention.head_count", 32),
                 key("llama.attention.head_count_kv", 8),
                 key("llama.rope.dimension_count", 128),
                 key("llama.rope.freq_base", kF32, u32(std::bit_cast<std::uint32_t>(500000.0f))),
                 key("llama.vocab_size", 128256)};
  writer.add("token_embd.weight", {4096, 128256}, kTypeQ4K);
  writer.add("blk.0.attn_q.weight", {4096, 4096}, kTypeQ4K);
  writer.add("output.weight", {4096, 128256}, kTypeQ6K);
  const JsonValue llama = config(writer);
  CHECK(word(llama, "model_type") == "llama");
  CHECK(number(llama, "num_hidden_layers") == 32);
  CHECK(number(llama, "hidden_size") == 4096);
  CHECK(number(llama, "intermediate_size") == 14336);
  CHECK(number(llama, "num_attention_heads") == 32);
  CHECK(number(llama, "num_key_value_heads") == 8);
  CHECK(number(llama, "head_dim") == 128);  // 4,096 / 32
  CHECK(number(llama, "vocab_size") == 128256);
  CHECK(number(llama, "max_position_embeddings") == 8192);
  CHECK(number(llama, "rope_theta") == 500000);
  CHECK_FALSE(flag(llama, "tie_word_embeddings"));
  CHECK_FALSE(flag(llama, "attention_bias"));
  CHECK_FALSE(flag(llama, "mlp_bias"));
}

TEST_CASE("Qwen3 30B-A3B's header becomes its config") {
  Writer writer;
  writer.keys = {key("general.architecture", "qwen3moe"),     key("qwen3moe.block_count", 48),
                 key("qwen3moe.context_length", 40960),       key("qwen3moe.embedding_length", 2048),
                 key("qwen3moe.feed_forward_length", 6144),   key("qwen3moe.attention.head_count", 32),
                 key("qwen3moe.attention.head_count_kv", 4),  key("qwen3moe.attention.key_length", 128),
                 key("qwen3moe.attention.value_length", 128), key("qwen3moe.expert_count", 128),
                 key("qwen3moe.expert_used_count", 8),        key("qwen3moe.expert_feed_forward_length", 768)};
  writer.add("token_embd.weight", {2048, 151936}, kTypeQ4K);
  writer.add("blk.0.attn_q_norm.weight", {128});
  const JsonValue qwen = config(writer);
  CHECK(word(qwen, "model_type") == "qwen3_moe");
  CHECK(number(qwen, "num_experts") == 128);
  CHECK(number(qwen, "num_experts_per_tok") == 8);
  CHECK(number(qwen, "moe_intermediate_size") == 768);
  CHECK(number(qwen, "intermediate_size") == 6144);
  CHECK(number(qwen, "head_dim") == 128);
  CHECK(number(qwen, "vocab_size") == 151936);  // no key: the rows of the embedding
  CHECK(flag(qwen, "tie_word_embeddings"));     // no output.weight
  CHECK(flag(qwen, "use_qk_norm"));
  CHECK(qwen.find("v_head_dim") == nullptr);
}

TEST_CASE("latent attention is read from the new keys and from the old; the router tells V3 from V2") {
  // DeepSeek V3: 128 without and 64 with position, values of 128, rank 512; GGUF's head is 512 + 64
  Writer v3 = minimal("deepseek2");
  for (auto& [name, value] : std::vector<std::pair<std::string, std::uint32_t>>{{"attention.head_count_kv", 1},
                                                                                {"attention.kv_lora_rank", 512},
                                                                                {"attention.q_lora_rank", 1536},
                                                                                {"attention.key_length", 576},
                                                                                {"attention.value_length", 512},
                                                                                {"attention.key_length_mla", 192},
                                                                                {"attention.value_length_mla", 128},
                                                                                {"rope.dimension_count", 64},
                                                                                {"expert_count", 256},
                                                                                {"expert_used_count", 8},
                                                                                {"expert_shared_count", 1},
                                                                                {"expert_feed_forward_length", 2048},
                                                                                {"leading_dense_block_count", 3},
                                                                                {"expert_gating_func", 2}}) {
    v3.keys.push_back(key("deepseek2." + name, value));
  }
  const JsonValue now = config(v3);
  CHECK(word(now, "model_type") == "deepseek_v3");
  CHECK(number(now, "kv_lora_rank") == 512);
  CHECK(number(now, "q_lora_rank") == 1536);
  CHECK(number(now, "qk_rope_head_dim") == 64);
  CHECK(number(now, "qk_nope_head_dim") == 128);
  CHECK(number(now, "v_head_dim") == 128);
  CHECK(number(now, "num_key_value_heads") == 4);
  CHECK(number(now, "n_routed_experts") == 256);
  CHECK(number(now, "n_shared_experts") == 1);
  CHECK(number(now, "first_k_dense_replace") == 3);
  CHECK(word(now, "scoring_func") == "sigmoid");
  CHECK(now.find("head_dim") == nullptr);

  Writer v2 = minimal("deepseek2");
  v2.keys.push_back(key("deepseek2.attention.kv_lora_rank", 512));
  v2.keys.push_back(key("deepseek2.attention.key_length", 192));
  v2.keys.push_back(key("deepseek2.attention.value_length", 128));
  v2.keys.push_back(key("deepseek2.rope.dimension_count", 64));
  const JsonValue before = config(v2);
  CHECK(word(before, "model_type") == "deepseek_v2");
  CHECK(number(before, "qk_nope_head_dim") == 128);
  CHECK(before.find("q_lora_rank")->is_null());

  Writer broken = minimal("deepseek2");
  broken.keys.push_back(key("deepseek2.attention.kv_lora_rank", 512));
  CHECK(says(config_refusal(broken), "latent attention without the sizes"));
}

TEST_CASE("modules for multi-token prediction are not layers") {
  Writer writer = minimal("glm4moe");  // 4 blocks
  writer.keys.push_back(key("glm4moe.nextn_predict_layers", 1));
  const JsonValue glm = config(writer);
  CHECK(number(glm, "num_hidden_layers") == 3);
  CHECK(number(glm, "num_nextn_predict_layers") == 1);
  Writer all = minimal("glm4moe");
  all.keys.push_back(key("glm4moe.nextn_predict_layers", 4));
  CHECK(says(config_refusal(all), "4 blocks, 4 of them"));
}

TEST_CASE("a hybrid's layers come from its zeros") {
  Writer nemotron;
  nemotron.keys = {key("general.architecture", "nemotron_h"),
                   key("nemotron_h.block_count", 4),
                   key("nemotron_h.embedding_length", 64),
                   key("nemotron_h.attention.head_count", 8),
                   list("nemotron_h.attention.head_count_kv", {0, 0, 2, 0}),
                   list("nemotron_h.feed_forward_length", {0, 128, 0, 0}),
                   key("nemotron_h.ssm.inner_size", 128),
                   key("nemotron_h.ssm.time_step_rank", 16),
                   key("nemotron_h.ssm.state_size", 32),
                   key("nemotron_h.ssm.group_count", 2),
                   key("nemotron_h.ssm.conv_kernel", 4)};
  const JsonValue mixed = config(nemotron);
  CHECK(word(mixed, "hybrid_override_pattern") == "M-*M");
  CHECK(number(mixed, "num_key_value_heads") == 2);
  CHECK(number(mixed, "intermediate_size") == 128);
  CHECK(number(mixed, "mamba_head_dim") == 8);  // 128 / 16
  CHECK(number(mixed, "n_groups") == 2);

  Writer kimi = minimal("kimi-linear");
  kimi.keys.push_back(list("kimi-linear.attention.head_count_kv", {0, 0, 0, 1}));
  kimi.keys.push_back(key("kimi-linear.kda.head_dim", 128));
  const JsonValue linear = config(kimi);
  const JsonValue* parts = linear.find("linear_attn_config");
  REQUIRE(parts != nullptr);
  CHECK(*parts->find("full_attn_layers")->array()->at(0).number() == 4);
  CHECK(parts->find("kda_layers")->array()->size() == 3);
}

TEST_CASE("sizes that differ between layers stay a list; a list too short is an error") {
  Writer writer = minimal("gemma3n");
  writer.keys.back() = list("gemma3n.feed_forward_length", {128, 128, 256, 256});
  CHECK(config(writer).find("intermediate_size")->array()->size() == 4);
  writer.keys.back() = list("gemma3n.feed_forward_length", {128, 128, 128, 128});
  CHECK(number(config(writer), "intermediate_size") == 128);
  writer.keys.back() = list("gemma3n.feed_forward_length", {128});
  CHECK(says(config_refusal(writer), "1 numbers for 4 layers"));
  writer.keys.back() = key("gemma3n.feed_forward_length", "wide");
  CHECK(says(config_refusal(writer), "is a text"));
}

TEST_CASE("a header without tensors says nothing about tying and biases") {
  const JsonValue bare = config(minimal("llama"));
  CHECK(bare.find("tie_word_embeddings") == nullptr);
  CHECK(bare.find("attention_bias") == nullptr);
  Writer writer = minimal("llama");
  writer.add("token_embd.weight", {64, 10});
  writer.add("blk.3.attn_q.bias", {64});
  CHECK(flag(config(writer), "tie_word_embeddings"));
  CHECK(flag(config(writer), "attention_bias"));
}

TEST_CASE("windows come as a period or layer by layer") {
  Writer period = minimal("gemma3");
  period.keys.push_back(key("gemma3.attention.sliding_window", 512));
  period.keys.push_back(key("gemma3.attention.sliding_window_pattern", 6));
  CHECK(number(config(period), "sliding_window") == 512);
  CHECK(number(config(period), "sliding_window_pattern") == 6);
  period.keys.back() = key("gemma3.attention.sliding_window_pattern", kArray,
                           array_of(kBool, 4, std::string_view("\x01\x00\x01\x00", 4)));
  const JsonValue listed = config(period);
  CHECK(*listed.find("layer_types")->array()->at(1).text() == "full_attention");
  CHECK(*listed.find("layer_types")->array()->at(2).text() == "sliding_attention");
}

TEST_CASE("an unknown architecture is named with its neighbors; a model without sizes is refused") {
  const Error unknown = config_refusal(minimal("qwen3mo"));
  CHECK(says(unknown, "\"qwen3mo\" is not known"));
  CHECK(unknown.hint.find("qwen3moe") != std::string::npos);
  CHECK(config_refusal(minimal("clip")).hint.find("vision") != std::string::npos);
  Writer empty;
  CHECK(says(config_refusal(empty), "is missing"));
  Writer none = minimal("llama");
  none.keys[1] = key("llama.block_count", 0);
  CHECK(says(config_refusal(none), "is 0"));
  none.keys[1] = key("llama.block_count", 4'000'000'000);
  CHECK(says(config_refusal(none), "4000000000 blocks"));
}

TEST_CASE("the parts of a split model are joined, and only whole") {
  const auto part = [](std::uint32_t number, std::uint32_t of, const std::vector<std::string>& names) {
    Writer writer = number == 0 ? minimal("llama") : Writer{};
    writer.keys.push_back(key("split.no", number));
    writer.keys.push_back(key("split.count", of));
    writer.keys.push_back(key("split.tensors.count", 2));
    for (const std::string& name : names) writer.add(name, {64, 10});
    return *read(writer);
  };
  const GgufHeader first = part(0, 2, {"token_embd.weight"}), second = part(1, 2, {"output.weight"});
  const auto whole = join_gguf({second, first}, "m");
  REQUIRE(whole.has_value());
  CHECK(whole->tensors.tensors.size() == 2);
  CHECK(whole->file_bytes == first.file_bytes + second.file_bytes);
  const auto translated = config_from_gguf(*whole, "m");
  REQUIRE(translated.has_value());
  CHECK_FALSE(flag(*translated, "tie_word_embeddings"));
  CHECK(says(config_from_gguf(first, "m").error().front(), "1 of 2 tensors"));
  CHECK_FALSE(join_gguf({first}, "m").has_value());
  CHECK_FALSE(join_gguf({first, first}, "m").has_value());
  CHECK_FALSE(join_gguf({}, "m").has_value());
  CHECK(says(join_gguf({first, part(1, 2, {"token_embd.weight"})}, "m").error().front(), "stands in two parts"));
  CHECK(says(join_gguf({first, part(1, 2, {})}, "m").error().front(), "hold 1 tensors"));
  Writer single = minimal("llama");
  CHECK(join_gguf({*read(single)}, "m").has_value());
}

TEST_CASE("a tensor's name says what it is for") {
  const std::vector<std::pair<std::string, Part>> parts = {{"token_embd.weight", Part::embedding},
                                                           {"per_layer_token_embd.weight", Part::embedding},
                                                           {"token_embd_norm.weight", Part::norms},
                                                           {"output.weight", Part::head},
                                                           {"output_norm.weight", Part::norms},
                                                           {"blk.0.attn_norm.weight", Part::norms},
                                                           {"blk.0.post_attention_norm.weight", Part::norms},
                                                           {"blk.0.ffn_norm.weight", Part::norms},
                                                           {"blk.11.attn_q.weight", Part::attention},
                                                           {"blk.11.attn_q_norm.weight", Part::attention},
                                                           {"blk.11.attn_kv_a_norm.weight", Part::attention},
                                                           {"blk.11.ssm_norm.weight", Part::attention},
                                                           {"blk.11.ssm_conv1d.bias", Part::attention},
                                                           {"blk.11.indexer.k_norm.weight", Part::attention},
                                                           {"blk.11.shortconv.in_proj.weight", Part::attention},
                                                           {"blk.3.ffn_gate.weight", Part::dense_ffn},
                                                           {"blk.3.ffn_gate.7.weight", Part::routed_experts},
                                                           {"blk.3.ffn_down_exps.weight", Part::routed_experts},
                                                           {"blk.3.ffn_gate_up_exps.weight", Part::routed_experts},
                                                           {"blk.3.ffn_up_shexp.weight", Part::shared_experts},
                                                           {"blk.3.ffn_gate_inp_shexp.weight", Part::shared_experts},
                                                           {"blk.3.ffn_latent_down.weight", Part::shared_experts},
                                                           {"blk.3.ffn_gate_inp.weight", Part::router},
                                                           {"blk.3.exp_probs_b.bias", Part::router},
                                                           {"blk.46.nextn.eh_proj.weight", Part::mtp},
                                                           {"blk.3.altup_router.weight", Part::other},
                                                           {"rope_freqs.weight", Part::other},
                                                           {"v.blk.0.attn_q.weight", Part::vision},
                                                           {"mm.0.weight", Part::vision},
                                                           {"a.blk.0.attn_q.weight", Part::audio},
                                                           {"blk.", Part::other},
                                                           {"blk.x.attn_q.weight", Part::other},
                                                           {"blk.99999999999999999999.attn_q.weight", Part::other},
                                                           {"", Part::other}};
  for (const auto& [name, part] : parts) {
    CAPTURE(name);
    CHECK(name_of(part_of_gguf_tensor(name)) == name_of(part));
  }
  CHECK(part_of_gguf_tensor("blk.46.attn_q.weight", 46) == Part::mtp);
  CHECK(part_of_gguf_tensor("blk.45.attn_q.weight", 46) == Part::attention);
}

TEST_CASE("the corpus of small files and seeded changes of it are answered or refused with a reason, never worse") {
  const std::filesystem::path folder = std::filesystem::path(RIDGE_CATALOG).parent_path() / "tests/fuzz/corpus/gguf";
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  CHECK(paths.size() > 30);
  std::mt19937 random(20261115);
  int acceptance_rate = 0;
  for (const auto& path : paths) {
    CAPTURE(path.filename().string());
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    CHECK(fuzz::gguf_complaint(bytes) == "");
    const auto header = read_gguf(memory_source(bytes), "m.gguf");
    if (header && config_from_gguf(*header, "m.gguf")) ++acceptance_rate;
    for (int i = 0; i < repeats(300) && !bytes.empty(); ++i) {
      std::string changed = bytes;
      for (auto left = 1 + random() % 3; left > 0; --left)
        changed[random() % bytes.size()] = static_cast<char>(random());
      CAPTURE(i);
      CHECK(fuzz::gguf_complaint(changed) == "");
    }
  }
  CHECK(acceptance_rate >= 14);
}

}  // namespace gguf_test
