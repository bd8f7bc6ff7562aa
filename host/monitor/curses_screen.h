#pragma once

#include <array>
#include <csignal>
#include <optional>
#include <vector>

#include "host/monitor/top_page.h"

struct screen;  // of ncurses

namespace haptic {

/// A whole screen of the terminal by ncurses, restored by the destructor. Ctrl-Z and a change of
/// size are handled; SIGINT, SIGTERM, SIGHUP and SIGQUIT set ended(). One at a time in a process.
class CursesScreen {
 public:
  /// @throws InputError if standard input or output is no terminal, or the terminal that TERM names
  ///         is unknown or cannot place the cursor
  CursesScreen();
  ~CursesScreen();
  CursesScreen(const CursesScreen&) = delete;
  CursesScreen& operator=(const CursesScreen&) = delete;

  PageSize size() const;
  void show(const std::vector<PageLine>& lines);
  /// Waits at most `milliseconds` for a key. @returns it, if it is a character
  std::optional<char> key(int milliseconds);
  /// Whether a signal asked the program to end, or the terminal is gone.
  bool ended() const;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  std::array<struct sigaction, kSignals.size()> actions_{};
  ::screen* screen_ = nullptr;
  bool is_gone_ = false;
};

}  // namespace haptic
