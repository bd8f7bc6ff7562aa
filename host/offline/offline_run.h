#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host/offline/scripted_cycles.h"
#include "rt/worlds/scene.h"
#include "shared/error.h"
#include "shared/state/physical_warnings.h"
#include "shared/state/state_layout.h"

namespace haptic {

/// What a state block of one number was over a run.
struct NumberOverRun {
  StateBlock block;
  double largest = 0.0;              ///< absolute value, in the unit of the block
  std::uint64_t nonzero_cycles = 0;  ///< in which the value was not zero
};

struct OfflineOutcome {
  std::uint64_t cycles = 0;
  double largest_force_N = 0.0;                   ///< commanded to the hand
  std::vector<std::string> warnings;              ///< about the scene (warnings_of)
  std::vector<NumberOverRun> numbers;             ///< of every block with is_number(), in order
  std::vector<WarningFinding> physical_warnings;  ///< what the run has shown
};

/// A run that a fault has ended; its log has the cycles up to then.
class FaultedRun : public OperationError {
 public:
  FaultedRun(const std::string& fault, std::vector<WarningFinding> until_then)
      : OperationError(fault), physical_warnings(std::move(until_then)) {}
  std::vector<WarningFinding> physical_warnings;
};

/// Runs the cycle and the world of the daemon without a clock: the hand script is played from its
/// first to its last pose, engaged from the first cycle on, and every cycle is logged. Two runs
/// give the same bytes.
/// @param progress called repeatedly with the fraction done; may be empty
/// @throws InputError for a bad scene, model or script; FaultedRun if a fault was latched;
/// OperationError if writing fails
OfflineOutcome run_offline(const Scene& scene, const OfflineSettings& settings,
                           const std::filesystem::path& log,
                           const std::function<void(double)>& progress = {});

}  // namespace haptic
