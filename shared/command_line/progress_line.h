#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "shared/progress.h"

namespace haptic {

/// "1 min 20 s left": the time left if the rest takes as long as what is done, in proportion; empty
/// at the beginning.
std::string time_left_text(double fraction, double elapsed_s);

/// "simulate scene.toml: 43 %, 1 min 20 s left", with '?' for control characters of `what`, whose
/// beginning is left out where the line would be longer than `columns`.
std::string progress_text(std::string_view what, double fraction, double elapsed_s, int columns);

/// Progress of a long command on standard error: nothing in the first two seconds; then one line
/// that is redrawn and cleared at the end. Nothing at all where standard error is no terminal.
class ProgressLine {
 public:
  static constexpr double kQuiet_s = 2.0, kRedraw_s = 0.2;

  /// @param out nullptr: nothing is shown, the rule for commands with --json
  ProgressLine(std::FILE* out, std::string what);
  ProgressLine(std::FILE* out, std::string what, bool is_terminal);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// @param fraction done, 0 to 1; from any thread
  void show(double fraction);
  /// The same, `elapsed_s` after the start.
  void show_at(double fraction, double elapsed_s);
  /// show() as a value; valid as long as this object. Empty where nothing is shown.
  Progress progress();

 private:
  std::FILE* out_;  // nullptr: nothing is shown
  std::string what_;
  std::mutex mutex_;
  bool is_drawn_ = false;
  double shown_s_ = 0.0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace haptic
