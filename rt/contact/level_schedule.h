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
  /// V_W, threshold of a level that the last cycle rendered, in nodes; 0: none, every level.
  std::uint32_t warm_nodes = 0;
  /// V_C / V_W, threshold of a level that it did not; in (0, 1].
  double cold_ratio = 0.8;
  Rule rule = Rule::kHard;
  /// Nodes that a contact counts for on top of its visit (beta / alpha of Barbic 2007, Eq
  /// 3.13); 0: the published rule without prediction.
  double contact_nodes = 0.0;
  /// Cycles over which the force fades to that of other levels, at the quickest; 0: it jumps.
  std::uint32_t fade_cycles = 20;
};

/// Which levels a cycle renders. Whole levels only; the first always. What that does to the force
/// is LevelFade's.
class LevelSchedule {
 public:
  /// @throws InputError if cold_ratio or contact_nodes is out of range
  explicit LevelSchedule(const DegradationSettings& settings);

  void set_warm_nodes(std::uint32_t nodes) HAPTIC_REALTIME { settings_.warm_nodes = nodes; }
  void set_contact_nodes(double nodes) HAPTIC_REALTIME { settings_.contact_nodes = nodes; }
  std::uint32_t warm_nodes() const HAPTIC_REALTIME { return settings_.warm_nodes; }
  /// The last cycle no longer counts: all levels are cold.
  void forget() HAPTIC_REALTIME { deepest_ = 0; }

  /// Whether `level` (from 2) may be rendered. @param visited nodes of the levels before it
  /// @param next nodes that stand on it  @param contacts points in contact so far
  bool may_enter(std::uint32_t level, std::uint32_t visited, std::uint32_t next,
                 std::uint32_t contacts) const HAPTIC_REALTIME;

  /// Ends a cycle that rendered `level`.
  void finish(std::uint32_t level) HAPTIC_REALTIME { deepest_ = level; }

 private:
  DegradationSettings settings_;
  std::uint32_t deepest_ = 0;  // of the last cycle
};

}  // namespace haptic
