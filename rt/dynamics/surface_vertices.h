#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class ModelFile;

/// Vertices of a reduced surface, evaluated one at a time: p_v(q) = X_v + U_v q with 3r
/// multiply-adds. For collision and picking, which need few of them (Barbic 2007, section 2.12.2).
///
/// A read-only view on /surface/vertices and /surface/basis, which must outlive it. Every
/// coordinate is one chain of fused multiply-adds from the rest position in ascending order of the
/// modes, so that a vertex equals the full product bit for bit.
class SurfaceVertices {
 public:
  /// @param rest  v x 3 [m]
  /// @param basis 3v x r, row-major [kg^-1/2]; empty if r = 0
  /// @param source file name for messages
  /// @throws InputError if the sizes are inconsistent
  SurfaceVertices(std::uint32_t r, std::span<const double> rest, std::span<const float> basis,
                  std::string_view source = "surface");
  /// @throws InputError as above or if a section is missing
  explicit SurfaceVertices(const ModelFile& model);

  std::uint32_t size() const HAPTIC_REALTIME { return size_; }            ///< v
  std::uint32_t dimension() const HAPTIC_REALTIME { return dimension_; }  ///< r

  /// p_v(q) [m], model frame. @param vertex < size() @param q r values or fewer, the rest zero
  Vector3 position(std::uint32_t vertex, std::span<const double> q) const HAPTIC_REALTIME;

 private:
  std::uint32_t size_ = 0, dimension_ = 0;
  std::span<const double> rest_;
  std::span<const float> basis_;
};

}  // namespace haptic
