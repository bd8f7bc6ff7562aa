#pragma once

#include <termios.h>

#include <array>
#include <csignal>

namespace haptic {

/// While it exists, standard input gives single keys without Return and echo. The terminal is
/// restored by the destructor, so also by an exception; SIGINT, SIGTERM, SIGHUP and SIGQUIT set
/// interrupted() for the caller's loop to end. One at a time in a process.
class RawTerminal {
 public:
  /// @pre standard input and output are terminals
  RawTerminal();
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  static bool interrupted();
  /// To be called in every turn of the loop: where Ctrl-Z was pressed, restores the terminal, stops
  /// the process, and returns when it continues. @returns whether it was stopped
  bool stop_if_asked();

 private:
  void enter();
  void leave();

  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
  termios before_{};
  std::array<struct sigaction, kSignals.size()> actions_{};
};

}  // namespace haptic
