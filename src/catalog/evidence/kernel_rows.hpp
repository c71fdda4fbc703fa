#pragma once
// Rows of kernels timed alone: the files of catalog/evidence that have them, and their columns.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/evidence/row_reader.hpp"

namespace ridge::catalog {

/// One kind of kernel file: its columns between those that all have (set, chip, kernel; us), and what its rows are about,
/// by their phase or operation.
struct KernelFile {
  std::string_view name;
  std::vector<Column<KernelRow>> columns;
  std::vector<std::pair<std::string_view, KernelClass>> kinds;
};

std::vector<KernelFile> kernel_files();

/// All columns of such a file.
std::vector<Column<KernelRow>> columns_of(const KernelFile& file);

/// What no layer of experts can be; empty for other kinds.
std::string wrong_experts(const KernelRow& row);

}  // namespace ridge::catalog
