#pragma once
// Rows of runs of whole services: what was measured of each, and of some how their requests were sent.

#include <string>
#include <vector>

#include "catalog/evidence/row_reader.hpp"

namespace ridge::catalog {

std::vector<Column<ServingRow>> serving_run_columns();
/// What no run of a service can be, or nothing.
std::string wrong_run(const ServingRow& row);

std::vector<Column<SentRow>> sent_columns();
std::vector<Column<SentRequest>> request_columns();
/// What no run can be that is to be simulated, or nothing.
std::string wrong_sending(const SentRow& row);

}  // namespace ridge::catalog
