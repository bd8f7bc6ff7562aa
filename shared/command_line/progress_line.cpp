#include "shared/command_line/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "shared/printable.h"

namespace haptic {
namespace {

std::string duration(double seconds) {
  const auto s = static_cast<long>(std::ceil(std::min(seconds, 1e9)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

/// Columns of a terminal; 80 where it does not say.
int columns_of(std::FILE* terminal) {
  constexpr int kUsual = 80;
  winsize size{};
  return ioctl(fileno(terminal), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

/// The end of a text, at most `length` bytes, from the beginning of a character on.
std::string_view end_of(std::string_view text, std::size_t length) {
  if (text.size() <= length) return text;
  text.remove_prefix(text.size() - length);
  while (!text.empty() && (static_cast<unsigned char>(text[0]) & 0xC0) == 0x80) {
    text.remove_prefix(1);
  }
  return text;
}

}  // namespace

std::string time_left_text(double fraction, double elapsed_s) {
  const double done = std::clamp(fraction, 0.0, 1.0);
  return done > 0.0 ? duration(elapsed_s * (1.0 - done) / done) + " left" : std::string();
}

std::string progress_text(std::string_view what, double fraction, double elapsed_s, int columns) {
  const double done = std::clamp(fraction, 0.0, 1.0);
  std::string figures = fmt::format(": {:.0f} %", std::floor(100.0 * done));
  if (done > 0.0) figures += ", " + time_left_text(done, elapsed_s);
  // Leaves the last column free: some terminals wrap to the next line after a character there.
  const std::size_t room = static_cast<std::size_t>(std::max(columns, 1)) - 1;
  return std::string(end_of(printable(what), room - std::min(room, figures.size()))) + figures;
}

ProgressLine::ProgressLine(std::FILE* out, std::string what)
    : ProgressLine(out, std::move(what), out != nullptr && isatty(fileno(out)) == 1) {}

ProgressLine::ProgressLine(std::FILE* out, std::string what, bool is_terminal)
    : out_(is_terminal ? out : nullptr), what_(std::move(what)) {}

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
  const std::lock_guard lock(mutex_);
  if (is_drawn_ && elapsed_s - shown_s_ < kRedraw_s) return;
  shown_s_ = elapsed_s;
  is_drawn_ = true;
  const std::string text = progress_text(what_, fraction, elapsed_s, columns_of(out_));
  // The output must not fail the command: errors of standard error are ignored.
  std::fputs(("\r" + text + "\033[K").c_str(), out_);
  std::fflush(out_);
}

Progress ProgressLine::progress() {
  if (out_ == nullptr) return {};
  return [this](double fraction) { show(fraction); };
}

}  // namespace haptic
