#include "host/window/display_window.h"

#include <dlfcn.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

std::string last_error;
std::function<void()> lost_display_action;

void keep_error(int, const char* text) {
  last_error = text;
}

/// Xlib ends the process after this: said in our own words instead of its own.
int display_lost(void*) {
  if (lost_display_action) lost_display_action();
  std::fputs("haptic: the display has gone away\n", stderr);
  std::_Exit(1);
}

/// GLFW loads Xlib or is linked to it; under Wayland there is none.
[[maybe_unused]] bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

void watch_display() {
  void* const xlib = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (xlib == nullptr) return;
  using Handler = int (*)(void*);
  if (void* const set = ::dlsym(xlib, "XSetIOErrorHandler")) {
    reinterpret_cast<Handler (*)(Handler)>(set)(display_lost);
  }
}

GLFWwindow* make_window(const std::string& title, int width, int height) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  for (const int api : {GLFW_EGL_CONTEXT_API, GLFW_NATIVE_CONTEXT_API}) {
    glfwWindowHint(GLFW_CONTEXT_CREATION_API, api);
    GLFWwindow* const window =
        glfwCreateWindow(width, height, printable(title).c_str(), nullptr, nullptr);
    if (window != nullptr) return window;
  }
  throw OperationError(
      fmt::format("cannot open a window with OpenGL 3.3: {}; --png FILE draws "
                  "without a window",
                  last_error));
}

}  // namespace

DisplayWindow::DisplayWindow(const std::string& title, int width, int height) {
  glfwSetErrorCallback(keep_error);
#ifdef GLFW_PLATFORM
  // GLFW 3.4 tries Wayland first, and Wayland's library prints an error if there is no session.
  if (!is_set("WAYLAND_DISPLAY") && !is_set("WAYLAND_SOCKET")) {
    glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
  }
#endif
  if (glfwInit() != GLFW_TRUE) {
    throw OperationError(
        fmt::format("cannot open a window: {}; --png FILE draws without a display", last_error));
  }
  watch_display();
  try {
    window_ = make_window(title, width, height);
  } catch (...) {
    glfwTerminate();
    throw;
  }
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
  glfwSetInputMode(window_, GLFW_STICKY_KEYS, GLFW_TRUE);  // a short press is seen once
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;  // the panels' places are not kept in the present folder
  ImGui::StyleColorsLight();
  ImGui_ImplGlfw_InitForOpenGL(window_, true);
  ImGui_ImplOpenGL3_Init("#version 330");
}

DisplayWindow::~DisplayWindow() {
  lost_display_action = nullptr;
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

void DisplayWindow::on_lost_display(std::function<void()> action) {
  lost_display_action = std::move(action);
}

bool DisplayWindow::should_close() const {
  return glfwWindowShouldClose(window_) == GLFW_TRUE;
}

void DisplayWindow::begin_frame() {
  glfwPollEvents();
  constexpr std::array<int, 2> kKeys = {GLFW_KEY_HOME, GLFW_KEY_F12};
  for (std::size_t k = 0; k < kKeys.size(); ++k) {
    const bool down = glfwGetKey(window_, kKeys[k]) == GLFW_PRESS;
    went_down_[k] = down && !down_[k];
    down_[k] = down;
  }
  const Size size = pixels();
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, size.width, size.height);
  glClearColor(0.86F, 0.87F, 0.88F, 1.0F);  // where no scene is drawn
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
}

void DisplayWindow::end_frame() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window_);
}

DisplayWindow::Size DisplayWindow::pixels() const {
  Size size{};
  glfwGetFramebufferSize(window_, &size.width, &size.height);
  // Without a window manager a window is only unmapped, which leaves its size.
  if (glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE ||
      glfwGetWindowAttrib(window_, GLFW_VISIBLE) == GLFW_FALSE) {
    return {0, 0};
  }
  return size;
}

void DisplayWindow::wait(double seconds) const {
  glfwWaitEventsTimeout(seconds);
}

}  // namespace haptic
