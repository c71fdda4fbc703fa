// One process. Under mpirun it looks for the parallel program beside it.

#include <cstdlib>
#include <filesystem>
#include <string>

#include <unistd.h>

#include "cli/sweep/world.hpp"

namespace ridge::cli::world {

std::string become_parallel(char** arguments) {
  const char* processes = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (processes == nullptr) return "";
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string parallel = (self.parent_path() / "ridge-mpi").string();
  execv(parallel.c_str(), arguments);
  // alone among one: no harm
  if (std::string(processes) == "1") return "";
  return "ridge-mpi is not beside this program: install the package ridgeline-mpi, or build with Open MPI "
         "(install libopenmpi-dev, touch CMakeLists.txt, run ./ridge once)";
}

void join() {}
int rank() { return 0; }
int size() { return 1; }
Agreement agree(bool ready, const std::string&) { return ready ? Agreement::yes : Agreement::somebody_failed; }
void lend(OrderedWork&, const CasesOf&) {}
void dismiss(OrderedWork&, const CasesOf&, int) {}
void help(const Make&, int) {}
void leave() {}
void end_all(int) {}

}  // namespace ridge::cli::world
