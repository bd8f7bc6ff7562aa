#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "host/bake/recipe_keys.h"

namespace haptic {
namespace {

using Q = ReductionRecipe;

constexpr int kMaxDimension = 64;
constexpr std::array<std::string_view, 6> kBases = {"derivatives", "modes",     "full_derivatives",
                                                    "sketch",      "snapshots", "file"};

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

/// The key of the source of a basis, which is required for it and refused for another.
DeclaredKey<Q> of_basis(BasisSource kind, std::string required, DeclaredKey<Q> key) {
  return std::move(key)
      .required_if([kind](const TomlTable&, const Q& q) { return q.basis == kind; },
                   std::move(required))
      .rule([kind](const TomlTable& table, const Q& q) {
        if (q.basis == kind) return;
        const std::string_view own = source_key(q.basis);
        table.refuse(source_key(kind), "found for a basis that does not use it",
                     own.empty() ? "none" : fmt::format("\"{}\"", own));
      });
}

DeclaredKey<Q> of_sketch(DeclaredKey<Q> key) {
  return std::move(key).only_where([](const Q& q) { return q.basis == BasisSource::kSketch; });
}

/// How many columns the modes and derivatives give; kMaxDimension where that is not known.
int max_dimension(const Q& reduction) {
  const int k = reduction.linear_modes;
  switch (reduction.basis) {
    case BasisSource::kModes:
      return k;
    case BasisSource::kDerivatives:
    case BasisSource::kFullDerivatives:
      return reduction.free ? k + k * k : k * (k + 3) / 2;
    default:
      return kMaxDimension;
  }
}

void check_dimension(const TomlTable& table, Q& reduction) {
  const int columns = max_dimension(reduction);
  if (reduction.dimension > columns) {
    table.refuse("dimension", fmt::format("found {}", reduction.dimension),
                 fmt::format("at most {}, the {} of {} linear modes", columns,
                             reduction.basis == BasisSource::kModes ? "number"
                                                                    : "modes and modal derivatives",
                             reduction.linear_modes));
  }
  if (reduction.dimension == 0 && reduction.basis != BasisSource::kFile) {
    if (columns > kMaxDimension) {
      table.refuse("dimension", fmt::format("missing, and the basis has {} columns", columns),
                   fmt::format("at most {}", kMaxDimension));
    }
    reduction.dimension = columns;
  }
}

}  // namespace

const KeySchema<ReductionRecipe>& reduction_keys() {
  const auto has_no_source = [](const TomlTable&, const Q& q) {
    return source_key(q.basis).empty();
  };
  const auto chooses_columns = [](const TomlTable&, const Q& q) {
    return q.basis != BasisSource::kModes && q.basis != BasisSource::kFullDerivatives &&
           q.basis != BasisSource::kFile;
  };
  const NumberRange fraction = NumberRange::positive_up_to(1.0);
  static const KeySchema<Q> keys(
      {
          key("basis", &Q::basis, words_in_order<BasisSource>(kBases),
              "From what the basis is made: modes and modal derivatives (mass-PCA), modes alone, "
              "all modes and derivatives, a sketch, a recorded run, or a file."),
          // A basis from elsewhere needs the modes for the frequencies of the damping only.
          key("linear_modes", &Q::linear_modes, IntegerRange{1, 64},
              "Number k of linear modes; for a sketch, snapshots and a file they only set the "
              "frequencies of the damping.")
              .required_if(has_no_source, "required; 4 for a sketch, snapshots and a file"),
          key("dimension", &Q::dimension, IntegerRange{1, kMaxDimension},
              "Number r of basis vectors.")
              .required_if(chooses_columns,
                           "required; all columns for modes, full_derivatives and a file"),
          key("free", &Q::free,
              "Whether no vertex is fixed, for the role \"free\" in a scene; then without "
              "[constraints]."),
          of_basis(BasisSource::kSketch, "required for a sketch",
                   key("forces", &Q::forces,
                       "Loads that haptic sketch recorded: one file or a list of files.")),
          of_sketch(key("force_separation", &Q::force_separation, fraction,
                        "Distance below which two loads of a sketch count as one, over the largest "
                        "load.")),
          of_sketch(key("shape_separation", &Q::shape_separation, fraction,
                        "Distance below which two shapes of a sketch count as one, over the "
                        "largest shape.")),
          of_basis(
              BasisSource::kSnapshots, "required for snapshots",
              key("snapshots", &Q::basis_file, "Log of a run of haptic simulate --unreduced.")),
          of_basis(BasisSource::kFile, "required for a file",
                   key("basis_file", &Q::basis_file, "VegaFEM .U file.")),
          key("storage", &Q::coefficient_bytes, {{"double", 8}, {"float", 4}},
              "Type in which the loop stores the coefficients of the elastic energy."),
      },
      check_dimension);
  return keys;
}

}  // namespace haptic
