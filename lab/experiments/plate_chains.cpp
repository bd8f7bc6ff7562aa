#include "lab/experiments/plate_chains.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "host/formats/mesh_file.h"
#include "host/mesh/implicit_solid.h"
#include "lab/experiments/made_scene.h"

namespace haptic {
namespace {

const Vector3 kSize(0.04, 0.01, 0.03);  // of a plate; the chain is along x [m]
constexpr double kHole = 0.004;         // radius of the three holes of a plate, along y [m]
constexpr double kLink = 0.005;         // between the plates of a chain [m]
constexpr double kRow = 0.034;          // between the rows [m]
const double kPitch = kSize.x() + kLink;
constexpr double kPlacementOffsets_m = 0.0005;  // of the chains from their places in the layer [m]
constexpr std::size_t kFirst = 2;               // body of the first plate

double plate(const Vector3& p) {
  double solid = box_distance(p, 0.5 * kSize);
  for (const double x : {-0.012, 0.0, 0.012}) {
    solid = std::max(solid, kHole - std::hypot(p.x() - x, p.z()));
  }
  return solid;
}

}  // namespace

PlateChains::PlateChains(const std::filesystem::path& folder, int layers, int rows, int points)
    : folder_(folder) {
  MadeScene files(folder_);
  const auto mesh = folder_ / "plate.obj";
  if (!std::filesystem::exists(mesh)) {
    write_obj(mesh, implicit_surface(plate, {-0.5 * kSize, 0.5 * kSize}, 80));
  }
  files.add_file("plate.toml", fmt::format(R"([source]
mesh = "plate.obj"
length = {}
[material]
density = 2000.0
[field]
resolution = 64
[shell]
points = {}
)",
                                           kSize.x(), points));
  files.bake({"plate"});
  text_ = ground_scene(1000.0);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> aside(-kPlacementOffsets_m, kPlacementOffsets_m);
  for (int layer = 0; layer < layers; ++layer) {
    const double height = 0.5 * kSize.y() + 0.003 + 0.016 * layer;
    for (int row = 0; row < rows; ++row) {
      const double z = kRow * row;
      // In every second layer the shorter chain comes first: hinges lie above gaps.
      const int first = layer % 2 == 0 ? 3 : 2;
      add_chain(first, {aside(random), height, z + aside(random)}, row);
      add_chain(5 - first, {first * kPitch + aside(random), height, z + aside(random)}, row);
    }
  }
  add_contacts();
}

void PlateChains::add_chain(int plates, const Vector3& first, int row) {
  for (int i = 0; i < plates; ++i) {
    const Vector3 at = first + Vector3(i * kPitch, 0.0, 0.0);
    const std::size_t body = kFirst + places_.size();
    text_ += fmt::format(
        "[[body]]\nname = \"p{}\"\nmodel = \"plate.h5\"\nrole = \"free\"\nposition = [{:.17g}, "
        "{:.17g}, {:.17g}]\n",
        body, at.x(), at.y(), at.z());
    places_.push_back({at, row});
    if (i == 0) continue;
    hinges_.push_back({body - 1});
  }
}

/// Both directions of the pairs of plates that are in the same row or in rows side by side.
void PlateChains::add_contacts() {
  for (const Hinge& hinge : hinges_) {
    const Vector3 at = places_[hinge.first - kFirst].position + Vector3(0.5 * kPitch, 0.0, 0.0);
    text_ += fmt::format(
        "[[joint]]\nname = \"h{0}\"\ntype = \"hinge\"\nbodies = [\"p{0}\", \"p{1}\"]\n"
        "point = [{2:.17g}, {3:.17g}, {4:.17g}]\naxis = [0.0, 0.0, 1.0]\n",
        hinge.first, hinge.first + 1, at.x(), at.y(), at.z());
  }
  const auto touch = [&](const std::string& points, const std::string& field) {
    text_ += fmt::format(
        "[[contact]]\npoints = \"{}\"\nfield = \"{}\"\nstiffness = 1e4\ndamping = 20.0\n"
        "scaling = \"none\"\nfriction = {{ static = 0.4, dynamic = 0.3 }}\n",
        points, field);
  };
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::string name = fmt::format("p{}", kFirst + i);
    touch(name, "ground");
    for (std::size_t j = i + 1; j < places_.size(); ++j) {
      if (std::abs(places_[i].row - places_[j].row) > 1) continue;
      if (std::abs(places_[i].position.x() - places_[j].position.x()) > 1.5 * kPitch) continue;
      const bool joined = std::ranges::any_of(
          hinges_, [&](const Hinge& hinge) { return hinge.first == kFirst + i && j == i + 1; });
      if (joined) continue;
      touch(name, fmt::format("p{}", kFirst + j));
      touch(fmt::format("p{}", kFirst + j), name);
    }
  }
}

double PlateChains::largest_gap(std::span<const Pose> poses) const {
  const Vector3 half(0.5 * kPitch, 0.0, 0.0);
  double largest = 0.0;
  for (const Hinge& hinge : hinges_) {
    const std::size_t a = hinge.first, b = a + 1;
    const Vector3 in_b = places_[a - kFirst].position + half - places_[b - kFirst].position;
    largest =
        std::max(largest, (poses[a].to_world(half) - poses[b].to_world(in_b)).norm() / kSize.x());
  }
  return largest;
}

double PlateChains::largest_drift(std::span<const Pose> poses) const {
  double largest = 0.0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Vector3 moved = poses[kFirst + i].position - places_[i].position;
    largest = std::max(largest, std::hypot(moved.x(), moved.z()));
  }
  return largest;
}

double PlateChains::allowed_drift() {
  return 0.5 * (2.0 * kRow - kSize.norm());
}

double PlateChains::thickness() {
  return kSize.y();
}

}  // namespace haptic
