#include "shared/command_line/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace haptic {
namespace {

std::string duration(double seconds) {
  const auto s = static_cast<long>(std::ceil(std::min(seconds, 1e9)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

}  // namespace

std::string progress_text(const std::string& what, double fraction, double elapsed_s) {
  const double done = std::clamp(fraction, 0.0, 1.0);
  std::string text = fmt::format("{}: {:.0f} %", what, std::floor(100.0 * done));
  if (done > 0.0) text += fmt::format(", {} left", duration(elapsed_s * (1.0 - done) / done));
  return text;
}

ProgressLine::ProgressLine(std::FILE* out, std::string what)
    : ProgressLine(out, std::move(what), out != nullptr && isatty(fileno(out)) == 1) {}

ProgressLine::ProgressLine(std::FILE* out, std::string what, bool is_terminal)
    : out_(out), what_(std::move(what)), is_terminal_(is_terminal) {}

ProgressLine::~ProgressLine() {
  if (!is_drawn_) return;
  std::fputs("\r\033[K", out_);
  std::fflush(out_);
}

void ProgressLine::show(double fraction) {
  if (out_ == nullptr) return;
  show_at(fraction,
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
}

void ProgressLine::show_at(double fraction, double elapsed_s) {
  if (out_ == nullptr || elapsed_s < kQuiet_s) return;
  if (elapsed_s - shown_s_ < (is_terminal_ ? kRedraw_s : kLine_s)) return;
  shown_s_ = elapsed_s;
  const std::string text = progress_text(what_, fraction, elapsed_s);
  // Both end with an output that must not fail the command: errors of standard error are ignored.
  std::fputs((is_terminal_ ? "\r" + text + "\033[K" : text + "\n").c_str(), out_);
  std::fflush(out_);
  is_drawn_ = is_terminal_;
}

}  // namespace haptic
