#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/monitor/subspace_monitor.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// State of a daemon at one moment, read from its telemetry.
struct StatusReport {
  TelemetryHeader header{};
  DaemonLife life = DaemonLife::kAlive;
  bool has_cycle = false;  ///< `newest` holds a cycle
  double age_s = 0.0;      ///< of the newest cycle
  TelemetrySample newest;
  StateLayout state;          ///< of the values in `newest` and `display`
  DisplaySnapshot display{};  ///< without values if there is none
  Statistics statistics{};
  OperatorRecord holder{};        ///< operator of the device; since_ns 0: none
  std::string guard;              ///< of a guard: its proof that it reaches the outputs, or why not
  double uptime_s = 0.0;          ///< from the daemon's start to its newest cycle
  double measured_rate_hz = 0.0;  ///< cycles run per second of slots, from the first cycle on
  std::vector<ParameterRecord>
      parameters;  ///< parameters that `haptic set` may change, with values
  std::vector<BodySubspaceError> subspace_error;  ///< of the deformable bodies
  std::vector<EventRecord> events;                ///< the last kShownEvents, oldest first

  /// What the cycles of the scene have shown of kPhysicalWarnings.
  std::vector<WarningFinding> physical_warnings() const {
    return find_warnings(statistics.warnings, header.rate_hz);
  }
  /// Time since a warning's condition held last [s].
  double since_s(const WarningFinding& finding) const;
};

/// "engaged", "fault" ... of a daemon whose loop runs, else "stands still" (the daemon is alive,
/// but has run no cycle for kStandsStill_s), "closed", "dead" ...
std::string_view state_name(const StatusReport& report);
bool stands_still(const StatusReport& report);

/// @param subspace error indicators to read as well, or nullptr
StatusReport read_status(const TelemetryReader& telemetry, SubspaceMonitor* subspace = nullptr);

/// One JSON object: state, rate_hz, cycles, missed, wake_us{p50,p99,p999,max}, compute_us{...},
/// device_us{...}, contacts (null in a world without), world_state{BLOCK: number, array, or
/// {values, largest} of more than kMaxListedValues; a number is null before the first cycle},
/// allocations, page_faults, faults, force_N, torque_Nm, parameters{KEY: value},
/// subspace_error{BODY: ratio or null}, guard, events[{number, cycle, time_s, text}] and more; the
/// keys contain the units.
inline constexpr std::size_t kMaxListedValues = 64;
inline constexpr std::size_t kShownEvents = 5;
nlohmann::json status_json(const StatusReport& report);

/// The same as text, one line per figure; without the error of the subspace, which needs its page
/// (docs/dynamics.md) to be read.
std::string status_text(const StatusReport& report);

}  // namespace haptic
