#pragma once

#include <cstdint>
#include <vector>

#include "bench/contact_scenes/scripted_run.h"
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

/// What a cycle must read, and how long the machine needs to read as much.
struct FloorFigures {
  double visited = 0.0, points = 0.0, contacts = 0.0;  ///< a cycle, mean; points once each
  double bytes = 0.0;                                  ///< of the numbers needed, a cycle
  double line_bytes = 0.0;                             ///< of the cache lines they lie in
  double gigabytes_per_s = 0.0,
         line_gigabytes_per_s = 0.0;  ///< reading so many bytes over and over
  double us = 0.0, line_us = 0.0;
};

/// What a case's cycle is compared with, at states that its hand brought about.
struct Comparison {
  std::size_t states = 0;  ///< evenly spaced in the recorded run
  Quantiles tree_less;     ///< us of a look at every point, by the code of the loop
  double tree_less_contacts = 0.0;
  VoxmapFigures voxmap;
  FloorFigures floor;
};

/// @param states of a run of the scene, consecutive cycles
Comparison compare(const Scene& scene, const std::vector<RecordedState>& states);

}  // namespace haptic
