#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/doctor/machine_tree.h"

namespace haptic {

enum class Verdict : std::uint8_t {
  kGood,
  kAdvice,  ///< works, with longer or rarer delays than it could have
  kUnfit,   ///< the loop's promises, or the hand's safety, do not hold on this machine
};

std::string_view name(Verdict verdict);  ///< "good", "advice", "unfit"

/// One thing looked at. docs/lab-pc.md explains each by the name it has here.
struct Finding {
  std::string_view check;
  Verdict verdict;
  std::string found;
  std::string fix;  ///< what to do; empty where all is good
};

/// Everything `haptic doctor` looks at, in the order of docs/lab-pc.md.
std::vector<Finding> examine(const MachineTree& machine);

/// Whether no finding says unfit.
bool is_fit(const std::vector<Finding>& findings);

}  // namespace haptic
