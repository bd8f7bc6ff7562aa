#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace haptic {

struct DampingProbe {
  double dt = 1e-3;                 ///< s
  std::uint32_t iterations = 1;     ///< Newton iterations a step
  std::optional<double> amplitude;  ///< of the large release [m]; absent: a tenth of the mesh
  double periods = 20.0;
};

/// `haptic probe damping MODEL.h5 [--dt S] [--iterations N] [--amplitude M] [--periods N]`:
/// measures the numerical damping of the time step for each frequency of a model, released without
/// physical damping at a large amplitude and at a thousandth of it: {"dt_s", "newton_iterations",
/// "largest_frequency_Hz", "central_difference_limit_s", "amplitude_small_m", "amplitude_large_m",
/// "modes": [{"frequency_Hz", "steps_per_period", "loss_per_period_small",
/// "loss_per_period_large"}]}; a loss is a fraction of the energy, null where the release diverged.
/// @throws InputError if the model has no reduction or a setting is out of range
nlohmann::json probe_damping(const std::filesystem::path& model, const DampingProbe& settings);

}  // namespace haptic
