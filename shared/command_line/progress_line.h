#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace haptic {

/// "simulate scene.toml: 43 %, 1 min 20 s left": the time left if the rest takes as long as what is
/// done, in proportion.
std::string progress_text(const std::string& what, double fraction, double elapsed_s);

/// Progress of a long command on standard error: nothing in the first two seconds; then one line
/// that is redrawn on a terminal and cleared at the end, or otherwise a line every ten seconds.
class ProgressLine {
 public:
  static constexpr double kQuiet_s = 2.0, kRedraw_s = 0.2, kLine_s = 10.0;

  /// @param out nullptr: nothing is shown, the rule for commands with --json
  ProgressLine(std::FILE* out, std::string what);
  ProgressLine(std::FILE* out, std::string what, bool is_terminal);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// @param fraction done, 0 to 1
  void show(double fraction);
  /// The same, `elapsed_s` after the start.
  void show_at(double fraction, double elapsed_s);

 private:
  std::FILE* out_;
  std::string what_;
  bool is_terminal_;
  bool is_drawn_ = false;
  double shown_s_ = 0.0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace haptic
