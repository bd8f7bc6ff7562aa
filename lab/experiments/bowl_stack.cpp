#include "lab/experiments/bowl_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "lab/experiments/made_scene.h"
#include "shared/artifact/model_file.h"

namespace haptic {

int BowlShape::side(const Vector3& p) const {
  const Vector3 q = p - Vector3(0.0, rim(), 0.0);
  // A way around the rim from one side to the other is two walls long at least.
  if (q.y() > -wall || p.y() < 0.0) return 0;
  return q.norm() < radius - 0.5 * wall ? 1 : -1;
}

std::vector<std::vector<Vector3>> convex_parts(const BowlShape& shape, int sectors) {
  constexpr int kBands = 4;
  const double step = 2.0 * std::numbers::pi / sectors;
  std::vector<std::vector<Vector3>> parts;
  const auto on_sphere = [&](double radius, int band, int sector) -> Vector3 {
    const double fall = 0.5 * std::numbers::pi * band / kBands;  // 0: the lowest point
    return {radius * std::sin(fall) * std::cos(step * sector),
            shape.rim() - radius * std::cos(fall),
            radius * std::sin(fall) * std::sin(step * sector)};
  };
  for (int sector = 0; sector < sectors; ++sector) {
    for (int band = 0; band < kBands; ++band) {
      std::vector<Vector3>& part = parts.emplace_back();
      for (const double radius : {shape.radius, shape.radius - shape.wall}) {
        for (int corner = 0; corner < 4; ++corner) {
          part.push_back(on_sphere(radius, band + corner / 2, sector + corner % 2));
        }
      }
    }
    std::vector<Vector3>& foot = parts.emplace_back();
    for (const double height : {0.0, 1.5 * shape.wall}) {
      foot.emplace_back(0.0, height, 0.0);
      for (int corner = 0; corner < 2; ++corner) {
        const double turn = step * (sector + corner);
        foot.emplace_back(shape.foot * std::cos(turn), height, shape.foot * std::sin(turn));
      }
    }
  }
  return parts;
}

BowlStack::BowlStack(std::filesystem::path folder, const BowlStackSettings& settings)
    : settings_(settings), folder_(std::move(folder)) {
  MadeScene files(folder_);
  const std::string part = fmt::format("bowl{}", settings.points);
  // The mesh "bowl.obj" is made with the defaults of the catalogue, those of BowlShape.
  files.add_file(part + ".toml",
                 fmt::format(R"([source]
mesh = "bowl.obj"
length = {}
[material]
density = 2000.0
[field]
resolution = {}
[shell]
points = {}
)",
                             2.0 * shape_.radius, settings.resolution, settings.points));
  files.bake({part});
  model_ = folder_ / (part + ".h5");
  const ModelFile file(model_);
  const std::span<const float> points = file.floats("/shell/points");
  for (std::size_t i = 0; i < points.size(); i += 3) {
    points_.emplace_back(points[i], points[i + 1], points[i + 2]);
  }
}

double BowlStack::start_height(int bowl) const {
  return settings_.gap + bowl * (shape_.pitch + settings_.gap);
}

Scene BowlStack::scene(double rate_hz) const {
  std::string text = ground_scene(rate_hz);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-settings_.offset, settings_.offset);
  const int n = settings_.bowls;
  for (int i = 0; i < n; ++i) {
    const double x = uniform(random), z = uniform(random);
    text += fmt::format(
        "[[body]]\nname = \"b{}\"\nmodel = \"{}\"\nrole = \"free\"\nposition = [{:.17g}, {:.17g}, "
        "{:.17g}]\n",
        i, model_.filename().string(), x, start_height(i), z);
  }
  const std::string law = fmt::format(
      "stiffness = {:.17g}\ndamping = {:.17g}\nscaling = \"none\"\nfriction = {{ "
      "static = {:.17g}, dynamic = {:.17g} }}\n",
      settings_.stiffness, settings_.damping, settings_.friction, 0.8 * settings_.friction);
  const auto touch = [&](const std::string& points, const std::string& field) {
    text += fmt::format("[[contact]]\npoints = \"{}\"\nfield = \"{}\"\n{}", points, field, law);
  };
  for (int i = 0; i < n; ++i) {
    const std::string bowl = fmt::format("b{}", i);
    touch(bowl, "ground");
    const int end = settings_.reach > 0 ? std::min(n, i + settings_.reach + 1) : n;
    for (int j = i + 1; j < end; ++j) {
      touch(bowl, fmt::format("b{}", j));
      touch(fmt::format("b{}", j), bowl);
    }
  }
  return parse_scene(text, folder_ / "scene.toml");
}

WallCrossings::WallCrossings(const BowlStack& stack)
    : stack_(&stack), bound_(0.0), centre_(0.0, 0.5 * stack.shape().rim(), 0.0) {
  for (const Vector3& p : stack.points()) bound_ = std::max(bound_, (p - centre_).norm());
  const auto n = static_cast<std::size_t>(stack.settings().bowls);
  sides_.resize(n * n);
}

void WallCrossings::observe(std::span<const Pose> poses) {
  const auto n = static_cast<std::size_t>(stack_->settings().bowls);
  const std::span<const Vector3> points = stack_->points();
  for (std::size_t i = 0; i < n; ++i) {
    const Pose& of_points = poses[BowlStack::kFirst + i];
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const Pose& of_wall = poses[BowlStack::kFirst + j];
      std::vector<char>& sides = sides_[n * i + j];
      if ((of_points.to_world(centre_) - of_wall.to_world(centre_)).norm() > 2.0 * bound_) {
        sides.clear();
        continue;
      }
      const std::size_t apart = i < j ? j - i : i - j;
      const int reach = stack_->settings().reach;
      if (reach > 0 && apart > static_cast<std::size_t>(reach)) misses_pairs_ = true;
      const bool known = !sides.empty();
      sides.resize(points.size());
      for (std::size_t p = 0; p < points.size(); ++p) {
        const Vector3 at = of_wall.to_material(of_points.to_world(points[p]));
        const auto side = static_cast<char>(stack_->shape().side(at));
        if (known && side * sides[p] < 0) ++count_;
        sides[p] = side;
      }
    }
  }
}

int nested_bowls(const BowlStack& stack, std::span<const Pose> poses) {
  int nested = 0;
  for (int i = 0; i < stack.settings().bowls; ++i) {
    const std::size_t body = BowlStack::kFirst + static_cast<std::size_t>(i);
    const Vector3 foot = poses[body].position;
    const Vector3 up = poses[body].orientation * Vector3::UnitY();
    if (i == 0) {
      nested += foot.y() < 0.5 * stack.shape().wall && up.y() > 0.9 ? 1 : 0;
    } else {
      nested += stack.shape().side(poses[body - 1].to_material(foot)) > 0 ? 1 : 0;
    }
  }
  return nested;
}

}  // namespace haptic
