#pragma once

#include <memory>
#include <string>

#include "host/bake/ranks.h"

namespace haptic {

/// Number of processes a launcher (mpirun, srun) started this one with; 1 where none did. Looks at
/// the environment only.
int launched_ranks();

/// The ranks of an MPI job. Starts MPI in the constructor and ends it in the destructor; one object
/// at a time. Waiting ranks poll with pauses, so that the cores are free for working ranks. A job
/// that is told to end (another rank died, or its user stopped it) prints one line and exits with
/// code 1.
/// @throws InputError if this program was built without MPI
std::unique_ptr<Ranks> start_mpi_ranks();

/// Ends every process of the job with `exit_code`, at once. Does nothing unless MPI runs.
void abort_mpi_ranks(int exit_code);

}  // namespace haptic
