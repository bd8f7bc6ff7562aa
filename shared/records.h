#pragma once

#include <type_traits>

// clang-format off

/// The records of the telemetry: every field once, in the order of the struct.
///
///   FIELD(type, name, unit, frame, meaning, options...)
///
/// The unit is "1" for a plain number, "text" for a zero-terminated text, "SI" or "*" where it
/// depends on the record. The frame is that of a vector or an orientation; "-": none. From a row
/// come the struct's member, the layout hash, the numpy dtype and these, by options (RecordField):
///
///   .log = kSamples   a column of logs: /samples/cycle. Of a record in this place, a column for
///                     each of its fields: device_pose has /samples/device_position_m
///   .log = kTiming    likewise in /timing; kEvents in /events, where x, y, z are columns
///   .later = true     logs of earlier versions lack the column
///   .angular = "..."  meaning of an orientation or a torque, if it is another one
///   .column = "..."   last part of the column's name, if it is not the field's
///   .metric = "..."   of `haptic metrics`: a double is a gauge, an integer a counter, a Histogram a
///                     histogram; rows with one metric differ in `.label`
///
/// To add a field: a row here, the next version, the place that sets it, and the pages:
///
///   HAPTIC_WRITE_PAGES=1 ctest --test-dir build/release -R record_pages

/// TelemetryHeader::version. Grows by one with every change of the records.
#define HAPTIC_TELEMETRY_VERSION 11

#define HAPTIC_FIELDS_OF_PoseRecord(FIELD) \
  FIELD(double[3], position_m,       "m", "-", "position") \
  FIELD(double[4], orientation_wxyz, "1", "-", "unit quaternion w, x, y, z")

#define HAPTIC_FIELDS_OF_TwistRecord(FIELD) \
  FIELD(double[3], linear_m_s,    "m/s",   "-", "velocity", .column = "velocity_m_s") \
  FIELD(double[3], angular_rad_s, "rad/s", "-", "angular velocity", .column = "angular_velocity_rad_s")

#define HAPTIC_FIELDS_OF_WrenchRecord(FIELD) \
  FIELD(double[3], force_N,   "N",   "-", "force") \
  FIELD(double[3], torque_Nm, "N m", "-", "torque")

/// One haptic cycle.
#define HAPTIC_FIELDS_OF_SampleRecord(FIELD) \
  FIELD(std::uint64_t,    cycle,              "1",         "-",      "exchanges with the device before this one", .log = kSamples) \
  FIELD(std::int64_t,     scheduled_ns,       "ns",        "-",      "deadline of the cycle's slot, CLOCK_MONOTONIC", .log = kTiming) \
  FIELD(std::int64_t,     time_ns,            "ns",        "-",      "when the cycle woke, CLOCK_MONOTONIC") \
  FIELD(ServoState,       state,              "1",         "-",      "0 starting, 1 homing, 2 idle, 3 engaged, 4 fault, 5 stopping", .log = kSamples) \
  FIELD(FaultKind,        fault,              "1",         "-",      "why the fault is latched, 0 none", .log = kSamples) \
  FIELD(std::uint32_t,    buttons,            "1",         "-",      "bit per button", .log = kSamples) \
  FIELD(std::uint32_t,    limited,            "1",         "-",      "limits that cut the wrench: 1 force, 2 torque, 4 slew, 8 ramp, 16 power", .log = kSamples) \
  FIELD(std::uint64_t,    missed,             "1",         "-",      "slots skipped since the start", .log = kTiming) \
  FIELD(PoseRecord,       device_pose,        "-",         "device", "hand, device frame", .log = kSamples) \
  FIELD(TwistRecord,      device_twist,       "-",         "device", "hand, device frame", .log = kSamples) \
  FIELD(PoseRecord,       manipulandum_pose,  "-",         "world",  "hand scaled into the world", .log = kSamples, .angular = "hand in the world") \
  FIELD(PoseRecord,       held_pose,          "-",         "world",  "simulated object in the hand, world", .log = kSamples) \
  FIELD(WrenchRecord,     device_wrench,      "-",         "device", "commanded, after every limit, on the hand", .log = kSamples) \
  FIELD(WrenchRecord,     wanted_wrench,      "-",         "device", "of the world, before ramp and limits, on the hand", .log = kSamples) \
  FIELD(WrenchRecord,     contact_wrench,     "-",         "world",  "on the held body, world", .log = kSamples, .angular = "on the held body about its grasp, world") \
  FIELD(double,           ramp,               "1",         "-",      "force scale, 0 to 1", .log = kSamples, .metric = "haptic_ramp_ratio") \
  FIELD(double,           port_energy_J,      "J",         "-",      "taken by the hand's side since engaging, by the passivity observer", .log = kSamples, .metric = "haptic_port_energy_joules") \
  FIELD(double,           port_damping_N_s_m, "N s/m",     "-",      "added by the passivity controller", .log = kSamples) \
  FIELD(double,           port_damping_Nm_s,  "N m s/rad", "-",      "added by the passivity controller", .log = kSamples) \
  FIELD(std::uint64_t,    world_step,         "1",         "-",      "steps of the world up to the state rendered", .log = kSamples, .metric = "haptic_world_steps_total") \
  FIELD(std::uint32_t[3], world_hand_age,     "1",         "-",      "cycles since the hand of the newest world steps, the newest step first", .log = kSamples, .later = true) \
  FIELD(std::uint32_t,    reserved,           "-",         "-",      "") \
  FIELD(std::int64_t,     wake_ns,            "ns",        "-",      "wake-up latency", .log = kTiming) \
  FIELD(std::int64_t,     sense_ns,           "ns",        "-",      "reading the device", .log = kTiming) \
  FIELD(std::int64_t,     couple_ns,          "ns",        "-",      "virtual coupling", .log = kTiming) \
  FIELD(std::int64_t,     touch_ns,           "ns",        "-",      "contact", .log = kTiming) \
  FIELD(std::int64_t,     move_ns,            "ns",        "-",      "solve and dynamics", .log = kTiming) \
  FIELD(std::int64_t,     feel_ns,            "ns",        "-",      "limits and device output", .log = kTiming) \
  FIELD(std::int64_t,     publish_ns,         "ns",        "-",      "telemetry, of the cycle before", .log = kTiming) \
  FIELD(std::int64_t,     world_age_ns,       "ns",        "-",      "of the world's state when it was rendered", .log = kTiming) \
  FIELD(std::int64_t,     total_ns,           "ns",        "-",      "whole cycle", .log = kTiming)

/// One body of the world: what a viewer needs to find and place its model.
#define HAPTIC_FIELDS_OF_BodyRecord(FIELD) \
  FIELD(char[64],      name,             "text", "-", "of the body") \
  FIELD(char[448],     model_path,       "text", "-", "absolute; empty if it does not fit") \
  FIELD(std::uint64_t, model_hash,       "1",    "-", "ModelFile::content_hash") \
  FIELD(std::uint32_t, first_coordinate, "1",    "-", "of its own in the block bodies/coordinates") \
  FIELD(std::uint32_t, coordinate_count, "1",    "-", "0 for a rigid body") \
  FIELD(std::uint64_t, held,             "1",    "-", "1 if the hand holds this body, else 0")

/// One block of the world's state (StateBlock); its values follow in the order of the records.
#define HAPTIC_FIELDS_OF_BlockRecord(FIELD) \
  FIELD(char[48],         name,       "text", "-", "of the block") \
  FIELD(char[16],         unit,       "text", "-", "of its values") \
  FIELD(char[80],         meaning,    "text", "-", "one line") \
  FIELD(std::uint32_t[4], shape,      "1",    "-", "extents, row-major; the rest is 0") \
  FIELD(StateDisplay,     display,    "1",    "-", "how a viewer draws it") \
  FIELD(StateRate,        rate,       "1",    "-", "1 every cycle, 2 display rate") \
  FIELD(std::uint64_t,    dimensions, "1",    "-", "of shape; 0: one number") \
  FIELD(std::uint64_t,    measured,   "1",    "-", "1 as StateBlock::measured, else 0")

/// One parameter that `haptic set` may change.
#define HAPTIC_FIELDS_OF_ParameterRecord(FIELD) \
  FIELD(char[64], name,    "text", "-", "as of `haptic set`") \
  FIELD(double,   minimum, "SI",   "-", "least value") \
  FIELD(double,   maximum, "SI",   "-", "greatest value") \
  FIELD(double,   value,   "SI",   "-", "now; written by the loop, one parameter a cycle in turn")

/// What the command `pull` asks for, besides the body. Part of Command and EventRecord.
#define HAPTIC_FIELDS_OF_PullRequest(FIELD) \
  FIELD(double[3], point,       "m",   "model", "of the point pulled, model of the body") \
  FIELD(double[3], target,      "m",   "world", "where to, world, or from where the point is") \
  FIELD(double,    stiffness,   "N/m", "-",     "of the spring") \
  FIELD(double,    limit,       "N",   "-",     "largest force") \
  FIELD(double,    is_relative, "1",   "-",     "1: the target is measured from where the point is")

/// A command and its client, a fault, a change of the scene, or commands left out (EventKind).
/// Without a cycle that took it, `cycle` is the newest; `value` of kLeftOut counts the commands;
/// `text` of the fault guard_lost is the reason.
#define HAPTIC_FIELDS_OF_EventRecord(FIELD) \
  FIELD(std::uint64_t, number,   "1",    "-", "of the event, since the daemon's start", .log = kEvents) \
  FIELD(std::int64_t,  time_ns,  "ns",   "-", "CLOCK_MONOTONIC, as /timing/time_ns", .log = kEvents) \
  FIELD(std::uint64_t, cycle,    "1",    "-", "that executed the command or latched the fault", .log = kEvents) \
  FIELD(EventKind,     kind,     "1",    "-", "1 command, 2 fault, 3 another scene, 4 commands left out", .log = kEvents) \
  FIELD(CommandKind,   command,  "1",    "-", "1 engage, 2 release, 3 stop, 4 reset, 5 set, 6 load, 7 home, 8 takeover, 9 pull, 10 mark", .log = kEvents) \
  FIELD(CommandAnswer, answer,   "1",    "-", "1 applied, else why it was refused", .log = kEvents) \
  FIELD(FaultKind,     fault,    "1",    "-", "as /samples/fault", .log = kEvents) \
  FIELD(std::uint32_t, executed, "1",    "-", "1 where the loop executed the command in that cycle", .log = kEvents) \
  FIELD(std::uint32_t, uid,      "1",    "-", "user of the client, from the kernel", .log = kEvents) \
  FIELD(std::int64_t,  pid,      "1",    "-", "process of the client, from the kernel", .log = kEvents) \
  FIELD(double,        value,    "SI",   "-", "of set", .log = kEvents) \
  FIELD(char[64],      key,      "text", "-", "of set; the body of pull, none: it lets go", .log = kEvents) \
  FIELD(char[32],      client,   "text", "-", "name of the client program, as it gives it", .log = kEvents) \
  FIELD(char[448],     text,     "text", "-", "of mark; the path of load; the scene of another scene", .log = kEvents, .later = true) \
  FIELD(PullRequest,   pull,     "-",    "-", "", .log = kEvents, .later = true)

/// The operator who engaged, and so may release, set, reset, load and home; any operator may stop.
#define HAPTIC_FIELDS_OF_OperatorRecord(FIELD) \
  FIELD(std::uint64_t, sequence, "1",    "-", "seqlock") \
  FIELD(std::int64_t,  since_ns, "ns",   "-", "CLOCK_MONOTONIC; 0: no operator") \
  FIELD(std::int64_t,  pid,      "1",    "-", "of the client that engaged or took over") \
  FIELD(std::uint64_t, uid,      "1",    "-", "the same") \
  FIELD(char[32],      client,   "text", "-", "name of the client program, as it gives it")

/// Counted since the daemon's start, across all scenes. Each counter has one writer.
#define HAPTIC_FIELDS_OF_Counters(FIELD) \
  FIELD(std::uint64_t,     cycles,                     "1", "-", "cycles of the loop", .metric = "haptic_cycles_total") \
  FIELD(std::uint64_t,     missed,                     "1", "-", "slots of the loop that were skipped", .metric = "haptic_missed_slots_total") \
  FIELD(std::uint64_t,     world_missed,               "1", "-", "slots that a world at a rate of its own skipped", .metric = "haptic_world_missed_slots_total") \
  FIELD(std::uint64_t,     overruns,                   "1", "-", "cycles whose work did not fit in one period", .metric = "haptic_overruns_total") \
  FIELD(std::uint64_t,     allocations,                "1", "-", "calls of the allocator inside the loop", .metric = "haptic_allocations_total") \
  FIELD(std::uint64_t,     page_faults_minor,          "1", "-", "page faults of the loop", .metric = "haptic_page_faults_total", .label = "kind=minor") \
  FIELD(std::uint64_t,     page_faults_major,          "1", "-", "page faults of the loop that read a file or the swap", .metric = "haptic_page_faults_total", .label = "kind=major") \
  FIELD(std::uint64_t,     involuntary_switches,       "1", "-", "preemptions of a loop", .metric = "haptic_involuntary_switches_total", .label = "thread=servo") \
  FIELD(std::uint64_t,     world_involuntary_switches, "1", "-", "the same of a simulation thread at a rate of its own", .metric = "haptic_involuntary_switches_total", .label = "thread=simulation") \
  FIELD(std::uint64_t,     forbidden_calls,            "1", "-", "system calls that the loops' filter refused", .metric = "haptic_forbidden_calls_total") \
  FIELD(std::uint64_t,     limited_cycles,             "1", "-", "cycles whose wrench a limit cut", .metric = "haptic_limited_cycles_total") \
  FIELD(std::uint64_t,     commands_applied,           "1", "-", "commands of operators", .metric = "haptic_commands_total", .label = "result=applied") \
  FIELD(std::uint64_t,     commands_refused,           "1", "-", "commands that were refused", .metric = "haptic_commands_total", .label = "result=refused") \
  FIELD(std::uint64_t,     command_garbage,            "1", "-", "packets with impossible content, refused", .metric = "haptic_commands_total", .label = "result=malformed") \
  FIELD(std::uint64_t,     dropped_messages,           "1", "-", "lines for the journal that found its queue full", .metric = "haptic_dropped_messages_total") \
  FIELD(std::uint64_t,     black_boxes,                "1", "-", "fault records written", .metric = "haptic_black_boxes_total") \
  FIELD(std::uint64_t[32], faults,                     "1", "-", "faults by kind", .metric = "haptic_faults_total", .label = "fault")

/// Durations in buckets that grow with them. Written by one thread, copied while it grows.
#define HAPTIC_FIELDS_OF_Histogram(FIELD) \
  FIELD(std::uint64_t,           maximum_ns, "ns", "-", "largest duration") \
  FIELD(std::uint64_t,           sum_ns,     "ns", "-", "of all durations") \
  FIELD(std::uint64_t[kBuckets], buckets,    "1",  "-", "durations of each bucket")

#define HAPTIC_FIELDS_OF_WarningRecord(FIELD) \
  FIELD(std::uint64_t, cycles,        "1", "-", "in which the condition held") \
  FIELD(std::uint64_t, last_cycle,    "1", "-", "the last of them") \
  FIELD(std::uint64_t, spell,         "1", "-", "length of the last spell, in cycles in which it held") \
  FIELD(std::uint64_t, longest_spell, "1", "-", "of all spells") \
  FIELD(double,        largest,       "*", "-", "value, in the unit of the warning")

/// Counters of the daemon; warnings and histograms of the scene.
#define HAPTIC_FIELDS_OF_Statistics(FIELD) \
  FIELD(Counters,                             counters, "-", "-", "since the daemon's start") \
  FIELD(WarningRecord[kPhysicalWarningCount], warnings, "-", "-", "in the order of kPhysicalWarnings") \
  FIELD(Histogram,                            wake,     "-", "-", "lateness of a wake-up after its deadline", .metric = "haptic_wake_seconds") \
  FIELD(Histogram,                            compute,  "-", "-", "wake-up to the end of a cycle's work", .metric = "haptic_compute_seconds") \
  FIELD(Histogram,                            device,   "-", "-", "exchange with the device in a cycle", .metric = "haptic_device_seconds")

/// The beginning of the segment. Texts are zero-terminated.
#define HAPTIC_FIELDS_OF_TelemetryHeader(FIELD) \
  FIELD(std::uint64_t,  magic,                "-",    "-", "kMagic, written last") \
  FIELD(std::uint32_t,  version,              "1",    "-", "kVersion") \
  FIELD(std::uint32_t,  header_size,          "byte", "-", "of this record") \
  FIELD(std::uint64_t,  layout_hash,          "-",    "-", "kTelemetryLayoutHash of the writer") \
  FIELD(std::uint64_t,  total_size,           "byte", "-", "of the segment") \
  FIELD(std::uint64_t,  instance,             "-",    "-", "differs between two runs, or two scenes, under one name") \
  FIELD(std::uint64_t,  closed,               "1",    "-", "a SegmentEnd once no cycle follows, 0 before") \
  FIELD(std::int64_t,   daemon_pid,           "1",    "-", "process of the daemon") \
  FIELD(std::int64_t,   start_monotonic_ns,   "ns",   "-", "start of the daemon, CLOCK_MONOTONIC") \
  FIELD(std::int64_t,   start_realtime_ns,    "ns",   "-", "the same, CLOCK_REALTIME: the only one, a recorded stamp") \
  FIELD(std::int64_t,   scene_modified_ns,    "ns",   "-", "mtime of the scene's file before it was read") \
  FIELD(std::int64_t,   manifest_modified_ns, "ns",   "-", "the same of the device's manifest; 0: none") \
  FIELD(double,         rate_hz,              "Hz",   "-", "of the loop") \
  FIELD(double,         length_scale,         "1",    "-", "simulated m per m of hand") \
  FIELD(double,         force_limit_N,        "N",    "-", "largest force on the hand") \
  FIELD(double,         torque_limit_Nm,      "N m",  "-", "largest torque on the hand") \
  FIELD(double,         device_stiffness_N_m, "N/m",  "-", "largest one that the device can render at 1 kHz") \
  FIELD(std::uint32_t,  body_count,           "1",    "-", "records BodyRecord") \
  FIELD(std::uint32_t,  block_count,          "1",    "-", "records BlockRecord") \
  FIELD(std::uint32_t,  grants,               "1",    "-", "GrantBit set") \
  FIELD(std::uint32_t,  ring_capacity,        "1",    "-", "samples, a power of two") \
  FIELD(std::uint64_t,  parameter_count,      "1",    "-", "records ParameterRecord") \
  FIELD(std::uint64_t,  bodies_offset,        "byte", "-", "of the first BodyRecord") \
  FIELD(std::uint64_t,  blocks_offset,        "byte", "-", "of the first BlockRecord") \
  FIELD(std::uint64_t,  parameters_offset,    "byte", "-", "of the first ParameterRecord") \
  FIELD(std::uint64_t,  statistics_offset,    "byte", "-", "of Statistics") \
  FIELD(std::uint64_t,  events_offset,        "byte", "-", "of the events") \
  FIELD(std::uint64_t,  ring_offset,          "byte", "-", "of the ring of samples") \
  FIELD(std::uint64_t,  ring_stride,          "byte", "-", "one entry of the ring, sequence included") \
  FIELD(std::uint64_t,  ring_head,            "1",    "-", "samples published so far") \
  FIELD(std::uint64_t,  settled,              "1",    "-", "samples whose commands and faults all are in the events") \
  FIELD(std::uint64_t,  display_offset,       "byte", "-", "of the display snapshots") \
  FIELD(std::uint64_t,  display_stride,       "byte", "-", "one of the two, sequence included") \
  FIELD(OperatorRecord, holder,               "-",    "-", "changes while the daemon runs") \
  FIELD(char[32],       daemon_version,       "text", "-", "of hapticd") \
  FIELD(char[64],       device,               "text", "-", "name of the device") \
  FIELD(char[448],      scene_path,           "text", "-", "absolute; empty if it does not fit") \
  FIELD(char[448],      manifest_path,        "text", "-", "of the device, likewise; empty for the scene's simulated device")

/// All of them; those that are part of another one come before it.
#define HAPTIC_RECORDS(RECORD)                                                                      \
  RECORD(PoseRecord) RECORD(TwistRecord) RECORD(WrenchRecord) RECORD(SampleRecord)                  \
  RECORD(BodyRecord) RECORD(BlockRecord) RECORD(ParameterRecord)                                    \
  RECORD(PullRequest) RECORD(EventRecord) RECORD(OperatorRecord)                                    \
  RECORD(Counters) RECORD(Histogram) RECORD(WarningRecord) RECORD(Statistics) RECORD(TelemetryHeader)

// clang-format on

/// Defines the struct of a record, whose members are zero at first.
#define HAPTIC_RECORD(Record) \
  struct Record {             \
    HAPTIC_MEMBERS_OF(Record) \
  }
#define HAPTIC_MEMBERS_OF(Record) HAPTIC_FIELDS_OF_##Record(HAPTIC_MEMBER)
#define HAPTIC_MEMBER(type, name, ...) std::type_identity_t<type> name{};
