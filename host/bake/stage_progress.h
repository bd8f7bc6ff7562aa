#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "shared/progress.h"

namespace haptic {

/// Cost of a stage of a long job.
struct StageCost {
  std::string name;
  double seconds = 0.0;     ///< wall time
  double peak_bytes = 0.0;  ///< largest resident memory while it ran
  bool kept = false;        ///< the result and both figures are from an earlier bake
};

/// Shows the stages of a long job, one line each, with a progress bar and, after two seconds, the
/// time left of the stage if the output is a terminal, and records the cost of each.
class StageProgress {
 public:
  using Fraction = Progress;

  /// @param out output stream; nullptr: none
  /// @param bars whether to show progress bars if `out` is a terminal; otherwise one line per stage
  explicit StageProgress(std::FILE* out, bool bars = true);

  /// Runs one stage; `work` may call its argument with the fraction done, from any thread.
  /// @param peak of all processes that take part [bytes]; absent: of this one
  void run(const std::string& name, const std::function<void(const Fraction&)>& work,
           const std::function<double()>& peak = {});
  /// A stage whose result is from an earlier bake, with the notes of that bake.
  void keep(const StageCost& cost, const std::vector<std::string>& notes);
  /// One more line about the running stage, e.g. what was found in a mesh; printed when it ends.
  void note(const std::string& text);

  /// Prints a line that belongs to no stage, at once.
  void warn(const std::string& text);

  /// The stages so far.
  const std::vector<StageCost>& costs() const { return costs_; }
  /// Notes of the last stage.
  const std::vector<std::string>& last_notes() const { return pending_; }
  /// All notes, in order, as "<stage>: <text>".
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  using Clock = std::chrono::steady_clock;

  void show(double fraction);
  void finish(const StageCost& cost);

  std::FILE* out_;
  bool terminal_;
  std::mutex mutex_;
  Clock::time_point start_;
  int shown_percent_ = -1;
  std::string stage_;
  std::vector<std::string> pending_;
  std::vector<std::string> notes_;
  std::vector<StageCost> costs_;
};

}  // namespace haptic
