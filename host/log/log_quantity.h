#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/log/log_reader.h"

namespace haptic {

/// One number per cycle: a part of a quantity.
struct LogComponent {
  std::string suffix;   ///< ".x", "[3]"; empty where the quantity is one number
  std::string unit;     ///< "1" for a plain number
  std::size_t place{};  ///< in the row of the dataset
};

/// What the numbers of a quantity are computed from.
enum class QuantitySource : std::uint8_t {
  kDataset,  ///< the numbers at LogComponent::place
  kNorm,     ///< Euclidean norm of the numbers at LogQuantity::terms
  kGap,      ///< hand minus simulated object, manipulandum_position - held_position
  kGapNorm,  ///< its length
};

/// A named quantity of a log with a value, or a few, in every cycle: a dataset, a part of one, or a
/// value derived from one (docs/plots.md, "Names of columns").
struct LogQuantity {
  std::string name;     ///< "device_force", "bodies/pose[cow]", "contact_force.norm"
  std::string meaning;  ///< one line
  std::string dataset;  ///< HDF5 path; empty for a gap
  QuantitySource source = QuantitySource::kDataset;
  std::vector<LogComponent> components{};
  std::vector<std::size_t> terms{};  ///< of kNorm: places in the row
  bool is_integer = false;           ///< the dataset's elements are integers

  /// "device_force.x"
  std::string title(std::size_t component) const { return name + components[component].suffix; }
};

/// Every quantity of a log: datasets of /samples and /timing, state blocks of every cycle, and the
/// gap between hand and simulated object.
std::vector<LogQuantity> log_quantities(const LogReader& log);

/// The quantity with a name as the user writes it: NAME, NAME[I]..., NAME.x, NAME.norm.
///
/// NAME is a dataset without its group and unit (device_force), a state block (contact/points) or
/// the last word of one where no other has it (points); "force", "torque", "hand", "tool" and
/// "depth" are short for device_force, device_torque, manipulandum_position, held_position and
/// gap.norm. An index is a number or, of bodies/..., the name of a body.
/// @throws InputError naming the nearest known name
LogQuantity find_quantity(const LogReader& log, std::string_view name);

/// Rows [first, first + count) of a quantity, row-major, as many numbers a row as it has
/// components. @throws InputError if the log lacks rows or a column of it is damaged
std::vector<double> read_quantity(const LogReader& log, const LogQuantity& quantity,
                                  std::uint64_t first, std::uint64_t count);

}  // namespace haptic
