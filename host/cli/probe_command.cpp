#include "host/cli/probe_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/probe_damping.h"
#include "host/cli/state_file.h"
#include "host/files/json_text.h"
#include "rt/dynamics/reduced_energy.h"
#include "rt/dynamics/surface_vertices.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world_kind.h"
#include "shared/artifact/model_file.h"
#include "shared/command_line/number_checks.h"
#include "shared/error.h"

namespace haptic {
namespace {

nlohmann::json array_of(const Vector3& v) {
  return {v.x(), v.y(), v.z()};
}

nlohmann::json rows_of(std::span<const double> row_major, std::size_t columns) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < row_major.size(); i += columns) {
    rows.push_back(
        std::vector<double>(row_major.begin() + static_cast<std::ptrdiff_t>(i),
                            row_major.begin() + static_cast<std::ptrdiff_t>(i + columns)));
  }
  return rows;
}

Pose read_pose(const nlohmann::json& body, Pose pose, const std::filesystem::path& file,
               const std::string& where) {
  if (body.contains("position_m")) {
    const auto p = require_numbers(body["position_m"], 3, file, where + ".position_m");
    pose.position = Vector3(p[0], p[1], p[2]);
  }
  if (body.contains("orientation_wxyz")) {
    constexpr double kTolerance = 1e-6;  // of numbers typed with seven digits
    const auto w = require_numbers(body["orientation_wxyz"], 4, file, where + ".orientation_wxyz");
    const Quaternion orientation(w[0], w[1], w[2], w[3]);
    if (std::abs(orientation.norm() - 1.0) > kTolerance) {
      throw InputError(file.string(), where + ".orientation_wxyz",
                       fmt::format("found a quaternion of length {:.6g}", orientation.norm()),
                       "length 1");
    }
    pose.orientation = orientation.normalized();
  }
  return pose;
}

std::vector<ProbedBody> read_state(const Scene& scene, const ContactProbe& probe,
                                   const std::filesystem::path& file) {
  const nlohmann::json state = read_state_file(file);
  require_keys(state, {"bodies"}, file, "");
  const nlohmann::json bodies = state.value("bodies", nlohmann::json::object());
  std::vector<std::string> names;
  for (const SceneBody& body : scene.bodies) names.push_back(body.name);
  require_keys(bodies, names, file, "bodies");
  std::vector<ProbedBody> result;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    const std::size_t dimension = probe.dimension(i);
    result.push_back({body.pose, std::vector<double>(dimension, 0.0)});
    if (!bodies.contains(body.name)) continue;
    const std::string where = "bodies." + body.name;
    const nlohmann::json& entry = bodies[body.name];
    require_keys(entry, {"position_m", "orientation_wxyz", "q"}, file, where);
    result.back().pose = read_pose(entry, body.pose, file, where);
    if (entry.contains("q")) {
      result.back().q = require_numbers(entry["q"], dimension, file, where + ".q");
    }
  }
  return result;
}

/// Stiffness of the held body's contact, force over greatest depth, and what the hand feels of it:
/// in series with the coupling, times the scale of lengths. Nulls without contact.
nlohmann::json stiffness_of(const Scene& scene, const ProbedContacts& touched) {
  const std::size_t held = scene.held_body();
  double depth = 0.0;
  for (const ProbedContact& contact : touched.contacts) {
    if (contact.points == held || contact.field == held) depth = std::max(depth, contact.depth);
  }
  const double coupling =
      std::min(scene.coupling.stiffness, scene.coupling.max_stiffness / scene.length_scale);
  nlohmann::json stiffness = {{"coupling_N_per_m", coupling},
                              {"contact_N_per_m", nullptr},
                              {"contact_slope_N_per_m", nullptr},
                              {"hand_N_per_m", nullptr}};
  const double force = touched.wrench.force.norm();
  if (!(depth > 0.0 && force > 0.0)) return stiffness;
  const double contact = force / depth;
  const Vector3 direction = touched.wrench.force / force;
  stiffness["contact_N_per_m"] = contact;
  stiffness["contact_slope_N_per_m"] =
      -direction.dot(touched.gradient.topLeftCorner<3, 3>() * direction);
  stiffness["hand_N_per_m"] = scene.length_scale / (1.0 / contact + 1.0 / coupling);
  return stiffness;
}

}  // namespace

nlohmann::json probe_force(const std::filesystem::path& model_path,
                           const std::filesystem::path& state_path) {
  const ModelFile model(model_path);
  const std::size_t r = model.reduced_dimension();
  if (r == 0) {
    throw InputError(model_path.string(), "/reduced/basis", "missing", "a model with a reduction");
  }
  const nlohmann::json state = read_state_file(state_path);
  require_keys(state, {"q"}, state_path, "");
  if (!state.contains("q")) throw InputError(state_path.string(), "q", "missing", "an array");
  const std::vector<double> q = require_numbers(state["q"], r, state_path, "q");
  const ReducedEnergy energy(model);
  ReducedEnergy::Workspace workspace(energy.dimension());
  std::vector<double> force(r), stiffness(r * r);
  energy.force_and_stiffness(q, force, stiffness, workspace);
  const double joules = energy.energy(q);
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!finite(joules) || !std::ranges::all_of(force, finite) ||
      !std::ranges::all_of(stiffness, finite)) {
    throw InputError(state_path.string(), "q",
                     fmt::format("found values up to {:g}, whose energy overflows",
                                 std::abs(*std::ranges::max_element(
                                     q, {}, [](double x) { return std::abs(x); }))),
                     "a deformation of the body");
  }
  return {{"energy_J", joules}, {"force", force}, {"stiffness", rows_of(stiffness, r)}};
}

nlohmann::json probe_vertex(const std::filesystem::path& model_path,
                            const std::filesystem::path& state_path,
                            const std::vector<std::uint32_t>& vertices) {
  const ModelFile model(model_path);
  const SurfaceVertices surface(model);
  const nlohmann::json state = read_state_file(state_path);
  require_keys(state, {"q"}, state_path, "");
  std::vector<double> q;
  if (state.contains("q")) q = require_numbers(state["q"], surface.dimension(), state_path, "q");
  nlohmann::json positions = nlohmann::json::array();
  for (const std::uint32_t vertex : vertices) {
    if (vertex >= surface.size()) {
      throw InputError(
          "--vertex", "", fmt::format("found {}", vertex),
          fmt::format("0 to {}, the vertices of {}", surface.size() - 1, model_path.string()));
    }
    positions.push_back({{"vertex", vertex},
                         {"rest_m", array_of(surface.position(vertex, {}))},
                         {"position_m", array_of(surface.position(vertex, q))}});
  }
  return {{"vertices", positions}};
}

nlohmann::json probe_contact(const std::filesystem::path& scene_path,
                             const std::filesystem::path& state_path, bool brute_force) {
  const Scene scene = load_scene(scene_path);
  if (scene.kind->make_contact_probe == nullptr) {
    throw InputError(scene_path.string(), "world",
                     fmt::format("found \"{}\", which has no contacts to probe", scene.kind->name),
                     "a kind of world with contact pairs");
  }
  const std::unique_ptr<ContactProbe> probe = scene.kind->make_contact_probe(scene);
  const std::vector<ProbedBody> bodies = read_state(scene, *probe, state_path);
  const ProbedContacts touched = probe->touch(bodies, brute_force);

  nlohmann::json contacts = nlohmann::json::array();
  for (const ProbedContact& contact : touched.contacts) {
    contacts.push_back({{"points", scene.bodies[contact.points].name},
                        {"field", scene.bodies[contact.field].name},
                        {"point", contact.point},
                        {"position_m", array_of(contact.position)},
                        {"normal", array_of(contact.normal)},
                        {"depth_m", contact.depth},
                        {"force_N", array_of(contact.force)}});
    if (contact.site) contacts.back()["site"] = *contact.site;
  }
  const Eigen::Matrix<double, 6, 6, Eigen::RowMajor> rows = touched.gradient;
  nlohmann::json forces = nlohmann::json::object();
  for (std::size_t i = 0; i < touched.reduced_forces.size(); ++i) {
    const std::vector<double>& force = touched.reduced_forces[i];
    if (!force.empty()) forces[scene.bodies[i].name] = force;
  }
  return {{"contacts", contacts},
          {"wrench_on_held",
           {{"force_N", array_of(touched.wrench.force)},
            {"torque_Nm", array_of(touched.wrench.torque)}}},
          {"gradient", rows_of({rows.data(), 36}, 6)},
          {"stiffness", stiffness_of(scene, touched)},
          {"reduced_force", forces},
          {"visited_nodes", touched.visited_nodes}};
}

void add_probe_command(CLI::App& app) {
  struct Options {
    std::filesystem::path file, state;
    std::vector<std::uint32_t> vertices;
    bool brute_force = false;
    bool json = true;  // the output is JSON with and without the flag
  };
  CLI::App* probe =
      app.add_subcommand("probe", "Print what the loop computes at a given state, as JSON");
  probe->require_subcommand(1);

  const auto force = std::make_shared<Options>();
  CLI::App* force_command = probe->add_subcommand("force", "Reduced internal force and stiffness");
  force_command->add_option("MODEL.h5", force->file, "model file")->required();
  force_command->add_option("--state", force->state, "{\"q\": [r]}")->required();
  force_command->add_flag("--json", force->json, "no effect: the output is always JSON");
  force_command->callback(
      [force] { std::cout << json_text(probe_force(force->file, force->state)) << std::endl; });

  const auto vertex = std::make_shared<Options>();
  CLI::App* vertex_command =
      probe->add_subcommand("vertex", "Positions of single surface vertices at a state");
  vertex_command->add_option("MODEL.h5", vertex->file, "model file")->required();
  vertex_command->add_option("--state", vertex->state, "{\"q\": [r]}")->required();
  vertex_command->add_option("--vertex", vertex->vertices, "surface vertices, from 0")->required();
  vertex_command->add_flag("--json", vertex->json, "no effect: the output is always JSON");
  vertex_command->callback([vertex] {
    std::cout << json_text(probe_vertex(vertex->file, vertex->state, vertex->vertices))
              << std::endl;
  });

  const auto contact = std::make_shared<Options>();
  CLI::App* contact_command =
      probe->add_subcommand("contact", "Contacts, wrenches, gradients and reduced forces");
  contact_command->add_option("SCENE.toml", contact->file, "scene file")->required();
  contact_command->add_option("--state", contact->state, "{\"bodies\": {NAME: {...}}}")->required();
  contact_command->add_flag("--brute-force", contact->brute_force,
                            "evaluate every point instead of traversing the trees");
  contact_command->add_flag("--json", contact->json, "no effect: the output is always JSON");
  contact_command->callback([contact] {
    std::cout << json_text(probe_contact(contact->file, contact->state, contact->brute_force))
              << std::endl;
  });

  struct DampingOptions {
    std::filesystem::path model;
    DampingProbe probe;
    bool json = true;
  };
  const auto damping = std::make_shared<DampingOptions>();
  CLI::App* damping_command = probe->add_subcommand(
      "damping", "Numerical damping of a time step by frequency, and the explicit stability limit");
  damping_command->add_option("MODEL.h5", damping->model, "model file")->required();
  damping_command->add_option("--dt", damping->probe.dt, "time step [s]")
      ->check(number_in(1e-9, 1e3))
      ->capture_default_str();
  damping_command->add_option("--iterations", damping->probe.iterations, "Newton iterations a step")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  damping_command
      ->add_option("--amplitude", damping->probe.amplitude,
                   "amplitude of the large release [m]; default: a tenth of the mesh size")
      ->check(number_in(1e-9, 1e3));
  damping_command
      ->add_option("--periods", damping->probe.periods, "periods simulated after the release")
      ->capture_default_str();
  damping_command->add_flag("--json", damping->json, "no effect: the output is always JSON");
  damping_command->callback([damping] {
    std::cout << json_text(probe_damping(damping->model, damping->probe)) << std::endl;
  });
}

}  // namespace haptic
