#include <fmt/format.h>

#include "host/mpi/mpi_ranks.h"
#include "shared/error.h"

namespace haptic {

std::unique_ptr<Ranks> start_mpi_ranks() {
  throw InputError("mpirun", "", fmt::format("found {} processes", launched_ranks()),
                   "one process: this program was built without MPI (libopenmpi-dev)");
}

void abort_mpi_ranks(int) {}

}  // namespace haptic
