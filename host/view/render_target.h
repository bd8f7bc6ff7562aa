#pragma once

#include "host/view/image.h"

namespace haptic {

/// Framebuffer of four samples a pixel and the one that it is resolved to. Needs a current OpenGL
/// context for its whole life.
class RenderTarget {
 public:
  static constexpr int kMin = 16, kMax = 8192;

  /// @throws InputError for a size outside kMin..kMax, OperationError if the driver
  ///         refuses it
  RenderTarget(int width, int height);
  ~RenderTarget();
  RenderTarget(const RenderTarget&) = delete;
  RenderTarget& operator=(const RenderTarget&) = delete;

  int width() const { return width_; }
  int height() const { return height_; }

  void bind() const;
  /// Averages the samples of what was drawn.
  void resolve() const;
  /// Copies the resolved image to the window's own framebuffer, from its lower left corner.
  void copy_to_window() const;
  /// @throws OperationError if OpenGL had an error while drawing
  Image read() const;

 private:
  int width_, height_;
  unsigned framebuffers_[2] = {0, 0};  ///< with samples, resolved
  unsigned buffers_[3] = {0, 0, 0};
};

}  // namespace haptic
