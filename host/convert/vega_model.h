#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "shared/artifact/model_file.h"
#include "shared/progress.h"

namespace haptic {

/// Files of a VegaFEM model; empty paths are absent.
struct VegaModelFiles {
  std::filesystem::path mesh;           ///< .veg
  std::filesystem::path fixed;          ///< .bou; empty: no vertex is fixed
  std::filesystem::path basis;          ///< .U
  std::filesystem::path polynomial;     ///< .cub; empty: computed
  std::filesystem::path surface;        ///< .obj; empty: boundary of the mesh
  std::filesystem::path interpolation;  ///< .interp of the surface; empty: computed
};

/// Notes of a conversion, one sentence per finding. `progress` of a conversion is told the fraction
/// that is done; may be empty.
using ConversionNotes = std::vector<std::string>;

/// Writes NAME.veg, .bou, .U, .cub, .obj and .interp of a reduced model into a folder (made if it
/// is missing).
/// @throws InputError if the model is rigid or has a material that VegaFEM cannot express (its
///         anisotropy is orthotropic; here in model axes)
ConversionNotes export_vega(const ModelFile& model, const std::filesystem::path& folder,
                            const std::string& name, const Progress& progress = {});

/// Makes a model file from VegaFEM's files: mesh, material groups, basis, quartic energy, damping
/// and surface; no shell and no field (bake with [mesh] file = ".veg" for those).
///
/// The basis must be zero at fixed vertices. If it is mass-orthonormal (|U^T M U - I| <= 1e-6 with
/// the consistent mass), it is used unchanged; otherwise it is orthonormalised in the order of its
/// columns. A note reports which. The energy is always computed from mesh and materials; a .cub
/// must agree with it.
/// @param damping_ratios at the lowest and the highest frequency of the basis
/// @throws InputError naming the file that is invalid or does not fit the others
ConversionNotes import_vega(const VegaModelFiles& files, const std::filesystem::path& model,
                            std::array<double, 2> damping_ratios = {0.02, 0.02},
                            const Progress& progress = {});

}  // namespace haptic
