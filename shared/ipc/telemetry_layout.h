#pragma once

#include <cstddef>
#include <cstdint>

#include "shared/ipc/command.h"
#include "shared/ipc/histogram.h"
#include "shared/ipc/servo_state.h"
#include "shared/ipc/shared_words.h"
#include "shared/records.h"
#include "shared/state/physical_warnings.h"
#include "shared/state/state_layout.h"

/// The telemetry segment (docs/architecture.md, "Shared memory and sockets"): written by the daemon
/// alone, mapped read-only by all others. No pointers or locks, whole 64-bit words. In this order:
///
///   TelemetryHeader | BodyRecord x body_count | BlockRecord x block_count
///   | ParameterRecord x parameter_count | Statistics
///   | events: u64 head, kEventCapacity x { u64 sequence, EventRecord }
///   | ring: ring_capacity x { u64 sequence, SampleRecord, double x cycle_values }
///   | display: u64 head, 2 x { u64 sequence, u64 first cycle, u64 last cycle, float x
///     display_values }, if display_values > 0
///
/// Positions and strides are in the header; a reader uses them after checking them.
namespace haptic {

HAPTIC_RECORD(PoseRecord);
HAPTIC_RECORD(TwistRecord);
HAPTIC_RECORD(WrenchRecord);

/// Which limits shaped the commanded wrench of a cycle (SampleRecord::limited).
enum LimitBit : std::uint32_t {
  kLimitedForce = 1,
  kLimitedTorque = 2,
  kLimitedSlew = 4,
  kLimitedRamp = 8,
  kLimitedPower = 16,
};

HAPTIC_RECORD(SampleRecord);
HAPTIC_RECORD(BodyRecord);
HAPTIC_RECORD(BlockRecord);
HAPTIC_RECORD(ParameterRecord);

enum class EventKind : std::uint32_t {
  kCommand = 1,  ///< a client's command and its result
  kFault = 2,    ///< the loop latched a fault
  kScene = 3,    ///< the daemon changed to another scene
  kLeftOut = 4,  ///< commands of a user beyond the quota of events, `value` of them
};

HAPTIC_RECORD(EventRecord);
inline constexpr std::size_t kEventCapacity = 2048;

HAPTIC_RECORD(OperatorRecord);
HAPTIC_RECORD(Counters);
HAPTIC_RECORD(Statistics);

/// What the kernel granted (TelemetryHeader::grants).
enum GrantBit : std::uint32_t {
  kGrantRealtimeKernel = 1,
  kGrantFifo = 2,
  kGrantMemoryLocked = 4,
  kGrantPinned = 8,
  kGrantDmaLatency = 16,
  kGrantAllocationsWatched = 32,
  kGrantCallsFiltered = 64,
  kGrantGuarded = 128,         ///< a live guard for the same device
  kGrantMayGoUnguarded = 256,  ///< the operator's choice: --unguarded
};

/// Why no cycle follows in a segment (TelemetryHeader::closed).
enum SegmentEnd : std::uint64_t {
  kExited = 1,       ///< the daemon exited normally
  kEndReplaced = 2,  ///< the daemon changed the scene; its new segment has the name now
};

/// A daemon has a segment for each scene it runs, one after the other under the same name: bodies,
/// parameters and sizes never change in a segment.
struct TelemetryHeader {
  static constexpr std::uint64_t kMagic = 0x3154454C45544148;  // "HATELET1"
  static constexpr std::uint32_t kVersion = HAPTIC_TELEMETRY_VERSION;

  HAPTIC_MEMBERS_OF(TelemetryHeader)
};

inline constexpr std::uint32_t kMaxBodies = 4096;
inline constexpr std::uint32_t kMaxParameters = 1u << 14;
inline constexpr std::uint32_t kMaxRingCapacity = 1u << 20;

static_assert(sizeof(EventRecord::key) == Command::kSubjectLength &&
              sizeof(EventRecord::client) == Command::kClientLength &&
              sizeof(EventRecord::text) == Command::kTextLength);
static_assert(StateLayout::kMaxNameLength < sizeof(BlockRecord::name) &&
              StateLayout::kMaxUnitLength < sizeof(BlockRecord::unit) &&
              StateLayout::kMaxMeaningLength < sizeof(BlockRecord::meaning) &&
              StateLayout::kMaxDimensions <= 4);
static_assert(kFaultKinds <= 32);

}  // namespace haptic
