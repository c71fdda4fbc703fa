#pragma once
// What the boundary of a rack does to a layer, to a pipeline and to latency. A rack here is a scale-up domain: chips that
// reach each other at full speed. Each equation once, over any scalar; docs/theory/racks.md derives them.

#include "layout/routing.hpp"

namespace ridge {

/// A rack as far as these equations see it.
template <class S>
struct Rack {
  Ratio<S> chips;
  Bytes<S> capacity;                      // of one chip
  BytesPerSecond<S> memory;               // of one chip
  BytesPerSecond<S> scale_up, scale_out;  // of one chip, one way
};

// --- an expert layer over several racks

/// Bytes that leave a chip, by where they go.
template <class S>
struct Sent {
  Bytes<S> inside, outside;
};

template <class S>
struct ExchangeTime {
  Seconds<S> inside, outside;
  Seconds<S> total() const { return max(inside, outside); }  // both networks at once
};

template <class S>
ExchangeTime<S> all_to_all_over(const Rack<S>& rack, const Sent<S>& sent) {
  return {named("t_inside", sent.inside / rack.scale_up), named("t_outside", sent.outside / rack.scale_out)};
}

/// All-to-all of `payload` from each chip over `racks` with `chips` each, every copy on its own: of all destinations
/// (R - 1) / R are in other racks, and one in g R is the sender itself.
template <class S>
Sent<S> uniform_all_to_all(const Bytes<S>& payload, const Ratio<S>& chips, const Ratio<S>& racks) {
  const auto one = literal<Ratio<S>>(1.0);
  return {payload * ((chips - one) / (chips * racks)), payload * ((racks - one) / racks)};
}

/// The same for tokens with `copies` each, sent once to every other rack that needs them and handed on inside it:
/// every copy travels inside a rack, and only the first to a rack between them.
template <class S>
Sent<S> merged_all_to_all(const Bytes<S>& one_copy, const Ratio<S>& copies, const Ratio<S>& chips,
                          const Ratio<S>& racks) {
  const auto one = literal<Ratio<S>>(1.0);
  const Ratio<S> near = places_reached(chips * racks, copies) * ((chips - one) / chips);
  const Ratio<S> far = places_reached(racks, copies) * ((racks - one) / racks);
  return {one_copy * near, one_copy * far};
}

/// How much longer an all-to-all takes over R racks than inside one, where the network between them is `ratio` times
/// slower: max(1 / R, ratio (R - 1) / R), the sender's own share neglected. Where chips reach each other through others,
/// those of fewer chips a rack are `nearer` by so much.
template <class S>
Ratio<S> span_slow_down(const Ratio<S>& ratio, const Ratio<S>& nearer, const Ratio<S>& racks) {
  const auto one = literal<Ratio<S>>(1.0);
  return max(nearer / racks, ratio * (racks - one) / racks);
}
template <class S>
Ratio<S> span_slow_down(const Ratio<S>& ratio, const Ratio<S>& racks) {
  return span_slow_down(ratio, literal<Ratio<S>>(1.0), racks);
}

// --- what one rack bounds

/// Weights a rack can hold, and those it can read in a time.
template <class S>
Bytes<S> held_by(const Rack<S>& rack) {
  return rack.chips * rack.capacity;
}
template <class S>
Bytes<S> read_within(const Rack<S>& rack, const Seconds<S>& time) {
  return rack.chips * rack.memory * time;
}
/// To read so many bytes with all chips of the rack.
template <class S>
Seconds<S> time_to_read(const Rack<S>& rack, const Bytes<S>& bytes) {
  return bytes / (rack.chips * rack.memory);
}
/// To read all of its memory once.
template <class S>
Seconds<S> sweep_time(const Rack<S>& rack) {
  return rack.capacity / rack.memory;
}

/// The largest layer of a model with `layers` equal ones that is to take one step in `latency`.
template <class S>
struct LargestLayer {
  Bytes<S> all_here;  // by capacity, when the rack holds every layer
  Bytes<S> alone;     // by capacity, when the rack holds this layer only: as many stages as layers
  Bytes<S> in_time;   // by bandwidth: layers wait for each other, so each has latency / layers, however they are staged
  Bytes<S> bounded() const { return min(alone, in_time); }
};

template <class S>
LargestLayer<S> largest_layer(const Rack<S>& rack, const Ratio<S>& layers, const Seconds<S>& latency) {
  return {held_by(rack) / layers, held_by(rack), read_within(rack, latency / layers)};
}

// --- a pipeline of racks

/// Time on the network inside a stage over the time of the hop to the next: above 1 the slow network is never the one
/// that is waited for. Inside, every token goes to k experts and back in each of l layers; between stages it goes once.
template <class S>
Ratio<S> hop_hidden(const Ratio<S>& ratio, const Ratio<S>& copies, const Ratio<S>& layers) {
  return literal<Ratio<S>>(2.0) * copies * layers / ratio;
}
/// Layers a stage needs for that.
template <class S>
Ratio<S> layers_to_hide(const Ratio<S>& ratio, const Ratio<S>& copies) {
  return ratio / (literal<Ratio<S>>(2.0) * copies);
}
/// The same from bytes as they are sent.
template <class S>
Ratio<S> hop_hidden(const Seconds<S>& inside_stage, const Seconds<S>& hop) {
  return divide_or_unbounded(inside_stage, hop);
}

/// What each chip of a pipeline holds.
template <class S>
struct PipelineMemory {
  Bytes<S> weights, context;
  Bytes<S> total() const { return weights + context; }
};

/// `chips` a stage; `in_flight` sequences over the whole pipeline, of which a stage keeps its own layers' share. With one
/// micro-batch b in each stage in_flight = P b, and P cancels: the weights are divided, the context is not.
template <class S>
PipelineMemory<S> pipeline_memory(const Bytes<S>& weights, const Bytes<S>& sequence, const Ratio<S>& in_flight,
                                  const Ratio<S>& chips, const Ratio<S>& stages) {
  return {weights / (chips * stages), in_flight * sequence / (chips * stages)};
}

/// A token through all stages: the same layers one after another, and the hops between them.
template <class S>
Seconds<S> pipelined_step(const Seconds<S>& step, const Ratio<S>& hops, const Seconds<S>& hop) {
  return step + hops * hop;
}

/// Tokens a second of every chip: P micro-batches are under way on P stages, so neither more nor less than one.
template <class S>
TokensPerSecond<S> pipelined_rate(const Tokens<S>& micro_batch, const Seconds<S>& step, const Ratio<S>& chips,
                                  const Ratio<S>& stages) {
  return stages * micro_batch / step / (chips * stages);
}

// --- tensor parallelism of one expert

/// Chips that may share a network of width `size` before adding up their results takes longer than multiplying:
/// `matrices` products of B D F against two passes of B D numbers, Y < (matrices 2 F / (2 width)) W / C.
template <class S>
Ratio<S> tensor_ways(const Ratio<S>& size, const Ratio<S>& matrices, const Bytes<S>& width,
                     const BytesPerSecond<S>& link, const FlopsPerSecond<S>& compute) {
  const Flops<S> work = literal<Flops<S>>(2.0) * matrices * size;
  const Bytes<S> passes = literal<Ratio<S>>(2.0) * width;
  return (work / compute) / (passes / link);
}

/// The same where the weights are read and not computed with: `tokens` an expert, `weight` bytes of a parameter.
template <class S>
Ratio<S> tensor_ways_reading(const Ratio<S>& size, const Ratio<S>& matrices, const Bytes<S>& weight,
                             const Ratio<S>& tokens, const Bytes<S>& width, const BytesPerSecond<S>& link,
                             const BytesPerSecond<S>& memory) {
  const Bytes<S> read = matrices * size * weight;
  const Bytes<S> passes = literal<Ratio<S>>(2.0) * tokens * width;
  return (read / memory) / (passes / link);
}

// --- power and cables

template <class S>
Watts<S> rack_power(const Ratio<S>& chips, const Watts<S>& chip) {
  return chips * chip;
}

/// Every chip has `links` into each of `planes` switches, and a link is `wires` cables.
template <class S>
Ratio<S> rack_cables(const Ratio<S>& chips, const Ratio<S>& links, const Ratio<S>& planes, const Ratio<S>& wires) {
  return chips * links * planes * wires;
}

/// Chips that a limit of the rack allows, at `each` a chip.
template <Dimension D, class S>
Ratio<S> chips_within(const Quantity<D, S>& limit, const Quantity<D, S>& each) {
  return divide_or_unbounded(limit, each);
}

}  // namespace ridge
