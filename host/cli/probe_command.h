#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace CLI {
class App;
}

namespace haptic {

/// `haptic probe force MODEL.h5 --state Q.json`, `haptic probe vertex MODEL.h5 --state Q.json
/// --vertex V [V ...]` and
/// `haptic probe contact SCENE.toml --state S.json [--brute-force]`: prints what the loop computes
/// at a given state, as one JSON object on standard output.
void add_probe_command(CLI::App& app);

/// Reduced internal force at {"q": [r]}: {"energy_J", "force": [r], "stiffness": [[r x r]]};
/// force = dW/dq, stiffness its derivative, q in a mass-orthonormal basis [kg^1/2 m].
/// @throws InputError if the model has no reduction or the state does not fit it
nlohmann::json probe_force(const std::filesystem::path& model, const std::filesystem::path& state);

/// Positions of single surface vertices at {"q": [r]}, as collision and picking evaluate them:
/// {"vertices": [{"vertex", "rest_m": [3], "position_m": [3]}]}, model frame.
/// @throws InputError if the model has no surface, or a vertex or the state does not fit it
nlohmann::json probe_vertex(const std::filesystem::path& model, const std::filesystem::path& state,
                            const std::vector<std::uint32_t>& vertices);

/// Contact of every pair of a scene at {"bodies": {NAME: {"position_m": [3], "orientation_wxyz":
/// [4], "q": [r]}}}; absent entries are as in the scene, at rest. Result: {"contacts": [{"points",
/// "field", "point", "position_m", "normal", "depth_m", "force_N"}], "wrench_on_held": {"force_N",
/// "torque_Nm"}, "gradient": [[6 x 6]], "reduced_force": {NAME: [r]}, "visited_nodes"}. Forces act
/// on the held body, world axes, torques about its grasp.
/// @param brute_force evaluate every point instead of traversing the trees
/// @throws InputError if scene, model or state are invalid
nlohmann::json probe_contact(const std::filesystem::path& scene, const std::filesystem::path& state,
                             bool brute_force);

}  // namespace haptic
