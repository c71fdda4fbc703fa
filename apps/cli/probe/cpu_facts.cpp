#include "cli/probe/cpu_facts.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/facts/files.hpp"

namespace ridge::cli {

namespace {

std::string text_of_file(const std::string& path) {
  const auto text = catalog::read_file(path);
  return text ? *text : std::string();
}

/// The value of the first line "key : value"; empty where there is none.
std::string value_of(const std::string& text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || trimmed(std::string_view(line).substr(0, colon)) != key) continue;
    return std::string(trimmed(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

/// "24165012 kB" and "49152K" are both KiB.
double kibibytes(const std::string& text) {
  const auto number = parse_number(text.substr(0, text.find_first_not_of("0123456789")));
  return number ? *number * 1024 : 0;
}

/// Of all last-level caches, each counted once however many threads share it.
double cache_bytes() {
  double bytes = 0;
  std::set<std::string> seen;
  for (int cpu = 0; cpu < 4096; ++cpu) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}/cache/index3/", cpu);
    const std::string shared = text_of_file(folder + "shared_cpu_list");
    if (shared.empty()) break;
    if (seen.insert(shared).second) bytes += kibibytes(text_of_file(folder + "size"));
  }
  return bytes;
}

std::string vendor_named(const std::string& cpuinfo) {
  const std::string vendor = value_of(cpuinfo, "vendor_id");
  if (vendor == "GenuineIntel") return "Intel";
  if (vendor == "AuthenticAMD") return "AMD";
  if (!vendor.empty()) return vendor;
  return value_of(cpuinfo, "CPU implementer").empty() ? "unknown" : "Arm";
}

/// What a container may use; infinite where there is no limit.
double memory_limit() {
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const std::string text = text_of_file(path);
    if (const auto limit = parse_number(trimmed(text)); limit && *limit > 0) return *limit;
  }
  return 1e300;
}

}  // namespace

CpuFacts cpu_facts() {
  CpuFacts out;
  const std::string cpuinfo = text_of_file("/proc/cpuinfo"), meminfo = text_of_file("/proc/meminfo");
  const std::string title = value_of(cpuinfo, "model name");
  out.vendor = vendor_named(cpuinfo);
  out.title = title.empty() ? out.vendor + " CPU" : title;
  const std::string flags = value_of(cpuinfo, "flags") + " " + value_of(cpuinfo, "Features") + " ";
  for (const char* word : {" avx512_bf16 ", " amx_bf16 ", " bf16 "}) out.bf16 = out.bf16 || contains(flags, word);
  out.memory = std::min(kibibytes(value_of(meminfo, "MemTotal")), memory_limit());
  out.free_memory = std::min(kibibytes(value_of(meminfo, "MemAvailable")), out.memory);
  out.caches = cache_bytes();
  return out;
}

}  // namespace ridge::cli
