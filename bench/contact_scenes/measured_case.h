#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/contact_scenes/comparison.h"
#include "bench/contact_scenes/contact_case.h"
#include "lab/experiments/scripted_run.h"

namespace haptic {

/// A run with its options.
struct VariantRun {
  bool temporal_coherence = false;
  std::uint32_t node_budget = 0;  ///< V_W of graceful degradation; 0: none
  ScriptedRun run;
};

/// Everything measured of one case.
struct MeasuredCase {
  ContactCase which;
  std::uint32_t points = 0, levels = 0, dimension = 0, field_resolution = 0, field_dimension = 0;
  std::vector<VariantRun> variants;
  Comparison comparison;
};

/// Runs a case in all variants, and the references at states of the first.
/// @param folder of the scene and its models
/// @param node_budget V_W where degradation is on
MeasuredCase measure(const ContactCase& which, const std::filesystem::path& folder,
                     std::uint64_t cycles, std::uint32_t node_budget);

}  // namespace haptic
