#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// A section's name and extents, as found in a file or about to be written.
struct NamedShape {
  std::string_view name;
  std::span<const std::uint64_t> shape;
};

/// Checks the extents of all sections against the shape column of kSections: constants ("v x 3"),
/// and symbols that must have the same value everywhere ("n x 3" and "3n x r", "C(r+3,4)"). Also
/// checks that a mesh has one kind of element, a field one layout and a compliance one precision.
/// Names and ranks must already fit the table.
/// @returns empty if all fit, else one line "<section>: found ..., expected ..."
std::string disagreement_of_shapes(std::span<const NamedShape> sections);

}  // namespace haptic
