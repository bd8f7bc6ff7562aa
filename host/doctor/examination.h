#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/doctor/machine_tree.h"

namespace haptic {

enum class Verdict : std::uint8_t {
  kGood,
  kAdvice,  ///< works, but with longer or more frequent delays than necessary
  kUnfit,   ///< the loop's timing or the user's safety is not assured on this machine
};

std::string_view name(Verdict verdict);  ///< "good", "advice", "unfit"

/// Result of one check. docs/lab-pc.md explains every check under the same name.
struct Finding {
  std::string_view check;
  Verdict verdict;
  std::string found;
  std::string fix;  ///< what to do; empty where all is good
};

/// All checks of `haptic doctor`, in the order of docs/lab-pc.md.
std::vector<Finding> examine(const MachineTree& machine);

/// Whether no finding is kUnfit.
bool is_fit(const std::vector<Finding>& findings);

}  // namespace haptic
