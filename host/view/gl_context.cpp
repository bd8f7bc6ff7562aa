#include "host/view/gl_context.h"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "shared/error.h"

namespace haptic {
namespace {

[[noreturn]] void fail(std::string_view call) {
  throw OperationError(
      fmt::format("cannot create an off-screen OpenGL context: {} failed (EGL error 0x{:x}); "
                  "Debian's libegl-mesa0 and libgl1-mesa-dri are needed",
                  call, static_cast<unsigned>(eglGetError())));
}

/// libepoxy opens the libraries at the first call and aborts if they are missing.
void require_libraries() {
  if (::dlopen("libEGL.so.1", RTLD_LAZY) != nullptr &&
      (::dlopen("libOpenGL.so.0", RTLD_LAZY) != nullptr ||
       ::dlopen("libGL.so.1", RTLD_LAZY) != nullptr)) {
    return;
  }
  throw OperationError(
      "cannot create an off-screen OpenGL context: libEGL or libGL is missing (Debian's libegl1 "
      "and libgl1)");
}

EGLDisplay open_display() {
  require_libraries();
  if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
    EGLDisplay display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) == EGL_TRUE) {
      return display;
    }
  }
  EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
  if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE) {
    fail("eglInitialize");
  }
  return display;
}

}  // namespace

GlContext::GlContext() {
  display_ = open_display();
  if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) fail("eglBindAPI");
  constexpr std::array<EGLint, 5> kConfig = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE,
                                             0, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglChooseConfig(display_, kConfig.data(), &config, 1, &count) != EGL_TRUE || count < 1) {
    fail("eglChooseConfig");
  }
  constexpr std::array<EGLint, 7> kVersion = {EGL_CONTEXT_MAJOR_VERSION,
                                              3,
                                              EGL_CONTEXT_MINOR_VERSION,
                                              3,
                                              EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                              EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                              EGL_NONE};
  context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, kVersion.data());
  if (context_ == EGL_NO_CONTEXT) fail("eglCreateContext");
  make_current();
}

void GlContext::make_current() const {
  if (eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) != EGL_TRUE) {
    fail("eglMakeCurrent");
  }
}

GlContext::~GlContext() {
  // The display is shared by all contexts of the process, so it is not terminated.
  if (eglGetCurrentContext() == context_) {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  }
  eglDestroyContext(display_, context_);
}

}  // namespace haptic
