#include "lab/experiments/made_scene.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "host/files/replace_file.h"
#include "lab/experiments/model_folder.h"

namespace haptic {

MadeScene::MadeScene(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
}

void MadeScene::add_file(const std::string& name, const std::string& text) {
  const std::filesystem::path file = folder_ / name;
  std::ifstream in(file, std::ios::binary);
  if (in && std::string(std::istreambuf_iterator<char>(in), {}) == text) return;
  replace_file(file, {text});
}

void MadeScene::add_hand(const std::string& name, const std::vector<Waypoint>& waypoints) {
  constexpr double kRowsPerSecond = 20.0;
  std::string text = "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n";
  const auto rows = std::lround(waypoints.back().time * kRowsPerSecond);
  std::size_t next = 1;
  for (long row = 0; row <= rows; ++row) {
    const double time = static_cast<double>(row) / kRowsPerSecond;
    while (next + 1 < waypoints.size() && time > waypoints[next].time) ++next;
    const Waypoint &a = waypoints[next - 1], &b = waypoints[next];
    const double s = std::min(1.0, (time - a.time) / (b.time - a.time));
    const double w = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
    const Vector3 p = a.position + w * (b.position - a.position);
    const Quaternion q = rotation_exponential(a.turn + w * (b.turn - a.turn));
    text += fmt::format("{:.3f},{:.7g},{:.7g},{:.7g},{:.9g},{:.9g},{:.9g},{:.9g}\n", time, p.x(),
                        p.y(), p.z(), q.w(), q.x(), q.y(), q.z());
  }
  add_file(name, text);
}

void MadeScene::bake(const std::vector<std::string>& parts) const {
  prepare_models({folder_, folder_}, parts);
}

Scene MadeScene::load(const std::string& scene, const std::vector<std::string>& parts) const {
  bake(parts);
  return load_scene(folder_ / scene);
}

std::string ground_scene(double rate_hz) {
  return fmt::format(R"(rate_hz = {:.17g}
[[body]]
name = "hand"
shape = "sphere"
radius = 0.01
role = "held"
position = [9.0, 0.0, 0.0]
[[body]]
name = "ground"
shape = "plane"
size = 1.0
role = "anchored"
orientation = [0.70710678118654752, -0.70710678118654752, 0.0, 0.0]
)",
                     rate_hz);
}

std::string bridge_recipe(int resolution, int points, int levels) {
  return fmt::format(R"([source]
mesh = "bridge.obj"
length = 0.3
[mesh]
resolution = {}
cells = "full"
elements = "full"
[material]
youngs_modulus = 1e6
poisson_ratio = 0.3
density = 500.0
damping_ratios = [0.03, 0.06]
[constraints]
planes = [{{ axis = "y", below = 0.006 }}]
[reduction]
linear_modes = 8
dimension = 15
[shell]
points = {}
levels = {}
)",
                     resolution, points, levels);
}

}  // namespace haptic
