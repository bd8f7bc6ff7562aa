#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// How the values of a state block are displayed.
enum class StateDisplay : std::uint32_t {
  kScalar = 1,              ///< numbers; status prints them and plots draw them over time
  kPose = 2,                ///< last extent 7: position x, y, z [m] and orientation w, x, y, z
  kReducedCoordinates = 3,  ///< reduced coordinates q [m kg^1/2] of deformable bodies
  kVertices = 4,            ///< last extent 3: positions in the world [m]
  /// Last extent 3: current positions of a body's /surface/vertices in the world [m]. The name ends
  /// in "/" and the body's index (surface_block_name).
  kSurface = 5,
};

/// How often the values of a state block are published.
enum class StateRate : std::uint32_t {
  kCycle = 1,    ///< in every cycle: in ring, log and black box
  kDisplay = 2,  ///< kDisplayRate_Hz, in single precision: for states too large for every cycle
};

/// A named part of a world's state. Telemetry, logs, replay, status, plots and rendered images use
/// this description of a block.
struct StateBlock {
  std::string name{};                  ///< words of a-z, 0-9 and '_' joined by '/': "bodies/pose"
  std::string unit{};                  ///< "1" for a plain number
  std::string meaning{};               ///< one line
  std::vector<std::uint32_t> shape{};  ///< row-major; empty: one number
  StateDisplay display = StateDisplay::kScalar;
  StateRate rate = StateRate::kCycle;
  /// The values depend on measured times of the run, so that a replay does not compare them.
  bool measured = false;

  std::uint64_t size() const;  ///< product of shape
  /// Whether every cycle publishes it as one number.
  bool is_number() const { return shape.empty() && rate == StateRate::kCycle; }
  /// " J" behind a printed value; empty for a plain number.
  std::string unit_suffix() const { return unit == "1" ? std::string() : " " + unit; }
  friend bool operator==(const StateBlock&, const StateBlock&) = default;
};

/// The blocks of a world, and where the values of each are: those of rate kCycle one after the
/// other in the order of the blocks, and those of rate kDisplay likewise in a second sequence.
class StateLayout {
 public:
  static constexpr std::size_t kMaxBlocks = 256, kMaxDimensions = 3;
  static constexpr std::size_t kMaxNameLength = 47, kMaxUnitLength = 15, kMaxMeaningLength = 79;
  static constexpr std::uint64_t kMaxCycleValues = std::uint64_t{1} << 16;
  static constexpr std::uint64_t kMaxDisplayValues = std::uint64_t{1} << 24;
  /// Blocks that every world with bodies has: poses in the order of World::bodies(), reduced
  /// coordinates from BodyInfo::first_coordinate on.
  static constexpr std::string_view kBodyPoses = "bodies/pose";
  static constexpr std::string_view kBodyCoordinates = "bodies/coordinates";

  StateLayout() = default;
  /// @throws InputError, naming the block, if a name is not as above, occurs twice or continues
  ///         another one ("a" and "a/b"), a text is too long or not printable, a shape does not fit
  ///         its display, or there are too many values
  explicit StateLayout(std::vector<StateBlock> blocks);

  std::span<const StateBlock> blocks() const { return blocks_; }
  /// Index of the first value of a block within the values of its rate.
  std::uint64_t offset(std::size_t block) const { return offsets_[block]; }
  std::uint64_t cycle_values() const { return cycle_values_; }
  std::uint64_t display_values() const { return display_values_; }
  std::optional<std::size_t> find(std::string_view name) const;

  /// Of all values of the block's rate, those of the block.
  template <class T>
  std::span<T> values(std::size_t block, std::span<T> all) const {
    return all.subspan(offsets_[block], blocks_[block].size());
  }
  /// The same of a block that may be missing: then no values.
  template <class T>
  std::span<T> values(std::string_view name, std::span<T> all) const {
    const std::optional<std::size_t> block = find(name);
    return block ? values(*block, all) : std::span<T>{};
  }

 private:
  std::vector<StateBlock> blocks_;
  std::vector<std::uint64_t> offsets_;
  std::uint64_t cycle_values_ = 0, display_values_ = 0;
};

/// "bodies/surface/N" of the body with index N.
std::string surface_block_name(std::size_t body);
/// The inverse; nothing for a block of another display or name.
std::optional<std::size_t> body_of_surface(const StateBlock& block);

/// Heading of an axis or a curve: "chain/energy [J]"; the name alone where the unit is "1".
std::string axis_label(std::string_view name, std::string_view unit);

/// Name of one value: "contact/points", "bodies/pose[1][3]".
std::string value_name(const StateBlock& block, std::uint64_t index);

}  // namespace haptic
