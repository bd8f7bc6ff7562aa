#include "host/bake/stage_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "host/bake/peak_memory.h"
#include "shared/command_line/progress_line.h"
#include "shared/printable.h"

namespace haptic {

StageProgress::StageProgress(std::FILE* out, bool bars)
    : out_(out), terminal_(bars && out && isatty(fileno(out)) == 1) {}

void StageProgress::run(const std::string& name, const std::function<void(const Fraction&)>& work,
                        const std::function<double()>& peak) {
  stage_ = name;
  pending_.clear();
  shown_percent_ = -1;
  start_ = Clock::now();
  show(0.0);
  reset_peak_memory();
  try {
    work([this](double fraction) { show(fraction); });
  } catch (...) {
    if (terminal_) fmt::print(out_, "\n");
    throw;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  finish({name, seconds, peak ? peak() : peak_memory(), false});
}

void StageProgress::keep(const StageCost& cost, const std::vector<std::string>& notes) {
  stage_ = cost.name;
  pending_.clear();
  for (const std::string& text : notes) note(text);
  finish(cost);
}

void StageProgress::finish(const StageCost& cost) {
  costs_.push_back(cost);
  if (!out_) return;
  fmt::print(out_, "{}{:<12} {:8.2f} s {:8.0f} MB{}\n", terminal_ ? "\r\033[K" : "", cost.name,
             cost.seconds, 1e-6 * cost.peak_bytes, cost.kept ? "  (kept)" : "");
  for (const std::string& line : pending_) fmt::print(out_, "             {}\n", printable(line));
  std::fflush(out_);
}

void StageProgress::note(const std::string& text) {
  pending_.push_back(text);
  notes_.push_back(fmt::format("{}: {}", stage_, text));
}

void StageProgress::warn(const std::string& text) {
  notes_.push_back(text);
  if (!out_) return;
  fmt::print(out_, "{}\n", printable(text));
  std::fflush(out_);
}

void StageProgress::show(double fraction) {
  if (!terminal_) return;
  constexpr int kWidth = 40;
  const std::lock_guard lock(mutex_);
  const int percent = static_cast<int>(100.0 * std::clamp(fraction, 0.0, 1.0));
  if (percent == shown_percent_) return;
  shown_percent_ = percent;
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string left =
      elapsed_s < ProgressLine::kQuiet_s ? "" : time_left_text(fraction, elapsed_s);
  fmt::print(out_, "\r{:<12} [{:<{}}] {:3} %{}{}\033[K", stage_,
             std::string(percent * kWidth / 100, '='), kWidth, percent, left.empty() ? "" : ", ",
             left);
  std::fflush(out_);
}

}  // namespace haptic
