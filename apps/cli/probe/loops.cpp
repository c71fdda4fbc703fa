#include "cli/probe/loops.hpp"

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ridge::cli {

namespace {

/// Sixteen chains of their own: more than a unit's latency has rounds, so that none waits for itself.
constexpr int kChains = 16;
constexpr std::size_t kBlock = 32;

// Whatever the processor: the compiler makes of them what it can.

std::uint64_t read_portable(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sums[8] = {};
  const std::size_t whole = count / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) sums[j] += words[i + j];
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t one : sums) sum += one;
  for (std::size_t i = whole; i < count; ++i) sum += words[i];
  return sum;
}

float fp32_portable(std::size_t rounds) {
  float chains[4 * kChains];
  for (int i = 0; i < 4 * kChains; ++i) chains[i] = static_cast<float>(i);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (float& chain : chains) chain = chain * 0.999F + 0.5F;
  }
  float sum = 0;
  for (const float chain : chains) sum += chain;
  return sum;
}

std::int64_t int8_portable(std::size_t rounds) {
  std::int8_t a[8 * kChains], b[8 * kChains];
  for (int i = 0; i < 8 * kChains; ++i) a[i] = b[i] = static_cast<std::int8_t>(i);
  std::int32_t sums[8 * kChains] = {};
  for (std::size_t round = 0; round < rounds; ++round) {
    a[round % 8] = static_cast<std::int8_t>(round & 0x7f);
    for (int i = 0; i < 8 * kChains; ++i) {
      sums[i] =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) + static_cast<std::uint32_t>(a[i] * b[i]));
    }
  }
  std::int64_t sum = 0;
  for (const std::int32_t one : sums) sum += one;
  return sum;
}

/// A 16-bit number that is neither subnormal nor infinite.
float widened(std::uint16_t half) {
  if ((half & 0x7fffU) == 0) return 0;
  return std::bit_cast<float>((half & 0x8000U) << 16U | ((half & 0x7fffU) + 0x1c000U) << 13U);
}

float dot_portable(const EightBitBlock* a, const EightBitBlock* b, std::size_t blocks) {
  float sum = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    std::int32_t inner = 0;
    for (std::size_t j = 0; j < kBlock; ++j) inner += a[i].values[j] * b[i].values[j];
    sum += static_cast<float>(inner) * (widened(a[i].scale) * widened(b[i].scale));
  }
  return sum;
}

constexpr ProbeLoops kPortable{.instructions = "portable loops",
                               .portable = true,
                               .read = read_portable,
                               .fp32 = fp32_portable,
                               .fp32_round = 2.0 * 4 * kChains,
                               .int8 = int8_portable,
                               .int8_round = 2.0 * 8 * kChains,
                               .dot = dot_portable};

#if defined(__x86_64__)

#define RIDGE_AVX2 __attribute__((target("avx2,fma,f16c")))
#define RIDGE_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma,f16c")))

RIDGE_AVX2 inline std::uint64_t sum_of(__m256i words) {
  std::uint64_t parts[4];
  std::memcpy(parts, &words, sizeof parts);
  return parts[0] + parts[1] + parts[2] + parts[3];
}

RIDGE_AVX2 inline float sum_of_floats(__m256 numbers) {
  float parts[8];
  std::memcpy(parts, &numbers, sizeof parts);
  float sum = 0;
  for (const float part : parts) sum += part;
  return sum;
}

RIDGE_AVX2 std::uint64_t read_avx2(const std::uint64_t* words, std::size_t count) {
  __m256i sums[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
  const std::size_t whole = count / 16 * 16;
  for (std::size_t i = 0; i < whole; i += 16) {
    for (std::size_t j = 0; j < 4; ++j)
      sums[j] = _mm256_add_epi64(sums[j], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + i + 4 * j)));
  }
  std::uint64_t sum = sum_of(sums[0]) + sum_of(sums[1]) + sum_of(sums[2]) + sum_of(sums[3]);
  for (std::size_t i = whole; i < count; ++i) sum += words[i];
  return sum;
}

/// Twelve: there are sixteen registers, and two hold the factors.
constexpr int kFewChains = 12;

RIDGE_AVX2 float fp32_avx2(std::size_t rounds) {
  const __m256 factor = _mm256_set1_ps(0.999F), added = _mm256_set1_ps(0.5F);
  __m256 chains[kFewChains];
  for (int i = 0; i < kFewChains; ++i) chains[i] = _mm256_set1_ps(static_cast<float>(i));
  for (std::size_t round = 0; round < rounds; ++round) {
    for (int i = 0; i < kFewChains; ++i) chains[i] = _mm256_fmadd_ps(chains[i], factor, added);
  }
  float sum = 0;
  for (int i = 0; i < kFewChains; ++i) sum += sum_of_floats(chains[i]);
  return sum;
}

RIDGE_AVX2 std::int64_t int8_avx2(std::size_t rounds) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i a = _mm256_set1_epi8(3);
  const __m256i b = _mm256_set1_epi8(5);
  __m256i chains[8];
  for (__m256i& chain : chains) chain = _mm256_setzero_si256();
  for (std::size_t round = 0; round < rounds; ++round) {
    for (__m256i& chain : chains) {
      a = _mm256_xor_si256(a, b);  // or one product would do for all
      chain = _mm256_add_epi32(chain, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones));
    }
  }
  std::uint64_t sum = 0;
  for (const __m256i& chain : chains) sum += sum_of(chain);
  return static_cast<std::int64_t>(sum >> 1U);
}

/// Products of signed numbers by an instruction that wants one side unsigned: the sign moves to the other.
RIDGE_AVX2 float dot_avx2(const EightBitBlock* a, const EightBitBlock* b, std::size_t blocks) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256 sum = _mm256_setzero_ps();
  for (std::size_t i = 0; i < blocks; ++i) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a[i].values));
    const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b[i].values));
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_sign_epi8(x, x), _mm256_sign_epi8(y, x));
    const __m256 inner = _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, ones));
    const __m256 scale = _mm256_set1_ps(_cvtsh_ss(a[i].scale) * _cvtsh_ss(b[i].scale));
    sum = _mm256_fmadd_ps(inner, scale, sum);
  }
  return sum_of_floats(sum);
}

RIDGE_AVX512 std::uint64_t read_avx512(const std::uint64_t* words, std::size_t count) {
  __m512i sums[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
  const std::size_t whole = count / 32 * 32;
  for (std::size_t i = 0; i < whole; i += 32) {
    for (std::size_t j = 0; j < 4; ++j) sums[j] = _mm512_add_epi64(sums[j], _mm512_loadu_si512(words + i + 8 * j));
  }
  std::uint64_t sum = 0;
  for (const __m512i& one : sums) {
    std::uint64_t parts[8];
    std::memcpy(parts, &one, sizeof parts);
    for (const std::uint64_t part : parts) sum += part;
  }
  for (std::size_t i = whole; i < count; ++i) sum += words[i];
  return sum;
}

RIDGE_AVX512 float fp32_avx512(std::size_t rounds) {
  const __m512 factor = _mm512_set1_ps(0.999F), added = _mm512_set1_ps(0.5F);
  __m512 chains[kChains];
  for (int i = 0; i < kChains; ++i) chains[i] = _mm512_set1_ps(static_cast<float>(i));
  for (std::size_t round = 0; round < rounds; ++round) {
    for (int i = 0; i < kChains; ++i) chains[i] = _mm512_fmadd_ps(chains[i], factor, added);
  }
  float sum = 0;
  for (const __m512& chain : chains) {
    float parts[16];
    std::memcpy(parts, &chain, sizeof parts);
    for (const float part : parts) sum += part;
  }
  return sum;
}

RIDGE_AVX512 std::int64_t int8_avx512(std::size_t rounds) {
  const __m512i a = _mm512_set1_epi8(3), b = _mm512_set1_epi8(5);
  __m512i chains[kChains];
  for (__m512i& chain : chains) chain = _mm512_setzero_si512();
  for (std::size_t round = 0; round < rounds; ++round) {
    for (__m512i& chain : chains) chain = _mm512_dpbusd_epi32(chain, a, b);
  }
  std::int64_t sum = 0;
  for (const __m512i& chain : chains) {
    std::int32_t parts[16];
    std::memcpy(parts, &chain, sizeof parts);
    for (const std::int32_t part : parts) sum += part;
  }
  return sum;
}

RIDGE_AVX512 float dot_avx512(const EightBitBlock* a, const EightBitBlock* b, std::size_t blocks) {
  __m256 sum = _mm256_setzero_ps();
  for (std::size_t i = 0; i < blocks; ++i) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a[i].values));
    const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b[i].values));
    const __m256i inner = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_sign_epi8(x, x), _mm256_sign_epi8(y, x));
    const __m256 scale = _mm256_set1_ps(_cvtsh_ss(a[i].scale) * _cvtsh_ss(b[i].scale));
    sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(inner), scale, sum);
  }
  return sum_of_floats(sum);
}

constexpr ProbeLoops kAvx2{.instructions = "AVX2",
                           .portable = false,
                           .read = read_avx2,
                           .fp32 = fp32_avx2,
                           .fp32_round = 2.0 * 8 * kFewChains,
                           .int8 = int8_avx2,
                           .int8_round = 2.0 * 32 * 8,
                           .dot = dot_avx2};
constexpr ProbeLoops kAvx512{.instructions = "AVX-512 VNNI",
                             .portable = false,
                             .read = read_avx512,
                             .fp32 = fp32_avx512,
                             .fp32_round = 2.0 * 16 * kChains,
                             .int8 = int8_avx512,
                             .int8_round = 2.0 * 64 * kChains,
                             .dot = dot_avx512};

#endif

}  // namespace

std::vector<ProbeLoops> all_probe_loops() {
  std::vector<ProbeLoops> out = {kPortable};
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (avx2) out.push_back(kAvx2);
  if (avx2 && __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512vnni") != 0)
    out.push_back(kAvx512);
#endif
  return out;
}

ProbeLoops probe_loops() { return all_probe_loops().back(); }

}  // namespace ridge::cli
