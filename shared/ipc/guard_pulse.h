#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "shared/ipc/shared_memory.h"
#include "shared/ipc/shared_words.h"
#include "shared/realtime.h"

namespace haptic {

/// The guard's pulse, in a separate segment. A daemon is guarded as long as the pulse continues and
/// says that the guard would reach the outputs, and only if it can make safe the same device that
/// the daemon drives.
struct GuardRecord {
  static constexpr std::uint64_t kMagic = 0x3144524755544148;  // "HATUGRD1"
  static constexpr std::uint64_t kVersion = 2;
  static constexpr std::size_t kProofLength = 240;
  std::uint64_t magic;  ///< written last
  std::uint64_t version;
  std::int64_t guard_pid;
  std::uint64_t device;  ///< device_identity() of its manifest
  std::uint64_t beats;
  std::int64_t watches_pid;  ///< the daemon that it watches now; 0: none
  std::uint64_t reaches;     ///< 1: it has proved, and goes on proving, that it reaches the outputs
  std::uint64_t sequence;    ///< seqlock of `proof`
  char proof[kProofLength];  ///< of `reaches`, or the obstacle; one line, zero-terminated
};
static_assert(SharedPlain<GuardRecord>);

/// The guard's side.
class GuardPulseWriter {
 public:
  /// @param daemon_name that it guards @throws OperationError if shared memory cannot be had
  GuardPulseWriter(const std::string& daemon_name, std::uint64_t device);
  GuardPulseWriter(const GuardPulseWriter&) = delete;
  GuardPulseWriter& operator=(const GuardPulseWriter&) = delete;
  ~GuardPulseWriter();

  /// Makes the pulse again, with nothing watched and nothing reached, if it was removed, cut or
  /// closed to its readers. @returns whether that was necessary @throws as the constructor
  bool keep();
  void beat() HAPTIC_REALTIME { add_word(record_->beats, 1); }
  std::uint64_t beats() const { return load_word(record_->beats); }
  void watch(std::int64_t pid) HAPTIC_REALTIME {
    store_word(reinterpret_cast<std::uint64_t&>(record_->watches_pid),
               static_cast<std::uint64_t>(pid));
  }
  /// @param proof  that it reaches the outputs, or what it lacks; cut to GuardRecord::kProofLength
  void reach(bool reaches, std::string_view proof);

 private:
  std::string daemon_name_;
  std::uint64_t device_;
  SharedSegment segment_;
  GuardRecord* record_;
};

/// The reader's side; the daemon reads its own user's guard.
class GuardPulseReader {
 public:
  /// @throws OperationError if there is no guard for that name or it is just starting, InputError
  /// if
  ///         the segment is foreign or of another layout
  explicit GuardPulseReader(const std::string& daemon_name);
  /// The segment at `path`, for tools, which look at daemons of other users too.
  GuardPulseReader(const std::string& daemon_name, const std::filesystem::path& path);

  /// Whether there is a segment to open; cheap, for repeated checks.
  static bool is_there(const std::string& daemon_name);
  std::int64_t guard_pid() const { return fixed_.guard_pid; }
  std::uint64_t device() const { return fixed_.device; }
  std::uint64_t beats() const { return load_word(shared().beats, std::memory_order_acquire); }
  std::int64_t watches_pid() const {
    return static_cast<std::int64_t>(
        load_word(reinterpret_cast<const std::uint64_t&>(shared().watches_pid)));
  }
  bool reaches() const { return load_word(shared().reaches, std::memory_order_acquire) != 0; }
  /// Its proof that it reaches the outputs, or the obstacle; printable.
  std::string proof() const;
  /// Whether the guard that wrote it still runs (stopped or not).
  bool alive() const { return segment_.creator_lives(); }

 private:
  const GuardRecord& shared() const {
    return *reinterpret_cast<const GuardRecord*>(segment_.data());
  }

  SharedSegment segment_;
  GuardRecord fixed_{};
};

}  // namespace haptic
