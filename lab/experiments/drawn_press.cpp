#include "lab/experiments/drawn_press.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/artifact/model_file.h"

namespace haptic {
namespace {

constexpr const char* kMass = "mode = \"dynamic\"\nmass = 0.05\n";
constexpr double kTilt = 0.5;  // largest angle of the press direction to the normal [rad]

}  // namespace

DrawnPresses::DrawnPresses(const Experiment& experiment)
    : files_(experiment.path("files", "")),
      soft_(false),
      bodies_(bake_drawn_bodies(experiment, files_, kBodyLength)) {
  add_tools(experiment);
}

DrawnPresses::DrawnPresses(const Experiment& experiment, std::span<const double> moduli)
    : files_(experiment.path("files", "")),
      soft_(true),
      bodies_(bake_drawn_soft_bodies(experiment, files_, kBodyLength, moduli)) {
  add_tools(experiment);
}

void DrawnPresses::add_tools(const Experiment& experiment) {
  tools_ = {{"sphere", "shape = \"sphere\"\nradius = 0.01\n", 0.01, false},
            {"box", "shape = \"box\"\nx = 0.02\ny = 0.02\nz = 0.02\n", 0.0174, false},
            {"plate", "shape = \"box\"\nx = 0.03\ny = 0.003\nz = 0.03\n", 0.0213, false}};
  for (const std::string& name : bake_drawn_bodies(experiment, files_, kToolLength)) {
    tools_.push_back({name, fmt::format("model = \"{}.h5\"\n", name), kToolLength, true});
  }
}

DrawnPress DrawnPresses::draw(std::uint64_t seed) const {
  Draw draw(seed);
  DrawnPress press;
  press.body = draw.below(bodies_.size());
  press.tool = draw.below(tools_.size());
  press.tool_has_points = !soft_ && tools_[press.tool].mesh && draw.below(2) == 0;
  press.rubs = draw.below(2) == 0;
  press.rate = std::round(draw.logarithmic(100.0, 8000.0));
  press.stiffness = draw.logarithmic(1e2, 1e6);
  press.max_speed = draw.logarithmic(0.1, 10.0);
  press.depth = draw.uniform(0.002, 0.01);
  press.body_turn = draw.orientation();
  press.tool_turn = draw.orientation();
  const ModelFile file(model(press));
  const std::span<const float> points = file.floats("/shell/points");
  const std::span<const float> normals = file.floats("/shell/normals");
  const std::size_t at = 3 * draw.below(points.size() / 3);
  const Vector3 place(points[at], points[at + 1], points[at + 2]);
  const Vector3 inward(normals[at], normals[at + 1], normals[at + 2]);
  const Vector3 out = -(press.body_turn * inward);
  const double tilted = draw.uniform(0.0, kTilt);
  const Vector3 axis = draw.orientation() * Vector3::UnitX();
  const Quaternion tilt(Eigen::AngleAxisd(tilted, axis.normalized()));
  press.start = press.body_turn * place + (tools_[press.tool].radius + kGap) * out;
  press.along = -(tilt * out);
  press.tool_has_mass = soft_ && draw.below(2) == 0;
  return press;
}

Scene DrawnPresses::scene(const DrawnPress& press) {
  const Vector3& p = press.start;
  const Quaternion &a = press.body_turn, &b = press.tool_turn;
  files_.add_file(
      "scene.toml",
      fmt::format("rate_hz = {}\n[[body]]\nname = \"body\"\nmodel = \"{}.h5\"\n"
                  "role = \"anchored\"\norientation = [{}, {}, {}, {}]\n"
                  "[[body]]\nname = \"tool\"\n{}role = \"held\"\nposition = [{}, {}, {}]\n"
                  "orientation = [{}, {}, {}, {}]\n[[contact]]\npoints = \"{}\"\n"
                  "field = \"{}\"\nstiffness = {}\n{}[coupling]\nmax_speed = {}\n{}",
                  press.rate, bodies_[press.body], a.w(), a.x(), a.y(), a.z(),
                  tools_[press.tool].keys, p.x(), p.y(), p.z(), b.w(), b.x(), b.y(), b.z(),
                  press.tool_has_points ? "tool" : "body", press.tool_has_points ? "body" : "tool",
                  press.stiffness, press.rubs ? "friction = { static = 0.5, dynamic = 0.4 }\n" : "",
                  press.max_speed, press.tool_has_mass ? kMass : ""));
  return load_scene(files_.folder() / "scene.toml");
}

std::vector<std::string> DrawnPresses::cells(const DrawnPress& press) const {
  return {tools_[press.tool].name + (press.tool_has_points ? ", its points" : ""),
          bodies_[press.body],
          fmt::format("{:.0f}", press.rate),
          fmt::format("{:.2g}", press.stiffness),
          fmt::format("{:.2g}", press.max_speed),
          press.rubs ? "yes" : "no"};
}

std::vector<std::string> DrawnPresses::columns() {
  return {"tool", "body", "rate [Hz]", "stiffness [N/m]", "speed [m/s]", "friction"};
}

std::filesystem::path DrawnPresses::model(const DrawnPress& press) const {
  return files_.folder() / (bodies_[press.body] + ".h5");
}

}  // namespace haptic
