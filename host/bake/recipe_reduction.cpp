#include <fmt/format.h>

#include "host/bake/recipe_tables.h"

namespace haptic {
namespace {

constexpr int kLargestDimension = 64;

BasisSource read_kind(const TomlTable& table) {
  const std::string kind = table.choice(
      "basis", {"derivatives", "modes", "full_derivatives", "sketch", "snapshots", "file"},
      "derivatives");
  if (kind == "modes") return BasisSource::kModes;
  if (kind == "full_derivatives") return BasisSource::kFullDerivatives;
  if (kind == "sketch") return BasisSource::kSketch;
  if (kind == "snapshots") return BasisSource::kSnapshots;
  if (kind == "file") return BasisSource::kFile;
  return BasisSource::kDerivatives;
}

/// The key that names a basis' source, empty where it needs none.
std::string_view source_key(BasisSource kind) {
  switch (kind) {
    case BasisSource::kSketch:
      return "forces";
    case BasisSource::kSnapshots:
      return "snapshots";
    case BasisSource::kFile:
      return "basis_file";
    default:
      return {};
  }
}

void read_source(const TomlTable& table, ReductionRecipe& reduction) {
  const std::string_view own = source_key(reduction.basis);
  for (const std::string_view key : {"forces", "snapshots", "basis_file"}) {
    if (key != own && table.has(key)) {
      table.refuse(key, "found for a basis that does not use it",
                   own.empty() ? "none" : fmt::format("\"{}\"", own));
    }
  }
  if (reduction.basis == BasisSource::kSnapshots || reduction.basis == BasisSource::kFile) {
    reduction.basis_file = table.file(own);
  }
  if (reduction.basis == BasisSource::kSketch) {
    reduction.forces = table.files(own);
    const NumberRange fraction = {.minimum = 0.0, .maximum = 1.0, .minimum_excluded = true};
    reduction.force_separation =
        table.number("force_separation", fraction, reduction.force_separation);
    reduction.shape_separation =
        table.number("shape_separation", fraction, reduction.shape_separation);
  }
}

/// How many columns the modes and derivatives give; kLargestDimension where that is not known.
int largest_dimension(const ReductionRecipe& reduction) {
  const int k = reduction.linear_modes;
  switch (reduction.basis) {
    case BasisSource::kModes:
      return k;
    case BasisSource::kDerivatives:
    case BasisSource::kFullDerivatives:
      return reduction.free ? k + k * k : k * (k + 3) / 2;
    default:
      return kLargestDimension;
  }
}

}  // namespace

void read_reduction_table(const TomlTable& table, Recipe& recipe) {
  ReductionRecipe reduction;
  reduction.basis = read_kind(table);
  reduction.free = table.boolean("free", false);
  read_source(table, reduction);
  // A basis from elsewhere needs the modes for the frequencies of the damping only.
  reduction.linear_modes = static_cast<int>(source_key(reduction.basis).empty()
                                                ? table.integer("linear_modes", 1, 64)
                                                : table.integer("linear_modes", 1, 64, 4));
  const bool all = reduction.basis == BasisSource::kModes ||
                   reduction.basis == BasisSource::kFullDerivatives ||
                   reduction.basis == BasisSource::kFile;
  reduction.dimension = static_cast<int>(all ? table.integer("dimension", 1, kLargestDimension, 0)
                                             : table.integer("dimension", 1, kLargestDimension));
  const int columns = largest_dimension(reduction);
  if (reduction.dimension > columns) {
    table.refuse("dimension", fmt::format("found {}", reduction.dimension),
                 fmt::format("at most {}, the {} of {} linear modes", columns,
                             reduction.basis == BasisSource::kModes ? "number"
                                                                    : "modes and modal derivatives",
                             reduction.linear_modes));
  }
  if (reduction.dimension == 0 && reduction.basis != BasisSource::kFile) {
    if (columns > kLargestDimension) {
      table.refuse("dimension", fmt::format("missing, and the basis has {} columns", columns),
                   fmt::format("at most {}", kLargestDimension));
    }
    reduction.dimension = columns;
  }
  reduction.coefficient_bytes =
      table.choice("storage", {"double", "float"}, "double") == "float" ? 4 : 8;
  table.finish();
  recipe.reduction = reduction;
}

}  // namespace haptic
