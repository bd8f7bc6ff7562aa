#pragma once

#include <cstdint>
#include <vector>

#include "lab/experiments/scripted_run.h"
#include "rt/worlds/scene.h"

namespace haptic {

/// The voxmap-pointshell method at the same states (bench/voxmap_pointshell.h).
struct VoxmapFigures {
  Quantiles flat;          ///< every point looked up [us]
  Quantiles two_level;     ///< with groups and sleeping [us]; rigid shells only, else zero
  double looked_up = 0.0;  ///< of those, points and groups a cycle
  double contacts = 0.0;   ///< a cycle, mean
  std::size_t bytes = 0;   ///< of the map, four bits a cell
};

/// Bytes that a cycle must read, and the time in which the machine reads as many.
struct FloorFigures {
  double visited = 0.0, points = 0.0, contacts = 0.0;  ///< a cycle, mean; points once each
  double bytes = 0.0;                                  ///< of the numbers needed, a cycle
  double line_bytes = 0.0;                             ///< of the cache lines that contain them
  double gigabytes_per_s = 0.0,
         line_gigabytes_per_s = 0.0;  ///< reading so many bytes repeatedly
  double us = 0.0, line_us = 0.0;
};

/// References for the cycle of a case, at states reached by its hand.
struct Comparison {
  std::size_t states = 0;  ///< evenly spaced in the recorded run
  Quantiles tree_less;     ///< us to evaluate every point, by the code of the loop
  double tree_less_contacts = 0.0;
  VoxmapFigures voxmap;
  FloorFigures floor;
};

/// @param states of a run of the scene, consecutive cycles
Comparison compare(const Scene& scene, const std::vector<RecordedState>& states);

}  // namespace haptic
