#pragma once

#include <cstdint>

#include "shared/realtime.h"

namespace haptic {

/// When a traversal stops early (docs/methods/contact-and-coupling.md, "Graceful degradation").
struct DegradationSettings {
  enum class Rule : std::uint8_t {
    kHard,       ///< a level is entered if it can be finished within the threshold
    kPublished,  ///< a level is entered while the nodes visited before it are below the threshold
  };
  /// V_W, threshold for a level that the last cycle rendered [nodes]; 0: every level is rendered.
  std::uint32_t warm_nodes = 0;
  /// V_C / V_W, in (0, 1]; V_C is the threshold for a level that the last cycle did not render.
  double cold_ratio = 0.8;
  Rule rule = Rule::kHard;
  /// Cost of a contact in nodes, in addition to its visit (beta / alpha of Barbic 2007, Eq 3.13);
  /// for kHard.
  double contact_nodes = 0.0;
  /// Cycles over which the force fades to that of other levels (LevelFade); 0: it jumps.
  std::uint32_t fade_cycles = 20;

  bool operator==(const DegradationSettings&) const = default;
};

/// Decides which levels a cycle renders: whole levels only, and always the first. LevelFade keeps
/// the force continuous.
class LevelSchedule {
 public:
  /// @throws InputError if cold_ratio or contact_nodes is out of range
  explicit LevelSchedule(const DegradationSettings& settings);

  void set_warm_nodes(std::uint32_t nodes) HAPTIC_REALTIME { settings_.warm_nodes = nodes; }
  void set_contact_nodes(double nodes) HAPTIC_REALTIME { settings_.contact_nodes = nodes; }
  std::uint32_t warm_nodes() const HAPTIC_REALTIME { return settings_.warm_nodes; }
  /// Discards the last cycle: all levels are cold.
  void clear_history() HAPTIC_REALTIME { deepest_ = 0; }

  /// Whether `level` (from 2) may be rendered. @param visited nodes of the levels before it
  /// @param next nodes queued on it  @param contacts points in contact so far
  bool may_enter(std::uint32_t level, std::uint32_t visited, std::uint32_t next,
                 std::uint32_t contacts) const HAPTIC_REALTIME;

  /// Ends a cycle that rendered `level`.
  void finish(std::uint32_t level) HAPTIC_REALTIME { deepest_ = level; }

 private:
  DegradationSettings settings_;
  std::uint32_t deepest_ = 0;  // of the last cycle
};

}  // namespace haptic
