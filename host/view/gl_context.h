#pragma once

namespace haptic {

/// An OpenGL 3.3 core context without a window or a display server: EGL on Mesa's surfaceless
/// platform if available, else EGL's default display. Drawing goes to framebuffer objects. The
/// constructor makes the context current on its thread.
class GlContext {
 public:
  /// @throws OperationError naming the EGL call that failed
  GlContext();
  ~GlContext();
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

  /// Makes it current on the calling thread again, after another one was. @throws as above
  void make_current() const;

 private:
  void* display_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace haptic
