// Which triangles of a waving cloth may touch: cost of bringing each structure up to date and of a
// query with a stroke of the hand, beside the search of every triangle; the response to
// self-collision, and the god-object on the hierarchy. Grids of 162, 722, 1682,
// 3042 and 4802 triangles. Counters: updated nodes, visited nodes, triangles found.

#include <benchmark/benchmark.h>

#include "lab/cloth/bucket_tree.h"
#include "lab/cloth/self_collision.h"
#include "lab/cloth/spatial_hash.h"
#include "lab/cloth/sphere_volume.h"
#include "lab/samples/moving_cloths.h"
#include "rt/worlds/cloth/collision/hierarchy_triangles.h"
#include "rt/worlds/cloth/collision/self_contact.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "rt/worlds/cloth/touch/god_object.h"

namespace haptic {
namespace {

constexpr int kSteps = 64;  // positions that repeat

struct WavingCloth {
  explicit WavingCloth(std::int64_t side)
      : mesh(make_grid({static_cast<std::uint32_t>(side), static_cast<std::uint32_t>(side)}, 1.0,
                       1.0)) {
    for (int k = 0; k < kSteps; ++k) {
      x.push_back(cloth::waving(mesh, 0.05, 6.283185307179586 * k / kSteps));
    }
  }
  ClothMesh mesh;
  std::vector<cloth::ParticleVectors> x;
};

/// side, branching
template <class Volume>
void refit(benchmark::State& state) {
  const WavingCloth cloth(state.range(0));
  cloth::VolumeHierarchy<Volume> tree(
      cloth.mesh.triangles, cloth.x[0],
      {.branching = static_cast<std::uint32_t>(state.range(1)), .inflation = 0.0});
  std::size_t step = 0, updated = 0;
  for (auto _ : state) {
    if (tree.refit(cloth.x[++step % kSteps]) != cloth::UpdateResult::kDone)
      state.SkipWithError("refit");
    updated += tree.updated().size();
  }
  state.counters["updated"] = static_cast<double>(updated) / static_cast<double>(step);
}

/// side
void rehash(benchmark::State& state) {
  const WavingCloth cloth(state.range(0));
  lab::SpatialHash hash(cloth.mesh.triangles, cloth.x[0]);
  std::size_t step = 0;
  for (auto _ : state) {
    if (hash.update(cloth.x[++step % kSteps]) != cloth::UpdateResult::kDone)
      state.SkipWithError("hash");
  }
  state.counters["entries"] = static_cast<double>(hash.entry_count());
}

void rebucket(benchmark::State& state) {
  const WavingCloth cloth(state.range(0));
  lab::BucketTree tree(cloth.mesh.triangles, cloth.x[0], 4);
  std::size_t step = 0;
  for (auto _ : state) {
    if (tree.update(cloth.x[++step % kSteps]) != cloth::UpdateResult::kDone)
      state.SkipWithError("bucket");
  }
}

/// Cones, borders and pairs of one step, without the refit.
void self_collision(benchmark::State& state) {
  const WavingCloth cloth(state.range(0));
  cloth::BoxHierarchy tree(cloth.mesh.triangles, cloth.x[0], {});
  // Rolled up: parts are skipped, the whole is not.
  const cloth::ParticleVectors rolled = cloth::waving(cloth.mesh, 0.02, 0.0, 7.0);
  const cloth::ParticleVectors& x = state.range(1) != 0 ? rolled : cloth.x[0];
  if (tree.refit_all(x) != cloth::UpdateResult::kDone) state.SkipWithError("refit");
  lab::SelfCollision self(tree.topology());
  cloth::TrianglePairList found(100 * cloth.mesh.triangles.size());
  for (auto _ : state) {
    if (self.update(x) != cloth::UpdateResult::kDone) state.SkipWithError("update");
    found.clear();
    benchmark::DoNotOptimize(self.find(tree, found));
  }
  state.counters["pairs"] = static_cast<double>(found.size());
}

/// side, rolled up 0 or 1, moving 0 or 1. The response to a step of 1 ms; waves that move by up to
/// 5 mm a step need a search each, a cloth that is still needs none.
void self_contact(benchmark::State& state) {
  const WavingCloth cloth(state.range(0));
  const double cell = 1.0 / static_cast<double>(state.range(0) - 1);
  const std::vector<double> masses(cloth.mesh.vertices.size(), 1e-4);
  const cloth::ParticleConstraints constraints(masses);
  cloth::SelfContact contact(cloth.mesh.triangles, cloth::positions(cloth.mesh),
                             {.thickness = 0.1 * cell, .slack = 0.05 * cell});
  const bool rolled = state.range(1) != 0, moving = state.range(2) != 0;
  std::vector<cloth::ParticleVectors> x;
  for (int k = 0; k < kSteps; ++k) {
    const double phase = moving ? 6.283185307179586 * k / kSteps : 0.0;
    x.push_back(cloth::waving(cloth.mesh, rolled ? 0.02 : 0.05, phase, rolled ? 7.0 : 0.0));
    if (!rolled) continue;
    // A spiral, whose second layer is beside the first.
    for (std::size_t i = 0; i < masses.size(); ++i) {
      cloth::at(x.back(), i) *= 1.0 + 0.3 * cloth.mesh.vertices[i][0];
    }
  }
  std::size_t step = 0, visited = 0;
  cloth::ClothState end{x[0], cloth::ParticleVectors(x[0].size(), 0.0)};
  for (auto _ : state) {
    const cloth::ParticleVectors& before = x[step % kSteps];
    end.x = x[++step % kSteps];
    const auto result = contact.apply(constraints, masses, before, 1e-3, end);
    if (result == cloth::SelfContact::Result::kNotFinite) state.SkipWithError("apply");
    visited += contact.figures().visited;
  }
  state.counters["visited"] = static_cast<double>(visited) / static_cast<double>(step);
  state.counters["pairs"] = static_cast<double>(contact.figures().candidates);
}

/// A stroke of 1 cm through the cloth, or beside it.
lab::SweptPoint stroke(std::size_t k, bool contact) {
  const double u = 0.1 + 0.8 * static_cast<double>(k * 37 % 64) / 64.0;
  const double v = 0.1 + 0.8 * static_cast<double>(k * 23 % 64) / 64.0;
  const double height = contact ? 0.05 * std::sin(7.0 * u) * std::cos(5.0 * v) : 0.2;
  return {{u, v, height + 0.005}, {u, v, height - 0.005}, 0.0};
}

template <class Find>
void time_query(benchmark::State& state, const WavingCloth& cloth, Find&& find) {
  cloth::TriangleList found(cloth.mesh.triangles.size());
  std::size_t k = 0, hits = 0;
  for (auto _ : state) {
    found.clear();
    find(stroke(++k, state.range(1) != 0), found);
    hits += found.size();
  }
  state.counters["found"] = static_cast<double>(hits) / static_cast<double>(k);
}

/// side, contact 0 or 1, branching
template <class Volume>
void query_tree(benchmark::State& state) {
  const WavingCloth cloth(state.range(0));
  const cloth::VolumeHierarchy<Volume> tree(
      cloth.mesh.triangles, cloth.x[0],
      {.branching = static_cast<std::uint32_t>(state.range(2)), .inflation = 0.0});
  time_query(state, cloth, [&](const lab::SweptPoint& path, cloth::TriangleList& found) {
    benchmark::DoNotOptimize(tree.find(path, found));
  });
}

void query_hash(benchmark::State& state) {
  const WavingCloth cloth(state.range(0));
  const lab::SpatialHash hash(cloth.mesh.triangles, cloth.x[0]);
  time_query(state, cloth, [&](const lab::SweptPoint& path, cloth::TriangleList& found) {
    hash.find(path, found);
  });
}

void query_buckets(benchmark::State& state) {
  const WavingCloth cloth(state.range(0));
  const lab::BucketTree tree(cloth.mesh.triangles, cloth.x[0], 4);
  time_query(state, cloth, [&](const lab::SweptPoint& path, cloth::TriangleList& found) {
    benchmark::DoNotOptimize(tree.find(path, found));
  });
}

/// The reference: the box of each triangle, from its corners.
void query_every_triangle(benchmark::State& state) {
  const WavingCloth cloth(state.range(0));
  time_query(state, cloth, [&](const lab::SweptPoint& path, cloth::TriangleList& found) {
    for (std::uint32_t t = 0; t < cloth.mesh.triangles.size(); ++t) {
      if (overlap(cloth::volume_of<cloth::BoxVolume>(cloth.mesh.triangles[t], cloth.x[0]), path))
        found.push(t);
    }
  });
}

/// side, 0: every triangle, 1: hierarchy. A hand that strokes the cloth and presses it, without the
/// update of the hierarchy.
void god_object(benchmark::State& state) {
  const WavingCloth cloth(state.range(0));
  const cloth::ScannedTriangles scan(cloth.mesh.triangles);
  const cloth::HierarchyTriangles tree(cloth.mesh.triangles, cloth.x[0]);
  const bool searched = state.range(1) != 0;
  cloth::GodObject god(cloth.mesh.triangles,
                       searched ? static_cast<const cloth::NearTriangles&>(tree) : scan, {});
  if (!god.place({0.5, 0.5, 0.3}, cloth.x[0])) state.SkipWithError("place");
  std::size_t k = 0, contacts = 0;
  for (auto _ : state) {
    const double t = 0.002 * static_cast<double>(++k);
    const Vector3 device(0.5 + 0.3 * std::sin(3.1 * t), 0.5 + 0.3 * std::cos(2.3 * t),
                         0.06 * std::cos(1.7 * t));
    benchmark::DoNotOptimize(god.carry(cloth.x[0], cloth.x[0]));
    benchmark::DoNotOptimize(god.move_to(device, cloth.x[0]));
    contacts += god.contacts().size();
  }
  state.counters["contacts"] = static_cast<double>(contacts) / static_cast<double>(k);
}

void god_object_update(benchmark::State& state) {
  const WavingCloth cloth(state.range(0));
  cloth::HierarchyTriangles tree(cloth.mesh.triangles, cloth.x[0]);
  std::size_t step = 0;
  for (auto _ : state) {
    const cloth::ParticleVectors& start = cloth.x[step % kSteps];
    if (tree.update(start, cloth.x[++step % kSteps]) != cloth::UpdateResult::kDone) {
      state.SkipWithError("update");
    }
  }
}

#define HAPTIC_BENCH(function) BENCHMARK(function)->Unit(benchmark::kMicrosecond)
const std::vector<std::int64_t> kGrids = {10, 20, 30, 40, 50};
HAPTIC_BENCH(refit<cloth::BoxVolume>)->ArgsProduct({kGrids, {2, 4, 8}});
HAPTIC_BENCH(refit<lab::SphereVolume>)->ArgsProduct({kGrids, {2, 4, 8}});
HAPTIC_BENCH(rehash)->ArgsProduct({kGrids});
HAPTIC_BENCH(rebucket)->ArgsProduct({kGrids});
HAPTIC_BENCH(self_collision)->ArgsProduct({kGrids, {0, 1}});
HAPTIC_BENCH(self_contact)->ArgsProduct({{10, 20, 40}, {0, 1}, {0, 1}});
HAPTIC_BENCH(god_object)->ArgsProduct({{10, 40, 50}, {0, 1}});
HAPTIC_BENCH(god_object_update)->ArgsProduct({{10, 40, 50}});
HAPTIC_BENCH(query_tree<cloth::BoxVolume>)->ArgsProduct({{10, 40, 50}, {0, 1}, {2, 4}});
HAPTIC_BENCH(query_tree<lab::SphereVolume>)->ArgsProduct({{10, 40, 50}, {0, 1}, {2, 4}});
HAPTIC_BENCH(query_hash)->ArgsProduct({{10, 40, 50}, {0, 1}});
HAPTIC_BENCH(query_buckets)->ArgsProduct({{10, 40, 50}, {0, 1}});
HAPTIC_BENCH(query_every_triangle)->ArgsProduct({{10, 40, 50}, {0, 1}});

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();
