#include "host/doctor/examination.h"

#include <algorithm>

#include "host/doctor/checks.h"

namespace haptic {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kGood:
      return "good";
    case Verdict::kAdvice:
      return "advice";
    case Verdict::kUnfit:
      return "unfit";
  }
  return "unknown";
}

std::vector<Finding> examine(const MachineTree& machine) {
  std::vector<Finding> findings;
  check_kernel(machine, findings);
  check_processors(machine, findings);
  check_devices(machine, findings);
  check_accounts(machine, findings);
  return findings;
}

bool is_fit(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.verdict == Verdict::kUnfit; });
}

}  // namespace haptic
