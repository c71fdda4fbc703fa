#include "catalog/evidence/kernel_rows.hpp"

namespace ridge::catalog {

namespace {

using Kernel = Column<KernelRow>;

Kernel word(std::string_view name, std::string KernelRow::*field) { return {name, field}; }
Kernel count(std::string_view name, double KernelRow::*field) { return {name, field, Holds::count}; }
Kernel few(std::string_view name, double KernelRow::*field) { return {name, field, Holds::few}; }

}  // namespace

std::vector<KernelFile> kernel_files() {
  using Row = KernelRow;
  const Kernel format = word("format", &Row::format), kv_format = word("kv_format", &Row::kv_format);
  const Kernel phase = word("phase", &Row::op), op = word("op", &Row::op);
  const Kernel tokens = count("tokens", &Row::tokens), chips = few("chips", &Row::chips);
  const Kernel batch = count("batch", &Row::batch), heads = count("heads", &Row::heads);
  const Kernel hidden = count("hidden", &Row::hidden), top = few("top", &Row::top);
  const Kernel experts = few("experts", &Row::experts);
  return {
      {"gemm.csv",
       {format, count("m", &Row::m), count("n", &Row::n), count("k", &Row::k)},
       {{"", KernelClass::product}}},
      {"attention.csv",
       {phase, format, kv_format, batch, heads, count("kv_heads", &Row::kv_heads), count("head_dim", &Row::head_dim),
        Kernel{"window", &Row::window, Holds::zero_or_more}, tokens},
       {{"decode", KernelClass::decode_attention}, {"prefill", KernelClass::prefill_attention}}},
      {"mla.csv",
       {phase, format, kv_format, heads, batch, tokens},
       {{"decode", KernelClass::latent_decode}, {"prefill", KernelClass::latent_prefill}}},
      {"moe.csv",
       {format, tokens, hidden, count("size", &Row::size), top, experts, few("slots", &Row::slots), few("tp", &Row::tp),
        few("ep", &Row::ep), word("distribution", &Row::distribution)},
       {{"", KernelClass::experts}}},
      {"collective.csv",
       {op, word("mode", &Row::mode), chips, Kernel{"bytes", &Row::bytes, Holds::positive}},
       {{"all_reduce", KernelClass::all_reduce},
        {"all_gather", KernelClass::collective},
        {"reduce_scatter", KernelClass::collective},
        {"all_to_all", KernelClass::collective}}},
      {"dispatch.csv",
       {op, format, chips, few("nodes", &Row::nodes), tokens, hidden, top, experts},
       {{"dispatch", KernelClass::dispatch}, {"combine", KernelClass::combine}}},
  };
}

std::vector<Kernel> columns_of(const KernelFile& file) {
  std::vector<Kernel> columns = {word("set", &KernelRow::set), word("chip", &KernelRow::chip),
                                 word("kernel", &KernelRow::kernel)};
  columns.insert(columns.end(), file.columns.begin(), file.columns.end());
  columns.push_back({"us", &KernelRow::seconds, Holds::positive, kMicro});
  return columns;
}

std::string wrong_experts(const KernelRow& row) {
  if (row.kind != KernelClass::experts) return {};
  if (row.top > row.experts) return fmt::format("{:g} experts of {:g} for each token", row.top, row.experts);
  if (row.slots < row.experts) return fmt::format("{:g} places for {:g} experts", row.slots, row.experts);
  if (row.ep > row.slots) return fmt::format("{:g} experts over {:g} chips", row.slots, row.ep);
  return {};
}

}  // namespace ridge::catalog
