#pragma once
// The processes that share a sweep. `ridge` itself is alone (apps/world/alone.cpp); `ridge-mpi` beside it is the same
// program with Open MPI (apps/world/mpi.cpp). Started by mpirun, `ridge sweep` becomes ridge-mpi.

#include <cstdint>
#include <functional>
#include <string>

#include "search/sweep/ordered_work.hpp"

namespace ridge::cli::world {

/// The cases of a task.
struct Stretch {
  std::uint64_t first = 0, count = 0;
};
using CasesOf = std::function<Stretch(std::uint64_t task)>;
/// The result of a stretch of cases.
using Make = std::function<std::string(const Stretch&)>;

/// Called first where mpirun started us: replaces the program by ridge-mpi. Returns why not, or nothing to do: empty.
std::string become_parallel(char** arguments);

/// Joins the others. Before it we are alone: process 0 of 1.
void join();
int rank();
int size();

/// Whether every process is ready and means the same. All call it, and all get the same answer.
enum class Agreement { yes, somebody_failed, different };
Agreement agree(bool ready, const std::string& fingerprint);

/// Process 0, again and again: hands tasks to the others and takes their results. Never waits.
void lend(OrderedWork& work, const CasesOf& cases_of);
/// Process 0, at the end: until all the others know that there is no more.
void dismiss(OrderedWork& work, const CasesOf& cases_of, int threads);
/// The others: makes results with so many threads until there is no more.
void help(const Make& make, int threads);

/// All leave together.
void leave();
/// Ends every process at once, after something went wrong in this one.
void end_all(int code);

}  // namespace ridge::cli::world
