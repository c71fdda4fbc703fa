// Are quantities read as people mean them, and is everything else refused with a hint?

#include "base/text/unit_text.hpp"

#include <limits>
#include <string>

#include <doctest/doctest.h>

namespace {

using ridge::Dimension;
using ridge::kByte;
using ridge::kDollar;
using ridge::kFlop;
using ridge::kJoule;
using ridge::kNone;
using ridge::kParam;
using ridge::kSecond;
using ridge::kToken;
using ridge::Measure;
using ridge::parse_as;
using ridge::parse_measure;
using ridge::show;

/// The one error of a text that must be refused.
ridge::Error refusal(std::string_view text, Dimension dimension) {
  const auto parsed = parse_as(text, dimension, "--here");
  REQUIRE_FALSE(parsed.has_value());
  REQUIRE(parsed.error().size() == 1);
  CHECK(parsed.error().front().where == "--here");
  CHECK_FALSE(parsed.error().front().what.empty());
  CHECK_FALSE(parsed.error().front().hint.empty());
  return parsed.error().front();
}

bool mentions(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the quantities of the README are read in base units") {
  CHECK(parse_measure("141 GB", "").value() == Measure{141e9, kByte});
  CHECK(parse_measure("4.8 TB/s", "").value() == Measure{4.8e12, kByte / kSecond});
  CHECK(parse_measure("192 GiB", "").value() == Measure{192 * 0x1p30, kByte});  // 206,158,430,208
  CHECK(parse_measure("$2.10/h", "").value().value == doctest::Approx(2.10 / 3600).epsilon(1e-15));
  CHECK(parse_measure("$2.10/h", "").value().dimension == kDollar / kSecond);
  CHECK(parse_measure("20 ms", "").value() == Measure{0.020, kSecond});
  CHECK(parse_measure("32k tokens", "").value() == Measure{32000, kToken});
}

TEST_CASE("spaces, prefixes and compound units are read the same however they are written") {
  for (const auto* text : {"80GB", "80 GB", "  80\tGB ", "80e9 B", "0.08 TB", "80000 MB", "8e1 GB", "+80 GB"}) {
    CAPTURE(text);
    CHECK(parse_as(text, kByte, "").value() == doctest::Approx(80e9).epsilon(1e-15));
  }
  CHECK(parse_as("32Ki tokens", kToken, "").value() == 32768);
  CHECK(parse_as("32 ktokens", kToken, "").value() == 32000);
  CHECK(parse_as("2M", kNone, "").value() == 2e6);
  CHECK(parse_as("50 %", kNone, "").value() == 0.5);
  CHECK(parse_as("$0.08/kWh", kDollar / kJoule, "").value() == doctest::Approx(0.08 / 3.6e6).epsilon(1e-15));
  CHECK(parse_as("1.73 kW", kJoule / kSecond, "").value() == doctest::Approx(1730));
  CHECK(parse_as("4 year", kSecond, "").value() == 4 * 365.25 * 86400);
  CHECK(parse_as("$30000", kDollar, "").value() == 30000);
  CHECK(parse_as("$3k", kDollar, "").value() == 3000);
  CHECK(parse_as("671 Gparam", kParam, "").value() == 671e9);
  CHECK(parse_as("671B", kParam, "").value() == 671e9);
  CHECK(parse_as("671 B", kParam, "").value() == 671e9);
  CHECK(parse_as("671B params", kParam, "").value() == 671e9);
  CHECK(parse_as("2B", kToken, "").value() == 2e9);
  CHECK(parse_as("10B tok/day", kToken / kSecond, "").value() == doctest::Approx(10e9 / 86400));
  CHECK(parse_as("3B", kNone, "").value() == 3e9);
  CHECK(parse_as("$1B", kDollar, "").value() == 1e9);
  CHECK(parse_as("80B", kByte, "").value() == 80);  // where bytes are wanted, B is a byte
  CHECK(parse_as("70272 B/token", kByte / kToken, "").value() == 70272);
  CHECK(parse_as("50 µs", kSecond, "").value() == doctest::Approx(50e-6).epsilon(1e-15));
  CHECK(parse_as("-3 ms", kSecond, "").value() ==
        doctest::Approx(-3e-3).epsilon(1e-15));  // the domain is checked later
}

TEST_CASE("a bare number where bytes are needed shows both readings with their values") {
  const ridge::Error error = refusal("80", kByte);
  CHECK(mentions(error.what, "unit missing"));
  CHECK(mentions(error.hint, "80 GB (8e+10 B)"));
  CHECK(mentions(error.hint, "80 GiB (8.59e+10 B)"));  // 80 * 2^30 = 85,899,345,920
  CHECK(mentions(refusal("4.8", kByte / kSecond).hint, "4.8 TB/s (4.8e+12 B/s)"));
  CHECK(mentions(refusal("20", kSecond).hint, "20 ms (0.02 s) or 20 s (20 s)"));
  CHECK(mentions(refusal("2.1", kDollar / kSecond).hint, "$2.1/h"));
  CHECK(mentions(refusal("989", kFlop / kSecond).hint, "989 TFLOP/s"));
  // tokens and parameters have one reading only, so a bare count is no mistake
  CHECK(parse_as("8192", kToken, "").value() == 8192);
  CHECK(parse_as("8192", kParam, "").value() == 8192);
}

TEST_CASE("bits are refused, not read as bytes") {
  for (const auto* text : {"400 Gb", "400 Gbit", "400 Gb/s", "400 Gbit/s", "400 Gbps"}) {
    CAPTURE(text);
    CHECK(mentions(refusal(text, kByte / kSecond).hint, "bits are not accepted"));
  }
}

TEST_CASE("a capital K is refused with k and Ki offered") {
  for (const auto* text : {"80 KB", "80KB"}) {
    CAPTURE(text);
    CHECK(mentions(refusal(text, kByte).hint, "write k for 1,000 or Ki for 1,024"));
  }
  CHECK(mentions(refusal("32K tokens", kToken).hint, "write k for 1,000 or Ki for 1,024"));
  CHECK(mentions(refusal("32K", kToken).hint, "write k for 1,000 or Ki for 1,024"));
}

TEST_CASE("what is no finite number is refused") {
  const std::string long_text = std::string(10000, '9') + " GB";
  const std::string deep = "1 " + std::string(5000, '/');
  for (const std::string& text : {std::string("nan"),
                                  std::string("nan GB"),
                                  std::string("inf"),
                                  std::string("-inf GB"),
                                  std::string("1e400"),
                                  std::string("1e400 GB"),
                                  std::string("1e300 EB"),
                                  std::string(""),
                                  std::string("   "),
                                  std::string("GB"),
                                  std::string("1..2"),
                                  std::string("1..2 GB"),
                                  std::string("--3"),
                                  std::string("--3 GB"),
                                  std::string("-$3"),
                                  std::string("$"),
                                  std::string("1,000 GB"),
                                  std::string("0x10 GB"),
                                  std::string("8 GB GB"),
                                  std::string("8 GB/"),
                                  std::string("8 / GB"),
                                  std::string("8 GB//s"),
                                  std::string("1e+ GB"),
                                  std::string("e5 GB"),
                                  std::string("."),
                                  std::string("8 \xff\xfe"),
                                  std::string("8 G\0B", 5),
                                  long_text,
                                  deep}) {
    CAPTURE(text.substr(0, 40));
    refusal(text, kByte);
  }
}

TEST_CASE("an error never repeats more of a long text than fits a screen") {
  const std::string text = std::string(100000, 'x');
  const ridge::Error error = refusal("8 " + text, kByte);
  CHECK(error.what.size() + error.hint.size() < 2000);
}

TEST_CASE("B is billions where a count is wanted, and bytes elsewhere") {
  for (const char* text : {"70B", "70G", "70B params", "70 B params", "70 Gparam", "7e10"}) {
    CAPTURE(text);
    CHECK(parse_as(text, kParam, "here").value() == 70e9);
  }
  CHECK(parse_as("15T", kToken, "here").value() == 15e12);
  CHECK(parse_as("2B", kToken, "here").value() == 2e9);
  CHECK(parse_as("80B", kByte, "here").value() == 80);
  CHECK(parse_as("$1B", kDollar, "here").value() == 1e9);
}

TEST_CASE("counts and money are written as people write them") {
  CHECK(show(671e9, kParam) == "671B params");
  CHECK(show(1.03e12, kParam) == "1.03T params");
  CHECK(money(0.3) == "$0.30");
  CHECK(money(0.47) == "$0.47");
  CHECK(money(0.0705) == "$0.0705");
  CHECK(money(12.5) == "$12.50");
  CHECK(money(562027) == "$562,027");
  CHECK(money(1.2e6) == "$1.2M");
  CHECK(money(-2) == "-$2.00");
  CHECK(show_gib(1175.9 * 0x1p30) == "1,176 GiB");
}

TEST_CASE("another dimension is refused, naming the one that is needed") {
  CHECK(mentions(refusal("4.8 TB/s", kByte).what, "is in B/s, but B is needed"));
  CHECK(mentions(refusal("20 ms", kNone).what, "but a plain number is needed"));
  CHECK(mentions(refusal("37 GB", kParam).hint, "70B"));  // bytes are no parameters
  CHECK(mentions(refusal("$5", kDollar / kSecond).hint, "$2.10/h"));
}

TEST_CASE("quantities are printed with the prefix a person would choose") {
  CHECK(show(0.002252, kSecond) == "2.252 ms");
  CHECK(show(8e12, kByte / kSecond) == "8 TB/s");
  CHECK(show(0.0769e-6, kDollar / kToken) == "$0.0769/Mtok");
  CHECK(show(3.3 / 3600, kDollar / kSecond) == "$3.30/h");
  CHECK(show(2048, kNone) == "2,048");
  CHECK(show(141e9, kByte) == "141 GB");
  CHECK(show(8192, kToken) == "8,192 tokens");
  CHECK(show(444.04, kToken / kSecond) == "444 tok/s");
  CHECK(show(2, kByte / kParam) == "2 B/param");
  CHECK(show(0.0, kSecond) == "0 s");
  CHECK(show(-0.002252, kSecond) == "-2.252 ms");
  CHECK(show(std::numeric_limits<double>::infinity(), kNone) == "unbounded");
  CHECK(ridge::show_gib(0x1p30 * 79.6) == "79.6 GiB");
  // just below a prefix: 999.96 MB rounds to 1,000 MB at four digits, so it is written as 1 GB
  CHECK(show(999.96e6, kByte) == "1 GB");
}
