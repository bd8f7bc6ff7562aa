#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/artifact/model_file.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// How far a reduced body is compressed: the deformation gradient F = I + sum q_i dU_i/dx at the
/// centres of some elements of its mesh, evenly spaced in the order of the file.
///
/// The compression is 1 - s, s the smallest principal stretch of F (a length over that at rest),
/// negative where det F < 0. From 1 on the material is inside out; long before, it is outside the
/// range of its law (docs/methods/reduced-dynamics.md, "Large compression"). The samples take
/// turns: kSamplesPerCycle of them are evaluated in a cycle.
class DeformationSamples {
 public:
  static constexpr std::size_t kMaxSamples = 256;
  static constexpr std::size_t kSamplesPerCycle = 4;

  /// Of a model without a simulation mesh there are no samples.
  /// @param kept  number of leading basis vectors in use
  DeformationSamples(const ModelFile& model, std::uint32_t kept);

  std::size_t size() const HAPTIC_REALTIME { return compressions_.size(); }
  /// Evaluates the next samples. @param q  reduced coordinates, as many as kept
  void advance(std::span<const double> q) HAPTIC_REALTIME;
  /// Largest of the samples, each as of its last evaluation; at least 0.
  double compression() const HAPTIC_REALTIME { return largest_; }
  /// All samples at rest.
  void reset() HAPTIC_REALTIME;

 private:
  std::uint32_t kept_;
  static constexpr std::size_t kRow = 12;  // 9, and zeros up to whole vectors
  std::vector<float> gradients_;           // kept x kRow a sample: dU/dx, row-major
  std::vector<double> compressions_;       // of each sample
  double largest_ = 0.0;
  std::size_t next_ = 0;
};

/// 1 - s, s the smallest singular value of F, negative if det F < 0.
double compression_of(const Matrix3& F) HAPTIC_REALTIME;

}  // namespace haptic
