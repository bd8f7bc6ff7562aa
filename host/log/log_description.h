#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace haptic {

/// A body of a logged scene: enough to find its model and draw it.
struct LogBody {
  std::string name;
  std::string model_path;
  std::uint64_t model_hash = 0;
  std::uint32_t first_coordinate = 0;
  std::uint32_t coordinate_count = 0;
  bool held = false;
  std::array<double, 3> position_m{};  ///< at the log's start, world
  std::array<double, 4> orientation_wxyz{1.0, 0.0, 0.0, 0.0};
};

/// What a log is about; its attributes.
struct LogDescription {
  std::string source;  ///< "hapticd" or "simulate"
  std::string scene_path;
  double rate_hz = 1000.0;
  double length_scale = 1.0;  ///< simulated m per m of hand
  std::vector<LogBody> bodies;
  std::uint32_t coordinate_count = 0;  ///< of all bodies
  bool timing = false;                 ///< has /timing/*
};

}  // namespace haptic
