#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>

struct GLFWwindow;

namespace haptic {

/// A window with a current OpenGL 3.3 core context and Dear ImGui. One per process.
class DisplayWindow {
 public:
  /// @param width, height pixels
  /// @throws OperationError without a display, in one line that names --png, or without OpenGL 3.3
  DisplayWindow(const std::string& title, int width, int height);
  ~DisplayWindow();
  DisplayWindow(const DisplayWindow&) = delete;
  DisplayWindow& operator=(const DisplayWindow&) = delete;

  bool should_close() const;
  /// What is done before the process ends because its display has gone away. Called on the thread
  /// of the window, within one of its functions.
  void on_lost_display(std::function<void()> action);
  /// Takes the events and begins the panels of a frame.
  void begin_frame();
  /// Draws the panels over what is in the window and shows it.
  void end_frame();

  struct Size {
    int width, height;
  };
  Size pixels() const;  ///< of the framebuffer; zero if minimised or not mapped
  enum class Key { kHome, kF12 };
  /// Whether the key went down since begin_frame of the frame before.
  bool pressed(Key key) const { return went_down_[static_cast<std::size_t>(key)]; }
  /// Waits for events, for a window that is not seen.
  void wait(double seconds) const;

 private:
  GLFWwindow* window_ = nullptr;
  std::array<bool, 2> down_{}, went_down_{};  ///< by Key
};

}  // namespace haptic
