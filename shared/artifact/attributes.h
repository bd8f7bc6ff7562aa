#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// An attribute of a group of a model file, which is one number or one text; docs/artifact.md says
/// what each means.
struct ModelAttributeName {
  std::string_view group, name;
};

/// Every one that a model file may have, beside those of kModelStages. A reader looks each up: to
/// list what a damaged file has can crash HDF5.
inline constexpr std::array kModelAttributes = {
    ModelAttributeName{"/mesh", "youngs_modulus_Pa"},
    ModelAttributeName{"/mesh", "poisson_ratio"},
    ModelAttributeName{"/mesh", "density_kg_m3"},
    ModelAttributeName{"/mesh", "lumped_mass"},
    ModelAttributeName{"/mesh", "assumed_strain"},
    ModelAttributeName{"/body", "extent_in_file"},
    ModelAttributeName{"/body", "extent_m"},
    ModelAttributeName{"/body", "mesh_extent_m"},
    ModelAttributeName{"/body", "mass_kg"},
    ModelAttributeName{"/body", "centre_m"},
    ModelAttributeName{"/body", "inertia_kg_m2"},
    ModelAttributeName{"/body", "surface_mass_kg"},
    ModelAttributeName{"/body", "surface_centre_m"},
    ModelAttributeName{"/body", "surface_inertia_kg_m2"},
    ModelAttributeName{"/body", "voxel_m"},
    ModelAttributeName{"/body", "thinnest_wall_m"},
    ModelAttributeName{"/body", "narrowest_gap_m"},
    ModelAttributeName{"/body", "frequencies_Hz"},
    ModelAttributeName{"/body", "stiffness_N_m"},
    ModelAttributeName{"/body", "stiffness_place_m"},
    ModelAttributeName{"/reduced", "free"},
    ModelAttributeName{"/reduced", "viscosity_phi_Pa_s"},
    ModelAttributeName{"/reduced", "viscosity_psi_Pa_s"},
    ModelAttributeName{"/condensed", "rounding"},
    ModelAttributeName{"/condensed", "contact_force_rounding"},
    ModelAttributeName{"/cloth", "areal_density_kg_m2"},
    ModelAttributeName{"/cloth", "springs"},
    ModelAttributeName{"/provenance", "recipe"},
    ModelAttributeName{"/provenance", "tool_version"},
    ModelAttributeName{"/provenance", "source_mesh"},
    ModelAttributeName{"/provenance", "source_mesh_hash"},
    ModelAttributeName{"/provenance", "source_mesh_report"},
    ModelAttributeName{"/field", "route"},
    ModelAttributeName{"/field", "offset_m"},
    ModelAttributeName{"/field", "offset_voxel_m"},
    ModelAttributeName{"/shell", "route"},
    ModelAttributeName{"/shell", "offset_m"},
    ModelAttributeName{"/shell", "offset_voxel_m"},
    ModelAttributeName{"/shell", "method"},
    ModelAttributeName{"/shell", "sampling_spacing_m"},
    ModelAttributeName{"/shell", "spacing_mean_m"},
    ModelAttributeName{"/shell", "spacing_minimum_m"},
    ModelAttributeName{"/shell", "spacing_variation"},
    ModelAttributeName{"/shell", "spacing_of_levels_m"},
};

/// Stages of a bake. /provenance has the attributes seconds_<stage> and peak_bytes_<stage> of each
/// that ran.
inline constexpr std::array kModelStages = {
    "mesh",    "springs",     "voxels",       "walls",      "fem",     "modes",     "derivatives",
    "basis",   "polynomials", "condensation", "compliance", "contact", "embedding", "field",
    "proxies", "shell",       "weights",      "tree",       "write",
};
inline constexpr std::string_view kStagesGroup = "/provenance", kStageSeconds = "seconds_",
                                  kStagePeak = "peak_bytes_";

/// Names of a group's attributes, those of the stages among them; none of an unknown group.
std::vector<std::string> model_attribute_names(std::string_view group);

/// Groups that may have attributes, without repetition.
std::vector<std::string> model_attribute_groups();

}  // namespace haptic
