#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "shared/ipc/session_texts.h"
#include "shared/ipc/shared_memory.h"
#include "shared/ipc/telemetry_layout.h"
#include "shared/ipc/telemetry_sample.h"

namespace haptic {

struct TelemetrySource;

enum class DaemonLife : std::uint8_t {
  kAlive,      ///< the writer holds its lock
  kClosed,     ///< the daemon exited normally
  kDead,       ///< the writer ended without closing it
  kRestarted,  ///< the writer ended, and another instance runs under the name
  kReplaced,   ///< its daemon changed the scene and publishes in a new segment
};

/// Read-only view of a daemon's telemetry for any process. Every number is checked before it is
/// used, and a reader cannot affect the daemon.
class TelemetryReader {
 public:
  /// @throws OperationError if no daemon of that name has started,
  ///         InputError if the segment is foreign, damaged or of another layout
  explicit TelemetryReader(const std::string& daemon_name);
  /// Reads the segment at `path`; `daemon_name` is for messages and life(). A daemon reads its own
  /// telemetry this way. @throws as above
  TelemetryReader(const std::string& daemon_name, const std::filesystem::path& path);
  /// Reads what copy() returned, oldest sample first. @param file  its file, for messages
  /// @throws InputError as above
  TelemetryReader(const std::filesystem::path& file, std::vector<std::uint64_t> copied);

  const TelemetryHeader& header() const { return header_; }  ///< as checked; ring_head is stale
  const std::vector<BodyRecord>& bodies() const { return bodies_; }

  /// The run folder of the daemon; empty of a copy.
  std::filesystem::path folder() const {
    return segment_ ? segment_->path().parent_path() : std::filesystem::path();
  }

  /// What `state` in a sample and in a display snapshot consists of.
  const StateLayout& state() const { return state_; }

  /// Newest cycle. @returns false if none was published yet
  bool newest(TelemetrySample& target) const;
  /// Newest complete display snapshot. @returns false if there is none
  bool display(DisplaySnapshot& target) const;
  /// Display snapshots published so far: one word, to learn whether there is a new one.
  std::uint64_t published_displays() const;

  /// Next cycle in order, at the reader's own pace. @returns false if there is none yet.
  /// Cycles that were overwritten before they were read are skipped and counted in lost().
  bool next(TelemetrySample& target);
  std::uint64_t lost() const { return lost_; }
  /// Number of the cycle that next() reads next: every earlier cycle was read or is counted in
  /// lost().
  std::uint64_t passed() const { return next_; }
  /// Continues from the newest sample (skips those before it; not counted as lost).
  void skip_to_newest();
  /// Continues from the oldest sample still in the ring.
  void rewind_to_oldest();

  /// The texts of the scene and of the device's manifest as the daemon read them; none of a copy,
  /// and if the daemon has ended or runs another scene by now.
  std::optional<SessionTexts> texts() const;

  /// The parameters of `haptic set`, with their present values.
  std::vector<ParameterRecord> parameters() const;

  /// The events still kept, oldest first, from number `from` on (of those that this segment has).
  std::vector<EventRecord> events(std::uint64_t from = 0) const;
  /// Whether the events of all samples that next() has given are published: a command is executed
  /// by the loop and recorded by the supervisor soon after.
  bool events_settled() const;
  /// The present operator; `since_ns` 0: no operator.
  OperatorRecord holder() const;
  /// What the kernel and the guard grant now (GrantBit).
  std::uint32_t grants() const;

  /// Counters and histograms, copied while the daemon runs.
  Statistics statistics() const;

  /// The segment as it is now, as a segment whose daemon has ended: a shorter ring if the ring is
  /// not full, and the newest display snapshot only.
  std::vector<std::uint64_t> copy() const;

  /// Cycles published so far: one word, for processes that check the progress.
  std::uint64_t published() const { return head(); }

  /// Whether the daemon that wrote this segment still runs; of a copy always kClosed.
  DaemonLife life() const;

  /// Time since the newest cycle [s]; no value before the first one. A daemon that is alive may be
  /// stopped, frozen or hang: beyond kStandsStill_s its loop stands still.
  std::optional<double> age_s() const;
  static constexpr double kStandsStill_s = 1.0;

 private:
  void read_description(const TelemetrySource& source);
  std::uint64_t head() const;
  const std::uint64_t* entry(std::uint64_t index) const;
  /// Copies the entry of cycle `index`. @returns false if it is being overwritten
  bool read(std::uint64_t index, TelemetrySample& target) const;

  std::string daemon_name_;
  std::optional<SharedSegment> segment_;  ///< absent of a copy
  std::vector<std::uint64_t> copied_;
  const std::byte* data_;  ///< of one of the two
  std::size_t size_;
  TelemetryHeader header_{};
  std::vector<BodyRecord> bodies_;
  StateLayout state_;
  std::uint64_t next_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace haptic
