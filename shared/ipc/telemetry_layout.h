#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "shared/ipc/command.h"
#include "shared/ipc/histogram.h"
#include "shared/ipc/servo_state.h"
#include "shared/ipc/shared_words.h"
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

struct PoseRecord {
  double position_m[3];
  double orientation_wxyz[4];
};
struct TwistRecord {
  double linear_m_s[3];
  double angular_rad_s[3];
};
struct WrenchRecord {
  double force_N[3];
  double torque_Nm[3];
};

/// Which limits shaped the commanded wrench of a cycle (SampleRecord::limited).
enum LimitBit : std::uint32_t {
  kLimitedForce = 1,
  kLimitedTorque = 2,
  kLimitedSlew = 4,
  kLimitedRamp = 8,
  kLimitedPower = 16,
};

/// One haptic cycle. Times are CLOCK_MONOTONIC.
struct SampleRecord {
  std::uint64_t cycle;        ///< 0, 1, ...: exchanges with the device so far
  std::int64_t scheduled_ns;  ///< deadline of the slot this cycle ran in
  std::int64_t time_ns;       ///< when it woke
  ServoState state;
  FaultKind fault;
  std::uint32_t buttons;
  std::uint32_t limited;   ///< LimitBit set
  std::uint64_t missed;    ///< slots skipped since the start
  PoseRecord device_pose;  ///< hand, device frame
  TwistRecord device_twist;
  PoseRecord manipulandum_pose;  ///< hand scaled into the world
  PoseRecord held_pose;          ///< simulated object in the hand, world
  WrenchRecord device_wrench;    ///< commanded, after every limit; on the hand, device frame
  WrenchRecord wanted_wrench;    ///< of the world, before ramp and limits
  WrenchRecord contact_wrench;   ///< on the held body, world
  double ramp;                   ///< force scale, 0 to 1
  double port_energy_J;  ///< taken by the hand's side since engaging, by the passivity observer
  double port_damping_N_s_m;  ///< what the passivity controller adds at the device port
  double port_damping_Nm_s;   ///< the same about it, per rad
  std::uint64_t world_step;   ///< steps of the world up to the state this cycle rendered
  std::int64_t world_age_ns;  ///< of that state when it was rendered
  /// Cycles since those whose hand the newest world steps were given, the newest step first.
  std::uint32_t world_hand_age[3];
  std::uint32_t reserved;
  std::int64_t wake_ns;  ///< lateness of time_ns after the deadline that was slept for
  std::int64_t sense_ns, couple_ns, touch_ns, move_ns, feel_ns;
  std::int64_t publish_ns;  ///< of the cycle before
  std::int64_t total_ns;    ///< sense..feel of this cycle + publish_ns
};

/// One body of the world: what a viewer needs to find and place its model.
struct BodyRecord {
  char name[64];             ///< zero-terminated
  char model_path[448];      ///< absolute, zero-terminated; empty if it does not fit
  std::uint64_t model_hash;  ///< ModelFile::content_hash
  std::uint32_t first_coordinate;
  std::uint32_t coordinate_count;
  std::uint64_t held;  ///< 1 if the hand holds this body, else 0
};

/// One block of the world's state (StateBlock); its values follow in the order of the records.
struct BlockRecord {
  char name[48];     ///< zero-terminated
  char unit[16];     ///< zero-terminated
  char meaning[80];  ///< zero-terminated
  std::uint32_t shape[4];
  StateDisplay display;
  StateRate rate;
  std::uint64_t dimensions;  ///< of shape; the rest is 0
  std::uint64_t measured;    ///< 1 as StateBlock::measured, else 0
};

/// One parameter that `haptic set` may change.
struct ParameterRecord {
  char name[64];  ///< zero-terminated
  double minimum, maximum;
  double value;  ///< now; written by the loop, one parameter a cycle in turn
};

enum class EventKind : std::uint32_t {
  kCommand = 1,  ///< a client's command and its result
  kFault = 2,    ///< the loop latched a fault
  kScene = 3,    ///< the daemon changed to another scene
  kLeftOut = 4,  ///< commands of a user beyond the quota of events, `value` of them
};

/// An event: a command and its client, a fault, a change of the scene, or commands left out.
struct EventRecord {
  std::uint64_t number;  ///< 0, 1, ... since the daemon's start
  std::int64_t time_ns;  ///< CLOCK_MONOTONIC
  std::uint64_t cycle;   ///< that executed the command or latched the fault; else the newest
  EventKind kind;
  CommandKind command;     ///< of kCommand
  CommandAnswer answer;    ///< of kCommand
  FaultKind fault;         ///< of kFault
  std::int64_t pid;        ///< of the client, as the kernel says
  std::uint32_t uid;       ///< the same
  std::uint32_t executed;  ///< 1 where the loop executed the command in `cycle`, or one left out
  double value;            ///< of `set`; of kLeftOut the number of commands
  char key[64];            ///< of `set`, the body of `pull`, zero-terminated
  char client[32];         ///< name of the client program, as it gives it, zero-terminated
  PullRequest pull;        ///< of `pull`
  /// Of `mark` its text, of `load` the path, of kScene the path of the scene that runs now, of the
  /// fault guard_lost the reason; zero-terminated.
  char text[Command::kPathLength];
};

inline constexpr std::size_t kEventCapacity = 2048;

/// The operator who engaged, and so may release, set, reset, load and home; any operator may stop.
struct OperatorRecord {
  std::uint64_t sequence;  ///< seqlock
  std::int64_t since_ns;   ///< CLOCK_MONOTONIC; 0: no operator
  std::int64_t pid;        ///< of the client that engaged or took over
  std::uint64_t uid;
  char client[32];
};

/// Counted since the daemon's start, across all scenes. Each counter has one writer.
struct Counters {
  std::uint64_t cycles;
  std::uint64_t missed;        ///< slots skipped, never caught up
  std::uint64_t world_missed;  ///< slots missed by a simulation thread at a separate rate
  std::uint64_t overruns;      ///< cycles whose work did not fit one period
  std::uint64_t allocations;   ///< calls of malloc, free and similar functions inside the cycle
  std::uint64_t page_faults_minor;  ///< of the loop's thread, since its first cycle
  std::uint64_t page_faults_major;
  std::uint64_t involuntary_switches;        ///< of the loop's thread
  std::uint64_t world_involuntary_switches;  ///< of a simulation thread at a separate rate
  std::uint64_t forbidden_calls;             ///< system calls that the loops' call filter refused
  std::uint64_t limited_cycles;              ///< cycles whose wrench a limit cut
  std::uint64_t commands_applied;
  std::uint64_t commands_refused;
  std::uint64_t command_garbage;   ///< packets with impossible content, refused
  std::uint64_t dropped_messages;  ///< lines for the journal that found its queue full
  std::uint64_t black_boxes;       ///< fault records written
  std::uint64_t faults[32];        ///< by FaultKind; kFaultKinds are in use
};

/// Histograms and warnings are those of the scene.
struct Statistics {
  Counters counters;
  WarningRecord warnings[kPhysicalWarningCount];  ///< as kPhysicalWarnings
  Histogram wake;                                 ///< wake-up latency
  Histogram compute;                              ///< wake-up to end of publish
  Histogram device;                               ///< sense + actuate: the device round trip
};

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
  kEndLeft = 1,      ///< the daemon exited normally
  kEndReplaced = 2,  ///< the daemon changed the scene; its new segment has the name now
};

/// A daemon has a segment for each scene it runs, one after the other under the same name: bodies,
/// parameters and sizes never change in a segment.
struct TelemetryHeader {
  static constexpr std::uint64_t kMagic = 0x3154454C45544148;  // "HATELET1"
  static constexpr std::uint32_t kVersion = 10;

  std::uint64_t magic;  ///< written last
  std::uint32_t version;
  std::uint32_t header_size;
  std::uint64_t layout_hash;  ///< kTelemetryLayoutHash of the writer
  std::uint64_t total_size;   ///< bytes of the segment
  std::uint64_t instance;     ///< differs between two runs, or two scenes, under one name
  std::uint64_t closed;       ///< a SegmentEnd once no cycle follows, 0 before
  std::int64_t daemon_pid;
  std::int64_t start_monotonic_ns;
  std::int64_t start_realtime_ns;     ///< the only CLOCK_REALTIME: a recorded stamp
  std::int64_t scene_modified_ns;     ///< mtime of the scene's file before it was read
  std::int64_t manifest_modified_ns;  ///< the same of the device's manifest; 0: none
  double rate_hz;
  double length_scale;  ///< simulated m per m of hand
  double force_limit_N;
  double torque_limit_Nm;
  double device_stiffness_N_m;  ///< largest one that the device can render at 1 kHz
  std::uint32_t body_count;
  std::uint32_t block_count;
  std::uint32_t grants;         ///< GrantBit set
  std::uint32_t ring_capacity;  ///< samples, a power of two
  std::uint64_t parameter_count;
  std::uint64_t bodies_offset;
  std::uint64_t blocks_offset;
  std::uint64_t parameters_offset;
  std::uint64_t statistics_offset;
  std::uint64_t events_offset;
  std::uint64_t ring_offset;
  std::uint64_t ring_stride;  ///< bytes of one entry, sequence included
  std::uint64_t ring_head;    ///< samples published so far
  std::uint64_t settled;      ///< samples whose commands and faults all are in the events
  std::uint64_t display_offset;
  std::uint64_t display_stride;  ///< bytes of one of the two, sequence included
  OperatorRecord holder;         ///< changes while the daemon runs
  char daemon_version[32];       ///< of hapticd, zero-terminated
  char device[64];
  char scene_path[448];     ///< absolute; empty if it does not fit
  char manifest_path[448];  ///< of the device, likewise; empty for the scene's simulated device
};

inline constexpr std::uint32_t kMaxBodies = 4096;
inline constexpr std::uint32_t kMaxParameters = 1u << 14;
inline constexpr std::uint32_t kMaxRingCapacity = 1u << 20;

inline constexpr std::uint64_t kTelemetryLayoutHash =
    hash_layout({sizeof(TelemetryHeader),
                 offsetof(TelemetryHeader, daemon_pid),
                 offsetof(TelemetryHeader, rate_hz),
                 offsetof(TelemetryHeader, body_count),
                 offsetof(TelemetryHeader, parameter_count),
                 offsetof(TelemetryHeader, ring_head),
                 offsetof(TelemetryHeader, settled),
                 offsetof(TelemetryHeader, display_offset),
                 offsetof(TelemetryHeader, holder),
                 offsetof(TelemetryHeader, daemon_version),
                 offsetof(TelemetryHeader, device),
                 offsetof(TelemetryHeader, scene_path),
                 offsetof(TelemetryHeader, manifest_path),
                 sizeof(BodyRecord),
                 offsetof(BodyRecord, model_path),
                 offsetof(BodyRecord, model_hash),
                 offsetof(BodyRecord, held),
                 sizeof(BlockRecord),
                 offsetof(BlockRecord, shape),
                 offsetof(BlockRecord, rate),
                 sizeof(ParameterRecord),
                 offsetof(ParameterRecord, value),
                 sizeof(SampleRecord),
                 offsetof(SampleRecord, state),
                 offsetof(SampleRecord, limited),
                 offsetof(SampleRecord, device_pose),
                 offsetof(SampleRecord, manipulandum_pose),
                 offsetof(SampleRecord, held_pose),
                 offsetof(SampleRecord, device_wrench),
                 offsetof(SampleRecord, wanted_wrench),
                 offsetof(SampleRecord, contact_wrench),
                 offsetof(SampleRecord, ramp),
                 offsetof(SampleRecord, port_energy_J),
                 offsetof(SampleRecord, world_step),
                 offsetof(SampleRecord, world_hand_age),
                 offsetof(SampleRecord, wake_ns),
                 offsetof(SampleRecord, total_ns),
                 sizeof(EventRecord),
                 offsetof(EventRecord, pid),
                 offsetof(EventRecord, client),
                 offsetof(EventRecord, pull),
                 offsetof(EventRecord, text),
                 kEventCapacity,
                 sizeof(Counters),
                 offsetof(Counters, faults),
                 kFaultKinds,
                 sizeof(Histogram),
                 Histogram::kBuckets,
                 sizeof(WarningRecord),
                 offsetof(WarningRecord, largest),
                 kPhysicalWarningCount,
                 sizeof(Statistics),
                 offsetof(Statistics, warnings),
                 offsetof(Statistics, wake)});

static_assert(SharedPlain<TelemetryHeader> && SharedPlain<BodyRecord> &&
              SharedPlain<ParameterRecord> && SharedPlain<SampleRecord> && SharedPlain<Counters> &&
              SharedPlain<Statistics> && SharedPlain<PoseRecord> && SharedPlain<EventRecord> &&
              SharedPlain<OperatorRecord> && SharedPlain<BlockRecord> &&
              SharedPlain<WarningRecord>);
static_assert(StateLayout::kLongestName < sizeof(BlockRecord::name) &&
              StateLayout::kLongestUnit < sizeof(BlockRecord::unit) &&
              StateLayout::kLongestMeaning < sizeof(BlockRecord::meaning) &&
              StateLayout::kMostDimensions <= 4);
static_assert(kFaultKinds <= 32);

}  // namespace haptic
