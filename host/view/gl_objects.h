#pragma once

#include <span>
#include <string_view>

#include "host/view/deformed_surface.h"

namespace haptic {

/// Compiles and links a vertex and a fragment shader. @throws OperationError with the driver's log
unsigned link_program(std::string_view vertex_source, std::string_view fragment_source);

/// Compiles and links a vertex shader alone whose outputs go to one buffer each (transform
/// feedback), in the order of `outputs`. @throws as link_program
unsigned link_feedback_program(std::string_view vertex_source,
                               std::span<const char* const> outputs);

/// Vertex buffers of one drawable surface; freed with the object.
class GlSurface {
 public:
  explicit GlSurface(const DisplaySurface& surface);
  ~GlSurface();
  GlSurface(GlSurface&& other) noexcept;
  GlSurface(const GlSurface&) = delete;
  GlSurface& operator=(const GlSurface&) = delete;
  GlSurface& operator=(GlSurface&&) = delete;

  void draw() const;

 private:
  unsigned vertex_array_ = 0;
  unsigned buffers_[3] = {0, 0, 0};
  int index_count_ = 0;
};

}  // namespace haptic
