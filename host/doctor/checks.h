#pragma once

#include <set>
#include <vector>

#include "host/doctor/examination.h"

namespace haptic {

/// The CPUs that the kernel keeps ordinary work away from (isolcpus=).
std::set<int> isolated_cpus(const MachineTree& machine);

/// Each adds one finding per name that it is responsible for.
void check_kernel(const MachineTree& machine, std::vector<Finding>& findings);
void check_processors(const MachineTree& machine, std::vector<Finding>& findings);
void check_devices(const MachineTree& machine, std::vector<Finding>& findings);
void check_accounts(const MachineTree& machine, std::vector<Finding>& findings);

}  // namespace haptic
