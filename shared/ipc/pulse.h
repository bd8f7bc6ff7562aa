#pragma once

#include <cstdint>
#include <string>

#include "shared/ipc/shared_memory.h"
#include "shared/ipc/shared_words.h"
#include "shared/realtime.h"

namespace haptic {

/// The daemon's pulse: a count that increases as long as the loop runs, in a separate segment for
/// processes that must detect its end (hapticd-guard). A daemon may change its scene and telemetry
/// several times; this segment remains.
struct PulseRecord {
  static constexpr std::uint64_t kMagic = 0x31534C5550544148;  // "HATPULS1"
  static constexpr std::uint64_t kVersion = 2;
  std::uint64_t magic;  ///< written last
  std::uint64_t version;
  std::uint64_t instance;  ///< differs between two runs under one name
  std::int64_t daemon_pid;
  double rate_hz;          ///< of the beats
  std::uint64_t beats;     ///< cycles that have sent their output
  std::uint64_t drives;    ///< 1: a force may act, by the output of the last beat
  std::uint64_t released;  ///< 1 once the loop has ended, its last output zero
  std::uint64_t closed;    ///< 1 once the daemon left in good order
};
static_assert(SharedPlain<PulseRecord>);

/// The daemon's side.
class PulseWriter {
 public:
  /// @param instance of this run @param rate_hz > 0
  /// @throws OperationError if shared memory cannot be had
  PulseWriter(const std::string& daemon_name, std::uint64_t instance, double rate_hz);
  PulseWriter(const PulseWriter&) = delete;
  PulseWriter& operator=(const PulseWriter&) = delete;
  /// Marks the segment closed and unlinks its name.
  ~PulseWriter();

  /// The loop, once a cycle.
  /// @param drives  whether a force may act
  void beat(bool drives) HAPTIC_REALTIME {
    store_word(record_->drives, drives ? 1 : 0);
    add_word(record_->beats, 1);
  }
  /// Whether readers find this segment under the daemon's name.
  bool can_be_read() const { return segment_.can_be_opened(); }
  /// The last call of the loop: no beat follows and none is missed.
  void release() HAPTIC_REALTIME {
    store_word(record_->drives, 0);
    store_word(record_->released, 1, std::memory_order_release);
  }

 private:
  SharedSegment segment_;
  PulseRecord* record_;
};

/// Read-only, for any process in group `haptic`; invisible to the daemon.
class PulseReader {
 public:
  /// @throws OperationError if no daemon of that name has started,
  ///         InputError if the segment is foreign or of another layout
  explicit PulseReader(const std::string& daemon_name);

  std::uint64_t instance() const { return fixed_.instance; }
  std::int64_t daemon_pid() const { return fixed_.daemon_pid; }
  double rate_hz() const { return fixed_.rate_hz; }

  std::uint64_t beats() const { return load_word(shared().beats, std::memory_order_acquire); }
  bool drives() const { return load_word(shared().drives, std::memory_order_acquire) != 0; }
  bool released() const { return load_word(shared().released, std::memory_order_acquire) != 0; }
  bool closed() const { return load_word(shared().closed, std::memory_order_acquire) != 0; }
  /// Whether the daemon that wrote it still runs.
  bool alive() const { return segment_.creator_lives(); }

 private:
  const PulseRecord& shared() const {
    return *reinterpret_cast<const PulseRecord*>(segment_.data());
  }

  SharedSegment segment_;
  PulseRecord fixed_{};  ///< the fields that do not change, as checked
};

}  // namespace haptic
