#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/records.h"

namespace haptic {

/// Where the value of a physical warning comes from.
enum class WarningSource : std::uint8_t {
  kBlock,       ///< a state block of one number
  kForceLimit,  ///< 1 in a cycle whose wrench a force, torque or power limit cut, else 0
  kWorldAge,    ///< age of the rendered world step, in steps; only at two rates
};

/// A condition in which the hand feels, or a body does, something else than what the scene
/// describes: a limit that acts, a step that is not solved, a deformation outside the range of its
/// model. The world goes on, so nothing else says so.
///
/// This table is the only list of them (docs/contact.md, "Physical warnings"). The loop counts in
/// which cycles each condition held (WarningWatch, WarningRecord); every program prints what these
/// counts show by find_warnings().
struct PhysicalWarning {
  std::string_view name;  ///< in JSON, metrics and Python: words of a-z joined by '_'
  WarningSource source = WarningSource::kBlock;
  std::string_view block{};    ///< of kBlock; a world without this block never has the warning
  std::string_view over{};     ///< block by which the value is divided; empty: none
  double smallest_over = 0.0;  ///< of that block: below, the quotient is not evaluated
  double limit = 1.0;          ///< the condition holds at values >= limit
  /// Time for which the condition must hold within a spell (WarningRecord) before the warning is
  /// shown [s]; 0: once is enough.
  double sustained_s = 0.0;
  std::string_view unit{};  ///< of the value; empty: a plain number
  std::string_view what{};  ///< what is wrong
  std::string_view cure{};  ///< what to change
};

inline constexpr std::size_t kPhysicalWarningCount = 12;
extern const std::array<PhysicalWarning, kPhysicalWarningCount> kPhysicalWarnings;

/// In which cycles of a scene the condition of a physical warning held. Part of the telemetry:
/// whole 64-bit words.
///
/// A spell is a sequence of such cycles with interruptions of at most kSpellGap_s each; its length
/// counts only the cycles in which the condition held. Conditions that come and go with a vibration
/// form one spell; single cycles minutes apart do not add up.
struct WarningRecord {
  static constexpr double kSpellGap_s = 0.02;

  HAPTIC_MEMBERS_OF(WarningRecord)
};

/// A warning that a run has shown.
struct WarningFinding {
  const PhysicalWarning* warning;
  WarningRecord record;
  double rate_hz;  ///< of the cycles

  double held_s() const { return static_cast<double>(record.cycles) / rate_hz; }
  /// "what is wrong (for 0.52 s, at most 0.996); what to change".
  std::string text() const;
};

/// The warnings that are to be shown, in the order of the table.
/// @param records  as many as kPhysicalWarnings
/// @param rate_hz  of the cycles
std::vector<WarningFinding> find_warnings(std::span<const WarningRecord> records, double rate_hz);

}  // namespace haptic
