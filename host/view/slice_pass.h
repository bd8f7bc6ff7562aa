#pragma once

#include <array>

#include "host/view/camera.h"
#include "host/view/scene_frame.h"

namespace haptic {

/// Draws a slice of a distance field: colours from -range to range, iso-lines kIsoLineFraction of
/// the range apart, the zero line thick; transparent where the distance is range or more. Needs a
/// current OpenGL context for its whole life.
class SlicePass {
 public:
  /// @throws OperationError if the driver refuses the shader
  SlicePass();
  ~SlicePass();
  SlicePass(const SlicePass&) = delete;
  SlicePass& operator=(const SlicePass&) = delete;

  void draw(const FieldSlice& slice, const Camera& camera);

 private:
  unsigned program_ = 0, vertex_array_ = 0, texture_ = 0;
};

/// The half-space behind the slice as the eye sees it: (n, d) with n . x + d >= 0 there.
std::array<float, 4> behind(const FieldSlice& slice, const Camera& camera);

}  // namespace haptic
