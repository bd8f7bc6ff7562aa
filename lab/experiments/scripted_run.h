#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rt/worlds/scene.h"

namespace haptic {

/// Order statistics of many cycles, in the unit of the added values.
struct Quantiles {
  double p50 = 0.0, p99 = 0.0, p999 = 0.0, max = 0.0, mean = 0.0;
};
/// Sorts the argument.
Quantiles quantiles_of(std::vector<double>& values);

/// States of the bodies of a scene after one cycle, the input of the contact in the next.
struct RecordedState {
  std::vector<Pose> poses;          ///< of all bodies, world
  std::vector<double> coordinates;  ///< of all bodies, concatenated
};

/// Of every cycle, in its order.
struct CycleTrace {
  std::vector<double> touch_us, visited, contacts, level;
  std::vector<Vector3> force;  ///< of contact, on the held body [N]
};

/// Results and costs of a run with a scripted hand.
struct ScriptedRun {
  std::uint64_t cycles = 0, in_contact = 0;
  Quantiles couple, touch, move, publish, total;  ///< us of a cycle
  Quantiles visited, contacts;
  std::uint32_t least_level = 0,
                median_level = 0;    ///< deepest level rendered, of the cycles in contact
  double level_changes_per_s = 0.0;  ///< of simulated time
  double us_per_visit = 0.0;      ///< touch over visited nodes, median of cycles with 100 and more
  std::uint64_t interrupted = 0;  ///< cycles in which the thread was not running (OffProcessor)
  double longest_uninterrupted = 0.0;              ///< us, of the other cycles
  double longest_touch = 0.0;                      ///< us, of the touch stage of the same
  std::uint64_t allocations = 0, page_faults = 0;  ///< inside the cycles
  bool allocations_watched = false;
};

/// Plays the hand script of the scene through the cycle and the world of the daemon, without
/// waiting between cycles, with telemetry, in the calling thread.
/// @param record, trace if given, receive the state of every cycle and its measurements
/// @throws OperationError if a fault was latched
ScriptedRun run_script(const Scene& scene, std::uint64_t cycles,
                       std::vector<RecordedState>* record = nullptr, CycleTrace* trace = nullptr);

}  // namespace haptic
