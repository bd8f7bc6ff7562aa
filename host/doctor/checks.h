#pragma once

#include <set>
#include <vector>

#include "host/doctor/examination.h"

namespace haptic {

/// The CPUs on which the kernel schedules no ordinary tasks: isolcpus=, or a cpuset that is an
/// isolated partition.
std::set<int> isolated_cpus(const MachineTree& machine);

/// Each function adds one finding for each of its checks.
void check_kernel(const MachineTree& machine, std::vector<Finding>& findings);
void check_processors(const MachineTree& machine, std::vector<Finding>& findings);
void check_devices(const MachineTree& machine, std::vector<Finding>& findings);
void check_accounts(const MachineTree& machine, std::vector<Finding>& findings);

}  // namespace haptic
