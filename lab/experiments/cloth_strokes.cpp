// Does a hand ever pass through a cloth? Random strokes on still cloths, on one that jumps by
// several of its cells, and on one that is simulated; every passing is counted. The side is found
// without any code of the god-object (HeightSheet). Each count has a control that must not be 0.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>

#include "lab/experiments/experiment.h"
#include "lab/experiments/found_triangles.h"
#include "lab/experiments/height_sheet.h"
#include "lab/experiments/random_device.h"
#include "lab/samples/cloth_samples.h"
#include "lab/samples/touch_sheets.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "rt/worlds/cloth/implicit_euler.h"
#include "rt/worlds/cloth/touch/god_object.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kSpacing = RandomDevice::kSpacing;

struct Counts {
  std::uint64_t strokes = 0, held = 0, passed = 0, around = 0, beside = 0, folded = 0,
                unfinished = 0, not_finite = 0;
  double fastest = 0.0;  // largest motion of a particle in a step, in cells
};

/// Follows the side on which the god-object is.
class SideWatch {
 public:
  SideWatch(const ClothMesh& mesh, cloth::GodObject& god, Counts& counts)
      : sheet_(mesh), god_(god), counts_(counts) {}

  /// Begins again `above` the sheet, beyond any of its waves.
  void place(std::span<const double> x, const Vector3& above) {
    if (!god_.place(above, x)) throw OperationError("the god-object begins in the cloth");
    side_ = sheet_.height(x, above).above;
  }
  void move_to(const Vector3& device, std::span<const double> x) {
    // No move leads away from the device. If this ball is over the sheet, the way does not lead
    // around its border.
    const double reach = (god_.position() - device).norm();
    const Vector3 low = cloth::at(x, 0), high = cloth::at(x, x.size() / 3 - 1);
    const bool over =
        (device - low).head<2>().minCoeff() > reach && (high - device).head<2>().minCoeff() > reach;
    const cloth::TouchResult result = god_.move_to(device, x);
    ++counts_.strokes;
    counts_.unfinished += result == cloth::TouchResult::kUnfinished ? 1 : 0;
    counts_.not_finite += result == cloth::TouchResult::kNotFinite ? 1 : 0;
    counts_.held += god_.contacts().empty() ? 0 : 1;
    check(x, over);
  }
  /// Whether it is still on its side of the sheet at x. @param over  it cannot have gone around
  void check(std::span<const double> x, bool over = true) {
    const HeightSheet::Height now = sheet_.height(x, god_.position());
    if (now.covers == 0) {
      ++counts_.beside;
    } else if (now.folded) {
      ++counts_.folded;
    } else {
      const bool other = side_ * now.above <= 0.0;
      counts_.passed += other && over ? 1 : 0;
      counts_.around += other && !over ? 1 : 0;
      side_ = now.above;
    }
  }

 private:
  HeightSheet sheet_;
  cloth::GodObject& god_;
  Counts& counts_;
  double side_ = 0.0;
};

/// Leaves out every hundredth triangle: a cloth with holes, which the count must see.
class WithHoles final : public cloth::NearTriangles {
 public:
  explicit WithHoles(const cloth::NearTriangles& whole) : whole_(whole) {}
  std::size_t near(std::span<const double> start, std::span<const double> end,
                   const cloth::TouchBox& box,
                   std::span<std::uint32_t> found) const HAPTIC_REALTIME override {
    const auto all = found.first(whole_.near(start, end, box, found));
    return static_cast<std::size_t>(
        std::ranges::remove_if(all, [](std::uint32_t t) { return t % 100 == 0; }).begin() -
        all.begin());
  }

 private:
  const cloth::NearTriangles& whole_;
};

/// Strokes on a cloth that stands still.
Counts frozen(const ClothMesh& mesh, const cloth::ParticleVectors& x, std::uint64_t strokes,
              bool holes, unsigned seed) {
  Counts counts;
  const cloth::BoxHierarchy tree(mesh.triangles, x, {});
  const FoundTriangles found(tree, mesh.triangles.size());
  const WithHoles leaky(found);
  const cloth::NearTriangles& near =
      holes ? static_cast<const cloth::NearTriangles&>(leaky) : found;
  cloth::GodObject god(mesh.triangles, near, {});
  SideWatch watch(mesh, god, counts);
  std::mt19937 random(seed);
  const Vector3 middle = cloth::at(x, mesh.vertices.size() / 2);
  const double sign = seed % 2 == 0 ? 1.0 : -1.0;
  watch.place(x, middle + Vector3(0.3 * kSpacing, 0.1 * kSpacing, sign * 0.2));
  RandomDevice device(mesh, 0.04, random);
  for (std::uint64_t k = 0; k < strokes; ++k) watch.move_to(device.next(x), x);
  return counts;
}

/// A cloth of 40 x 40 whose border is held and that hangs through.
cloth::ParticleVectors hanging(const ClothMesh& mesh) {
  cloth::SampleCloth cloth =
      cloth::square_cloth(mesh.grid->nx, kSpacing, cloth::cloth_materials(10.0, 0.05));
  for (const cloth::GridBorder border : {cloth::GridBorder::kBottom, cloth::GridBorder::kTop,
                                         cloth::GridBorder::kLeft, cloth::GridBorder::kRight}) {
    for (const std::uint32_t i : cloth::grid_border(mesh, border)) {
      cloth.system.constraints().pin(i, cloth::at(cloth.state.x, i));
    }
  }
  cloth::ImplicitEuler implicit(cloth.system, 0.01);
  for (int k = 0; k < 100; ++k) {
    if (implicit.step(cloth.state) != cloth::ClothStepResult::kOk) {
      throw OperationError("the hanging cloth diverged");
    }
  }
  return cloth.state.x;
}

void add_motion(const cloth::ParticleVectors& before, const cloth::ParticleVectors& after,
                Counts& counts) {
  for (std::size_t i = 0; i < before.size() / 3; ++i) {
    counts.fastest =
        std::max(counts.fastest, (cloth::at(after, i) - cloth::at(before, i)).norm() / kSpacing);
  }
}

/// A rough sheet that jumps by up to five cells along each axis, turns, and gets another shape in
/// each step; then the device makes a stroke. Heights are those in the sheet's own axes.
Counts jumping(std::uint64_t steps, bool carried, unsigned seed) {
  Counts counts;
  std::mt19937 random(seed);
  cloth::TouchSheet shape(33, kSpacing);
  cloth::Touch touch(shape.mesh);
  HeightSheet sheet(shape.mesh);
  cloth::ParticleVectors x = shape.x, before = x;
  Vector3 centre = Vector3::Zero();
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
  double side = 0.0;
  const auto check = [&] {
    const HeightSheet::Height now =
        sheet.height(shape.x, turn.transpose() * (touch.god.position() - centre));
    if (now.covers == 0) {
      ++counts.beside;
      return;
    }
    counts.passed += side * now.above < 0.0 ? 1 : 0;
    side = now.above;
  };
  if (!touch.god.place(Vector3(0.0, 0.0, 0.03), x)) throw OperationError("begins in the cloth");
  side = 0.03;
  for (std::uint64_t k = 0; k < steps; ++k) {
    before = x;
    cloth::TouchSheet next(shape.side, kSpacing);
    next.roughen(0.25 * kSpacing, static_cast<unsigned>(random()));
    shape.x = next.x;
    const double a = uniform(random), b = uniform(random), c = uniform(random);
    centre = 2.5 * kSpacing * Vector3(a, b, c);
    turn = (Eigen::AngleAxisd(0.25 * uniform(random), Vector3::UnitX()) *
            Eigen::AngleAxisd(0.25 * uniform(random), Vector3::UnitY()))
               .toRotationMatrix();
    for (std::size_t i = 0; i < x.size() / 3; ++i)
      cloth::at(x, i) = centre + turn * cloth::at(shape.x, i);
    add_motion(before, x, counts);
    if (carried) {
      const cloth::TouchResult result = touch.god.carry(before, x);
      counts.unfinished += result == cloth::TouchResult::kUnfinished ? 1 : 0;
      counts.not_finite += result == cloth::TouchResult::kNotFinite ? 1 : 0;
      check();
    }
    Vector3 device(uniform(random), uniform(random), 0.5 * uniform(random));
    device *= 0.04;
    const cloth::TouchResult result = touch.god.move_to(device, x);
    ++counts.strokes;
    counts.unfinished += result == cloth::TouchResult::kUnfinished ? 1 : 0;
    counts.not_finite += result == cloth::TouchResult::kNotFinite ? 1 : 0;
    counts.held += touch.god.contacts().empty() ? 0 : 1;
    check();
  }
  return counts;
}

/// A cloth whose border is held, by implicit Euler at 60 Hz, under a weight that changes its
/// direction twice a second; four strokes a step, between which the cloth goes on.
Counts simulated(std::uint64_t steps, bool carried, unsigned seed) {
  constexpr int kParts = 4;
  Counts counts;
  std::mt19937 random(seed);
  cloth::SampleCloth cloth = cloth::square_cloth(30, kSpacing, cloth::cloth_materials(10.0, 0.002));
  for (const cloth::GridBorder border : {cloth::GridBorder::kBottom, cloth::GridBorder::kTop,
                                         cloth::GridBorder::kLeft, cloth::GridBorder::kRight}) {
    for (const std::uint32_t i : cloth::grid_border(cloth.mesh, border)) {
      cloth.system.constraints().pin(i, cloth::at(cloth.state.x, i));
    }
  }
  cloth::ImplicitEuler implicit(cloth.system, 1.0 / 60.0,
                                {.most_iterations = 10, .tolerance = 1e-6});
  cloth::Touch touch(cloth.mesh);
  SideWatch watch(cloth.mesh, touch.god, counts);
  RandomDevice device(cloth.mesh, 0.04, random);
  cloth::ParticleVectors now = cloth.state.x, before = now;
  watch.place(now, cloth::at(now, 15 * 30 + 15) + Vector3(0.3 * kSpacing, 0.1 * kSpacing, 0.1));
  for (std::uint64_t k = 0; k < steps / kParts; ++k) {
    if (k % 30 == 0) {
      cloth.system.surroundings().gravity =
          30.0 * Vector3(0.3 * uniform(random), 0.3 * uniform(random), uniform(random));
    }
    const cloth::ParticleVectors from = cloth.state.x;
    if (implicit.step(cloth.state) != cloth::ClothStepResult::kOk) {
      throw OperationError("the simulated cloth diverged");
    }
    add_motion(from, cloth.state.x, counts);
    for (int part = 1; part <= kParts; ++part) {
      before = now;
      const double a = static_cast<double>(part) / kParts;
      for (std::size_t i = 0; i < now.size(); ++i) {
        now[i] = (1.0 - a) * from[i] + a * cloth.state.x[i];
      }
      if (carried) {
        const cloth::TouchResult result = touch.god.carry(before, now);
        counts.unfinished += result == cloth::TouchResult::kUnfinished ? 1 : 0;
        counts.not_finite += result == cloth::TouchResult::kNotFinite ? 1 : 0;
        watch.check(now);
      }
      watch.move_to(device.next(now), now);
    }
  }
  return counts;
}

void cloth_strokes(Experiment& experiment) {
  const std::uint64_t still = experiment.quick() ? 5'000 : 340'000;
  const std::uint64_t moving = experiment.quick() ? 1'000 : 100'000;
  ResultTable table({"cloth", "strokes", "held", "passed", "around", "beside", "no side",
                     "unfinished", "not finite", "cells a step"});
  const auto add = [&](const std::string& name, const Counts& counts) {
    table.add({name, fmt::format("{}", counts.strokes), fmt::format("{}", counts.held),
               fmt::format("{}", counts.passed), fmt::format("{}", counts.around),
               fmt::format("{}", counts.beside), fmt::format("{}", counts.folded),
               fmt::format("{}", counts.unfinished), fmt::format("{}", counts.not_finite),
               fmt::format("{:.1f}", counts.fastest)});
  };
  const auto holds = [&](const std::string& name, const Counts& counts) {
    add(name, counts);
    const auto strokes = static_cast<double>(counts.strokes);
    experiment.at_most(name + ": passed", static_cast<double>(counts.passed), 0.0);
    experiment.at_most(name + ": not finite", static_cast<double>(counts.not_finite), 0.0);
    experiment.at_least(name + ": share of strokes that end held",
                        static_cast<double>(counts.held) / strokes, 0.1);
    // Where there is no side, or the border may have been reached, nothing was tested.
    experiment.at_most(name + ": share of strokes around, beside or without a side",
                       static_cast<double>(counts.around + counts.beside + counts.folded) / strokes,
                       0.01);
  };
  const auto passes = [&](const std::string& name, const Counts& counts) {
    add(name, counts);
    experiment.at_least(name + " (control): passed", static_cast<double>(counts.passed), 1.0);
  };
  cloth::TouchSheet rough(40, kSpacing), sharp(40, kSpacing);
  rough.roughen(0.4 * kSpacing, 1);
  sharp.roughen(1.5 * kSpacing, 2);
  const cloth::ParticleVectors deep = hanging(rough.mesh);
  holds("still, rough", frozen(rough.mesh, rough.x, still, false, 1));
  holds("still, sharp peaks", frozen(sharp.mesh, sharp.x, still, false, 2));
  holds("still, hanging", frozen(rough.mesh, deep, still, false, 3));
  passes("still, rough, every 100th triangle missing",
         frozen(rough.mesh, rough.x, std::max<std::uint64_t>(still / 20, 3'000), true, 4));
  holds("jumping", jumping(moving, true, 5));
  passes("jumping, not carried", jumping(moving / 10, false, 6));
  holds("implicit Euler, 60 Hz", simulated(moving, true, 7));
  passes("implicit Euler, 60 Hz, not carried", simulated(moving / 10, false, 8));
  experiment.report("Strokes of a hand on a cloth: how often the god-object came to the other side",
                    table);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(
      argc, argv, "cloth_strokes",
      "Does a hand ever pass through a cloth? Strokes on still and moving cloths",
      haptic::cloth_strokes);
}
