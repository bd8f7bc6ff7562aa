#include "host/cli/probe_damping.h"

#include <Eigen/Core>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/reduction/numerical_damping.h"
#include "shared/artifact/model_file.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kLargeShare = 0.1;    // of the mesh's longest side
constexpr double kSmallShare = 0.001;  // of the large amplitude

double longest_side(std::span<const double> vertices) {
  using Points = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
  const Eigen::Map<const Points> x(vertices.data(), static_cast<Eigen::Index>(vertices.size() / 3),
                                   3);
  return (x.colwise().maxCoeff() - x.colwise().minCoeff()).maxCoeff();
}

nlohmann::json loss(double fraction) {
  return std::isfinite(fraction) ? nlohmann::json(fraction) : nlohmann::json();
}

}  // namespace

nlohmann::json probe_damping(const std::filesystem::path& path, const DampingProbe& settings) {
  const ModelFile model(path);
  if (model.reduced_dimension() == 0) {
    throw InputError(path.string(), "/reduced/basis", "missing", "a model with a reduction");
  }
  NumericalDampingSettings measured;
  measured.dt = settings.dt;
  measured.iterations = settings.iterations;
  measured.periods = settings.periods;
  measured.large =
      settings.amplitude.value_or(kLargeShare * longest_side(model.doubles("/mesh/vertices")));
  measured.small = kSmallShare * measured.large;
  ProgressLine line(stderr, "probe damping " + path.string());
  measured.progress = line.progress();
  const NumericalDampingReport report =
      measure_numerical_damping(ReducedEnergy(model), model.doubles("/reduced/basis"), measured);

  nlohmann::json modes = nlohmann::json::array();
  for (const ModeDamping& mode : report.modes) {
    modes.push_back({{"frequency_Hz", mode.frequency_Hz},
                     {"steps_per_period", mode.steps_per_period},
                     {"loss_per_period_small", loss(mode.loss_small)},
                     {"loss_per_period_large", loss(mode.loss_large)}});
  }
  return {{"dt_s", measured.dt},
          {"newton_iterations", measured.iterations},
          {"largest_frequency_Hz", report.largest_frequency_Hz},
          {"central_difference_limit_s", loss(report.central_difference_limit_s)},
          {"amplitude_small_m", measured.small},
          {"amplitude_large_m", measured.large},
          {"modes", modes}};
}

}  // namespace haptic
