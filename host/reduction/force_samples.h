#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "shared/math/pose.h"

namespace haptic {

/// A force on one vertex.
struct VertexForce {
  std::uint32_t vertex = 0;
  Vector3 force = Vector3::Zero();  ///< N
};

/// One force sample of a sketch: forces on one or several vertices at one time.
struct ForceSample {
  double time = 0.0;  ///< s
  std::vector<VertexForce> forces;
};

/// Reads a CSV file of force loads with the header columns `time_s, vertex, fx_N, fy_N, fz_N` in
/// any order; rows of equal time are one sample. Blank lines and lines that begin with `#` are
/// skipped.
/// @throws InputError: file, line, what was found, what was expected; also where every force is
///         zero or the file has none
std::vector<ForceSample> read_force_samples(const std::filesystem::path& path);

/// Writes the same format; replaced atomically. @throws OperationError if writing fails
void write_force_samples(const std::filesystem::path& path,
                         const std::vector<ForceSample>& samples);

}  // namespace haptic
