#pragma once

#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace haptic {

/// Shows the stages of a long job, one line each, with a bar while it runs if the output is a
/// terminal, and remembers how long each took.
class StageProgress {
 public:
  using Fraction = std::function<void(double)>;

  /// @param out  where to show it; nullptr: nowhere
  explicit StageProgress(std::FILE* out);

  /// Runs one stage; `work` may call its argument with the fraction done, from any thread.
  void run(const std::string& name, const std::function<void(const Fraction&)>& work);
  /// One more line about the running stage, e.g. what was found in a mesh; printed when it ends.
  void note(const std::string& text);

  /// Name and wall time [s] of the stages run so far.
  const std::vector<std::pair<std::string, double>>& seconds() const { return seconds_; }
  /// All notes, in order, as "<stage>: <text>".
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void show(double fraction);

  std::FILE* out_;
  bool terminal_;
  std::mutex mutex_;
  int shown_percent_ = -1;
  std::string stage_;
  std::vector<std::string> pending_;
  std::vector<std::string> notes_;
  std::vector<std::pair<std::string, double>> seconds_;
};

}  // namespace haptic
