#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "host/log/log_description.h"
#include "host/offline/offline_cycle.h"
#include "rt/worlds/pressing_contacts.h"

namespace haptic {

/// One instant of a run.
struct RunMoment {
  double time_s = 0.0;  ///< of the hand script
  SampleRecord record{};
  std::vector<double> state;                                    ///< blocks of rate kCycle
  std::vector<float> display;                                   ///< blocks of rate kDisplay
  std::vector<PressingContact> contacts;                        ///< of a world that tells them
  std::array<WarningRecord, kPhysicalWarningCount> warnings{};  ///< of the cycles so far

  std::size_t bytes() const {
    return sizeof *this + state.size() * sizeof(double) + display.size() * sizeof(float) +
           contacts.size() * sizeof(PressingContact);
  }
};

/// Runs a scene with its hand script on a thread of its own, as far as it is told, and keeps what a
/// window shows of it: a moment for each display snapshot and each halt. When they take more than
/// the memory that it may use, the oldest go. Offline cycles: the numbers are those of
/// `haptic simulate`.
class SceneRun {
 public:
  static constexpr std::size_t kMemory = std::size_t{256} << 20;  ///< bytes

  /// Runs the first cycle. A scene without a script has a hand at rest and no end.
  /// @param most_bytes of the moments kept; at least two are kept
  /// @throws InputError as OfflineCycle and make_device
  explicit SceneRun(const std::filesystem::path& scene, std::size_t most_bytes = kMemory);
  ~SceneRun();
  SceneRun(const SceneRun&) = delete;
  SceneRun& operator=(const SceneRun&) = delete;

  /// Goes on to the first cycle at or after this time, at most to the end; a time that is past:
  /// halts after the present cycle.
  void run_to(double time_s);
  /// One cycle more; returns after it.
  void step();
  /// Returns once it has got where it was told to, or no farther.
  void wait() const;

  struct Span {
    double first_s, last_s;  ///< of the moments kept
    bool ended;              ///< at the end of the script, or by a fault
  };
  Span span() const;
  /// The last moment kept that is not after `time_s`, else the first; `later` kept moments on.
  RunMoment at(double time_s, int later = 0) const;
  std::string message() const;  ///< the fault that ended the run, empty without one

  double end_s() const { return end_s_; }  ///< of the script; infinity without one
  double rate_hz() const { return rate_hz_; }
  const std::vector<LogBody>& bodies() const { return bodies_; }
  const StateLayout& layout() const { return layout_; }
  bool tells_contacts() const { return pressing_ != nullptr; }

 private:
  void run();
  void run_cycles(std::uint64_t last);  // on the thread, or before it starts
  void keep();                          // with the mutex

  std::unique_ptr<Device> device_;
  std::unique_ptr<OfflineCycle> cycle_;
  const PressingContacts* pressing_ = nullptr;  // the world of cycle_, where it tells its contacts
  std::vector<LogBody> bodies_;
  StateLayout layout_;
  double rate_hz_, end_s_;
  std::uint64_t end_cycles_;
  std::size_t most_bytes_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<RunMoment> kept_;  // ascending in time
  std::size_t bytes_ = 0;
  std::uint64_t done_ = 0, goal_ = 1;  // cycles
  bool ending_ = false, faulted_ = false;
  std::string message_;
  std::thread thread_;
};

}  // namespace haptic
