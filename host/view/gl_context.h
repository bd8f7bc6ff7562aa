#pragma once

namespace haptic {

/// An OpenGL 3.3 core context without a window or a display server: EGL on Mesa's surfaceless
/// platform where it exists, else EGL's default display. Drawing goes to framebuffer objects.
/// Current on the constructing thread for the life of the object.
class GlContext {
 public:
  /// @throws OperationError naming the EGL call that failed
  GlContext();
  ~GlContext();
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

 private:
  void* display_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace haptic
