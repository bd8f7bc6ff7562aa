#pragma once

#include <span>

#include "host/view/deformed_surface.h"
#include "host/view/display_basis.h"
#include "shared/math/pose.h"

namespace haptic {

/// Numbers of the basis in the graphics memory.
enum class DisplayPrecision {
  kFloat,  ///< 32 bits
  kHalf,   ///< 16 bits; columns are scaled to the range of halves, q inversely
};

/// A reduced surface that the vertex shader deforms: U and DN stay in a texture buffer, a frame
/// sends r numbers. One pass writes positions and normals into vertex buffers (transform feedback);
/// the scene's passes then draw those like any other surface. OpenGL 3.3; needs a current GlContext
/// for its whole life. Source: docs/methods/reduced-dynamics.md, "Display and single vertices".
class GlReducedSurface {
 public:
  /// Whether the basis fits the largest texture buffer of the driver.
  static bool fits(const DisplayBasis& basis);

  /// @throws OperationError if the driver refuses the shader
  GlReducedSurface(const DisplayBasis& basis, DisplayPrecision precision);
  ~GlReducedSurface();
  GlReducedSurface(const GlReducedSurface&) = delete;
  GlReducedSurface& operator=(const GlReducedSurface&) = delete;

  /// Positions and normals at `q` (r values or fewer; the rest are zero), placed at `pose`.
  /// @throws InputError if q has more entries than the basis has columns
  void deform(std::span<const double> q, const Pose& pose);
  /// Colour of each display vertex instead of the body's. @param colours k x 3, 0..1
  void set_colours(std::span<const float> colours);
  void draw() const;

  /// Read back from the graphics memory, display vertex order.
  SurfacePoints positions() const;
  SurfacePoints normals() const;

 private:
  enum Buffer {
    kRest,
    kRestNormals,
    kBlocks,
    kPositions,
    kNormals,
    kColours,
    kIndices,
    kBufferCount
  };

  std::uint32_t dimension_;
  int vertex_count_, index_count_;
  std::vector<float> displacement_scale_, normal_scale_;  ///< q_j is multiplied by
  unsigned program_ = 0, texture_ = 0, rest_array_ = 0, drawn_array_ = 0;
  unsigned buffers_[kBufferCount] = {};
  /// Nothing is drawn into it, but without a window vertices are processed only if a complete
  /// framebuffer is bound.
  unsigned framebuffer_ = 0, renderbuffer_ = 0;
};

}  // namespace haptic
