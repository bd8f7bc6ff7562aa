#include "host/bake/stage_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace haptic {

StageProgress::StageProgress(std::FILE* out)
    : out_(out), terminal_(out && isatty(fileno(out)) == 1) {}

void StageProgress::run(const std::string& name, const std::function<void(const Fraction&)>& work) {
  using Clock = std::chrono::steady_clock;
  stage_ = name;
  pending_.clear();
  shown_percent_ = -1;
  show(0.0);
  const Clock::time_point start = Clock::now();
  try {
    work([this](double fraction) { show(fraction); });
  } catch (...) {
    if (terminal_) fmt::print(out_, "\n");
    throw;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  seconds_.emplace_back(name, seconds);
  if (!out_) return;
  fmt::print(out_, "{}{:<12} {:8.2f} s\n", terminal_ ? "\r\033[K" : "", name, seconds);
  for (const std::string& line : pending_) fmt::print(out_, "             {}\n", line);
  std::fflush(out_);
}

void StageProgress::note(const std::string& text) {
  pending_.push_back(text);
  notes_.push_back(fmt::format("{}: {}", stage_, text));
}

void StageProgress::show(double fraction) {
  if (!terminal_) return;
  constexpr int kWidth = 40;
  const std::lock_guard lock(mutex_);
  const int percent = static_cast<int>(100.0 * std::clamp(fraction, 0.0, 1.0));
  if (percent == shown_percent_) return;
  shown_percent_ = percent;
  fmt::print(out_, "\r{:<12} [{:<{}}] {:3} %", stage_, std::string(percent * kWidth / 100, '='),
             kWidth, percent);
  std::fflush(out_);
}

}  // namespace haptic
