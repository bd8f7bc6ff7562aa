#pragma once

#include <memory>
#include <string>

#include "host/bake/ranks.h"

namespace haptic {

/// Number of processes a launcher (mpirun, srun) started this one with; 1 where none did. Looks at
/// the environment only.
int launched_ranks();

/// The ranks of an MPI job; starts MPI at once and ends it with the object. One at a time.
///
/// Waiting ranks sleep between looks, so that they leave the cores to those that work. A job told
/// to end (another rank died, or its user stopped it) leaves with one line and exit code 1.
/// @throws InputError if this program was built without MPI
std::unique_ptr<Ranks> start_mpi_ranks();

/// Ends every process of the job with `exit_code`, at once. Does nothing unless MPI runs.
void abort_mpi_ranks(int exit_code);

}  // namespace haptic
