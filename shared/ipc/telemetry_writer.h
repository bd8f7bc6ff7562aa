#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/ipc/cycle_sink.h"
#include "shared/ipc/display_writer.h"
#include "shared/ipc/session_texts.h"
#include "shared/ipc/shared_memory.h"
#include "shared/ipc/telemetry_layout.h"
#include "shared/realtime.h"
#include "shared/state/state_layout.h"

namespace haptic {

/// Content of a telemetry segment that is written once, when the segment is created.
struct TelemetryDescription {
  double rate_hz = 1000.0;
  double length_scale = 1.0;
  double force_limit_N = 0.0;
  double torque_limit_Nm = 0.0;
  double device_stiffness_N_m = 0.0;
  std::uint32_t grants = 0;            ///< GrantBit set
  std::string version;                 ///< of the daemon
  std::int64_t scene_modified_ns = 0;  ///< mtime of the scene's file before it was read
  std::string device;
  std::string scene_path;                     ///< absolute
  std::string manifest_path;                  ///< of the device, absolute; empty: none
  std::int64_t manifest_modified_ns = 0;      ///< mtime of that file; 0: none
  SessionTexts texts{};                       ///< of these two files, as the daemon read them
  std::vector<BodyRecord> bodies;             ///< see make_body_record
  std::vector<ParameterRecord> parameters{};  ///< see make_parameter_record
  StateLayout state{};
  double ring_seconds = 4.0;  ///< history kept; capacity is the next power of two
};

/// @throws InputError if the name does not fit its field; a path that does not fit becomes empty
BodyRecord make_body_record(const std::string& name, const std::string& model_path,
                            std::uint64_t model_hash, std::uint32_t first_coordinate,
                            std::uint32_t coordinate_count, bool held);

/// @throws InputError if the name does not fit its field
ParameterRecord make_parameter_record(std::string_view name, double minimum, double maximum,
                                      double value);

/// What the segments of one daemon have in common; constant for the life of a segment.
struct TelemetrySession {
  std::uint64_t instance = 0;  ///< of this segment; the next scene's is one more
  std::int64_t start_monotonic_ns = 0;
  std::int64_t start_realtime_ns = 0;
  std::string manifest_text{};  ///< of the device, which is opened once
};

/// The daemon's side of the telemetry segment: creates it, publishes into it, unlinks it.
///
/// A new segment replaces one that a dead daemon left under the name; a reader of the old one keeps
/// its mapping and detects that its writer has ended. The writer has an exclusive open-file lock on
/// the segment until destruction; the kernel releases it when the process ends.
class TelemetryWriter final : public CycleSink {
 public:
  /// @param daemon_name `--name` of the daemon
  /// @throws OperationError if shared memory cannot be had, InputError if a size is out of range
  TelemetryWriter(const std::string& daemon_name, const TelemetryDescription& description);
  /// For the next scene of a running daemon: readers do not find the segment before take_over().
  /// Start times are the daemon's.
  /// @param predecessor session() of the segment that this one will replace
  TelemetryWriter(const std::string& daemon_name, const TelemetryDescription& description,
                  const TelemetrySession& predecessor);
  TelemetryWriter(const TelemetryWriter&) = delete;
  TelemetryWriter& operator=(const TelemetryWriter&) = delete;
  /// Marks the segment closed unless it is replaced, and removes the name if it refers to this
  /// segment.
  ~TelemetryWriter() override;

  /// Gives the name to this segment; readers of `predecessor` are informed that it is replaced.
  /// Call it once the loop publishes here. Grants are taken over.
  /// @throws OperationError if the name cannot be taken
  void take_over(TelemetryWriter& predecessor);
  /// Whether readers find this segment under the daemon's name.
  bool can_be_read() const;

  /// One cycle into the ring. Wait-free, never allocates.
  /// @param state  StateLayout::cycle_values values
  void publish(const SampleRecord& sample, std::span<const double> state) HAPTIC_REALTIME override;

  /// A part of the values in each cycle (DisplayWriter); a new copy begins kDisplayRate_Hz times a
  /// second. Wait-free, never allocates.
  void publish_display(std::uint64_t cycle,
                       std::span<const std::span<const double>> blocks) HAPTIC_REALTIME override {
    display_.publish(cycle, blocks);
  }
  static constexpr double kDisplayRate_Hz = 60.0;

  /// Wait-free, never allocates. An index beyond parameter_count is ignored.
  void publish_parameter(std::size_t index, double value) HAPTIC_REALTIME override;

  /// Live counters and histograms; increment with add_word, record().
  Statistics& statistics() HAPTIC_REALTIME override { return *statistics_; }
  /// As it lies in shared memory: `ring_head` and `closed` are written while others look.
  const TelemetryHeader& header() const { return *header_; }
  TelemetrySession session() const {
    return {header_->instance, header_->start_monotonic_ns, header_->start_realtime_ns,
            manifest_text_};
  }
  /// Publishes one event and assigns its number. For ordinary threads only, one at a time.
  void publish_event(EventRecord event);
  /// Call before the first event of a scene that took over: continues the predecessor's numbers.
  void continue_events(const TelemetryWriter& predecessor) {
    next_event_ = predecessor.next_event_;
  }
  /// Says that the events of the first `samples` samples are published. For the same threads.
  void settle_events(std::uint64_t samples);
  /// Sets the operator; `since_ns` 0: no operator. For the same threads.
  void set_holder(const OperatorRecord& holder);
  /// Called once the kernel's answers are known, and when a guard appears or ends.
  void set_grants(std::uint32_t grants);

 private:
  TelemetryWriter(const std::string& daemon_name, const TelemetryDescription& description,
                  const TelemetrySession* predecessor);

  std::string daemon_name_;
  SharedSegment segment_;
  std::optional<SharedSegment> texts_;  ///< NAME.texts (session_texts.h)
  std::string manifest_text_;
  TelemetryHeader* header_;
  Statistics* statistics_;
  ParameterRecord* parameters_;
  std::byte* events_;
  std::byte* ring_;
  DisplayWriter display_;
  std::uint64_t published_ = 0;
  std::uint64_t next_event_ = 0;
};

}  // namespace haptic
