#include "simulate/client/request_mix.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "simulate/client/random.hpp"
#include "simulate/question_check.hpp"

namespace ridge::simulate {

namespace {

constexpr const char* kMixExample = "e.g. 'chat: 70% 1k/200, documents: 25% 30k/500, agents: 5% 8k/1k@90%'";

template <class Of>
double mean_over(const RequestMix& mix, Of of) {
  double sum = 0;
  for (const RequestClass& one : mix.classes) sum += one.share * of(one);
  return sum;
}

/// "70% 1k/200@50%" and a name before it, if any.
Result<RequestClass> parse_class(std::string_view text) {
  const auto refuse = [&](const char* what) {
    return fail({"mix", fmt::format("\"{}\": {}", shortened(std::string(trimmed(text))), what), kMixExample});
  };
  RequestClass out;
  std::string_view rest = trimmed(text);
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    out.name = std::string(trimmed(rest.substr(0, colon)));
    rest = trimmed(rest.substr(colon + 1));
  }
  const std::size_t space = rest.find(' ');
  if (space == std::string_view::npos) return refuse("a share and lengths are missing");
  const auto share = parse<Ratio<double>>(rest.substr(0, space), "mix");
  if (!share || !(share->value() > 0 && share->value() <= 1)) return refuse("the share is none between 0 and 100%");
  out.share = share->value();
  rest = trimmed(rest.substr(space));
  if (const std::size_t at = rest.find('@'); at != std::string_view::npos) {
    const auto cached = parse<Ratio<double>>(rest.substr(at + 1), "mix");
    if (!cached || !(cached->value() >= 0 && cached->value() < 1)) return refuse("what is cached is no share below 1");
    out.cached = cached->value();
    rest = trimmed(rest.substr(0, at));
  }
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return refuse("tokens in and out are missing");
  const auto isl = parse<Tokens<double>>(rest.substr(0, slash), "mix"),
             osl = parse<Tokens<double>>(rest.substr(slash + 1), "mix");
  const auto possible = [](const auto& tokens) {
    return tokens && tokens->value() >= 1 && tokens->value() <= kMostTokens;
  };
  if (!possible(isl) || !possible(osl)) return refuse("tokens are from 1 to 10 million");
  out.isl = isl->value();
  out.osl = osl->value();
  if (out.name.empty()) out.name = fmt::format("{:g}/{:g}", out.isl, out.osl);
  return out;
}

}  // namespace

double RequestMix::isl() const {
  return mean_over(*this, [](const RequestClass& one) { return one.isl; });
}
double RequestMix::osl() const {
  return mean_over(*this, [](const RequestClass& one) { return one.osl; });
}
double RequestMix::cached() const {
  return mean_over(*this, [](const RequestClass& one) { return one.isl * one.cached; }) / isl();
}

Result<RequestMix> parse_mix(std::string_view text) {
  RequestMix mix;
  Errors errors;
  double all = 0;
  for (const std::string_view part : split(text, ',')) {
    auto one = parse_class(part);
    if (!one) {
      append(errors, one.error());
      continue;
    }
    all += one->share;
    mix.classes.push_back(std::move(*one));
  }
  if (!errors.empty()) return fail(std::move(errors));
  constexpr double kRounding = 1e-6;
  if (std::abs(all - 1) > kRounding)
    return fail({"mix", fmt::format("the shares sum to {:.4g}%", 100 * all), "they have to be all requests: 100%"});
  return mix;
}

MixedRequests mixed_requests(const RequestMix& mix, double rate, std::int64_t requests, std::uint64_t seed) {
  constexpr std::int32_t kChunk = 64;
  MixedRequests out;
  Trace& trace = out.trace;
  trace.name = "mix";
  trace.chunk_tokens = kChunk;
  std::vector<std::uint32_t> first_chunk, chunks;  // of each class
  for (std::size_t i = 0; i < mix.classes.size(); ++i) {
    const RequestClass& one = mix.classes[i];
    first_chunk.push_back(static_cast<std::uint32_t>(trace.chunks.size()));
    chunks.push_back(static_cast<std::uint32_t>(one.cached * one.isl / kChunk));
    for (std::uint32_t chunk = 0; chunk < chunks.back(); ++chunk) trace.chunks.push_back(mixed(i + 1, chunk));
  }
  Random random(seed);
  const auto whole = [](double tokens) { return static_cast<std::int32_t>(std::max(1.0, std::round(tokens))); };
  double at = 0;
  for (std::int64_t i = 0; i < requests; ++i) {
    if (i > 0) at += random.exponential() / rate;
    double left = random.share();
    std::size_t which = 0;
    while (which + 1 < mix.classes.size() && left > mix.classes[which].share) left -= mix.classes[which++].share;
    TraceRequest request;
    request.sent = nanoseconds(at);
    request.prompt = whole(mix.classes[which].isl);
    request.output = whole(mix.classes[which].osl);
    request.first_chunk = first_chunk[which];
    request.prompt_chunks = chunks[which];
    trace.requests.push_back(request);
    out.class_of.push_back(static_cast<std::uint32_t>(which));
  }
  return out;
}

}  // namespace ridge::simulate
