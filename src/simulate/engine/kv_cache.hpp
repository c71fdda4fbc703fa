#pragma once
// The KV cache of one attention group, in blocks. Most blocks belong to one request; those of a chunk of a prompt that
// others may share have a name, stay after their last user, and go when room is needed, the longest unused first.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulate/client/request.hpp"
#include "simulate/engine/chunk_store.hpp"

namespace ridge::simulate {

class KvCache {
 public:
  /// `keeps` says whether chunks stay for others: an engine's prefix cache.
  KvCache(std::int64_t blocks, std::int32_t block_tokens, bool keeps, const std::vector<TierLimits>& tiers = {})
      : blocks_(blocks), block_tokens_(block_tokens), keeps_(keeps), below_(tiers) {}

  std::int64_t blocks() const { return blocks_; }
  std::int64_t used() const { return own_ + held_; }
  /// Those that can be had: nobody's, or of chunks that nobody uses now.
  std::int64_t free() const { return blocks_ - used(); }
  std::int64_t blocks_for(std::int64_t tokens) const { return (tokens + block_tokens_ - 1) / block_tokens_; }

  /// So many blocks of one's own. There has to be room.
  void take(std::int64_t count);
  void give(std::int64_t count) { own_ -= count; }

  /// How many chunks from the first on are there, of at most so many.
  std::int32_t found(const SharedChunks& shared, std::int32_t most) const;
  /// The first `count` of them, which are there, are used by one more, who gives them back.
  void hold(const SharedChunks& shared, std::int32_t count);
  void release(const SharedChunks& shared, std::int32_t count);
  /// Chunks `from` to `to`, which a request has computed into blocks of its own, get their names: it holds them from now on.
  /// Where a name is there already its blocks are given back.
  void keep(const SharedChunks& shared, std::int32_t from, std::int32_t to);
  /// Of a chunk with so many tokens.
  std::int64_t chunk_blocks(const SharedChunks& shared) const { return blocks_for(shared.tokens); }

  /// Whether a chunk is here; else the tier below that has it, and -1: none.
  bool has(std::uint64_t name) const { return by_name_.contains(name); }
  const ChunkStore& below() const { return below_; }

  std::int64_t evicted() const { return evicted_; }  // chunks, so far

 private:
  static constexpr std::int32_t kNone = -1;
  struct Chunk {
    std::uint64_t name = 0;
    std::int64_t blocks = 0;
    std::int32_t users = 0;
    std::int32_t before = kNone, after = kNone;  // among those without users, by last use
  };

  void unlink(std::int32_t index);
  void link_last(std::int32_t index);
  void evict_first();

  std::int64_t blocks_;
  std::int64_t own_ = 0, held_ = 0, idle_ = 0;  // of requests; of chunks with users; of chunks without
  std::int32_t block_tokens_;
  bool keeps_;
  ChunkStore below_;
  std::int64_t evicted_ = 0;
  std::vector<Chunk> chunks_;
  std::vector<std::int32_t> spare_;
  std::unordered_map<std::uint64_t, std::int32_t> by_name_;
  std::int32_t first_idle_ = kNone, last_idle_ = kNone;
};

}  // namespace ridge::simulate
