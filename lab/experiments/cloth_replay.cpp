// Table 9.4: the god-object on three frozen cloths, with the same path of the device for each
// structure, and whether all of them give what the search of every triangle gives.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lab/cloth/spatial_hash.h"
#include "lab/cloth/sphere_volume.h"
#include "lab/experiments/cloth_tables.h"
#include "lab/experiments/found_triangles.h"
#include "lab/timing/call_times.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "rt/worlds/cloth/touch/god_object.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kStructures = 6;
constexpr const char* kNames[kStructures] = {"all triangles", "hash",     "spheres, 2",
                                             "spheres, 4",    "boxes, 2", "boxes, 4"};

/// Table 9.4 of the text [us]: with contact, without.
struct TextQueries {
  std::uint32_t side;
  const char* triangles;
  std::array<std::array<double, 2>, kStructures> us;
};
// 576 is not the number of triangles of a square grid; ours of that row has 578.
constexpr TextQueries kTextQueries[] = {
    {10,
     "162",
     {{{102.874, 84.212},
       {25.004, 9.021},
       {26.063, 10.382},
       {25.858, 10.057},
       {23.502, 8.524},
       {23.779, 8.153}}}},
    {18,
     "578",
     {{{752.296, 735.026},
       {24.336, 12.568},
       {28.830, 11.875},
       {28.204, 12.390},
       {25.501, 9.450},
       {24.892, 12.568}}}},
    {40,
     "3042",
     {{{2781.679, 2745.635},
       {25.572, 9.210},
       {31.033, 13.224},
       {29.767, 12.841},
       {27.431, 10.374},
       {26.700, 11.111}}}},
};

/// Point of the cloth by its coordinates in the grid, and the direction across it.
struct SheetPoint {
  Vector3 point, normal;
};
SheetPoint sheet_point(const cloth::ParticleVectors& x, std::uint32_t side, double u, double v) {
  const double a = u * (side - 1), b = v * (side - 1);
  const auto i = std::min(static_cast<std::uint32_t>(a), side - 2);
  const auto j = std::min(static_cast<std::uint32_t>(b), side - 2);
  const double s = a - i, t = b - j;
  const Vector3 p00 = cloth::at(x, j * side + i), p10 = cloth::at(x, j * side + i + 1),
                p01 = cloth::at(x, (j + 1) * side + i), p11 = cloth::at(x, (j + 1) * side + i + 1);
  const Vector3 du = (1 - t) * (p10 - p00) + t * (p11 - p01);
  const Vector3 dv = (1 - s) * (p01 - p00) + s * (p11 - p10);
  return {(1 - s) * (1 - t) * p00 + s * (1 - t) * p10 + (1 - s) * t * p01 + s * t * p11,
          du.cross(dv).normalized()};
}

/// The device at 1 kHz: it wanders along the cloth and goes through it, 3 cm deep at most.
std::vector<Vector3> device_path(const cloth::ParticleVectors& x, std::uint32_t side, int frames) {
  std::vector<Vector3> path;
  for (int k = 0; k < frames; ++k) {
    const double t = 1e-3 * k;
    const SheetPoint on =
        sheet_point(x, side, 0.5 + 0.35 * std::sin(0.9 * t), 0.5 + 0.35 * std::cos(0.63 * t + 0.4));
    path.push_back(on.point + 0.03 * std::cos(2.0 * std::numbers::pi * 0.7 * t) * on.normal);
  }
  return path;
}

struct Frame {
  bool hit;
  Vector3 position;
};

/// What a structure gave along the path, and its times.
struct Replay {
  std::vector<Frame> frames;
  CallTimes contact, free;
  std::size_t unfinished = 0;
};

Replay replay(const FallingCloth& cloth, const cloth::NearTriangles& near,
              const std::vector<Vector3>& path) {
  cloth::GodObject god(cloth.mesh().triangles, near, {});
  if (!god.place(path[0], cloth.x())) throw OperationError("the path begins in the cloth");
  Replay result;
  result.frames.reserve(path.size());
  for (const Vector3& device : path) {
    OffProcessor watch;
    watch.begin();
    const cloth::TouchResult done = god.move_to(device, cloth.x());
    watch.end();
    result.unfinished += done == cloth::TouchResult::kUnfinished ? 1 : 0;
    const bool hit = !god.contacts().empty();
    result.frames.push_back({hit, god.position()});
    (hit ? result.contact : result.free).add(watch);
  }
  return result;
}

struct Differences {
  std::size_t flags = 0;
  double position = 0.0;  // m
};
Differences compare(const Replay& reference, const Replay& other) {
  Differences result;
  for (std::size_t k = 0; k < reference.frames.size(); ++k) {
    const Frame &a = reference.frames[k], &b = other.frames[k];
    result.flags += a.hit == b.hit ? 0 : 1;
    result.position = std::max(result.position, (a.position - b.position).norm());
  }
  return result;
}

}  // namespace

void report_queries(Experiment& experiment) {
  const int frames = experiment.quick() ? 2000 : 20'000;
  ResultTable table({"triangles", "structure", "contact us, p50", "p99", "text", "free us, p50",
                     "p99", "text", "all / this: contact", "text", "free", "text",
                     "differing flags", "largest difference m"});
  std::array<std::array<double, 2>, kStructures> smallest{}, largest{};
  for (const TextQueries& text : kTextQueries) {
    FallingCloth cloth(text.side);
    // All three hang for the same time.
    const int steps = static_cast<int>(std::lround(0.5 / cloth.dt()));
    for (int k = 0; k < steps; ++k) cloth.step();
    const auto& triangles = cloth.mesh().triangles;
    const cloth::ParticleVectors& x = cloth.x();
    const cloth::ScannedTriangles all(triangles);
    const lab::SpatialHash hash(triangles, x);
    const lab::SphereHierarchy sphere2(triangles, x, {.branching = 2}), sphere4(triangles, x, {});
    const cloth::BoxHierarchy box2(triangles, x, {.branching = 2}), box4(triangles, x, {});
    const FoundTriangles by_hash(hash, triangles.size());
    const FoundTriangles by_sphere2(sphere2, triangles.size()),
        by_sphere4(sphere4, triangles.size());
    const FoundTriangles by_box2(box2, triangles.size()), by_box4(box4, triangles.size());
    const std::array<const cloth::NearTriangles*, kStructures> near = {
        &all, &by_hash, &by_sphere2, &by_sphere4, &by_box2, &by_box4};
    const std::vector<Vector3> path = device_path(x, text.side, frames);
    const Replay reference = replay(cloth, all, path);
    double contacts = 0.0;
    for (const Frame& frame : reference.frames) contacts += frame.hit ? 1.0 : 0.0;
    experiment.at_least(fmt::format("{} triangles: share of frames in contact", text.triangles),
                        contacts / frames, 0.3);
    experiment.at_most(fmt::format("{} triangles: share of frames in contact", text.triangles),
                       contacts / frames, 0.9);
    Differences worst;
    for (std::size_t s = 0; s < kStructures; ++s) {
      const Replay run = replay(cloth, *near[s], path);
      const Differences differ = compare(reference, run);
      worst.flags += differ.flags;
      worst.position = std::max(worst.position, differ.position);
      const Timing contact = run.contact.timing(), free = run.free.timing();
      const double of_all[] = {reference.contact.timing().median, reference.free.timing().median};
      table.add({text.triangles, kNames[s], fmt::format("{:.2f}", contact.median),
                 fmt::format("{:.2f}", contact.p99), fmt::format("{:.1f}", text.us[s][0]),
                 fmt::format("{:.2f}", free.median), fmt::format("{:.2f}", free.p99),
                 fmt::format("{:.1f}", text.us[s][1]),
                 fmt::format("{:.1f}", of_all[0] / contact.median),
                 fmt::format("{:.1f}", text.us[0][0] / text.us[s][0]),
                 fmt::format("{:.1f}", of_all[1] / free.median),
                 fmt::format("{:.1f}", text.us[0][1] / text.us[s][1]),
                 fmt::format("{}", differ.flags), fmt::format("{:.2g}", differ.position)});
      auto& ends = text.side == 10 ? smallest : largest;
      ends[s] = {contact.median, free.median};
    }
    experiment.at_most(fmt::format("{} triangles: T51 frames whose hit flag differs from that of "
                                   "all triangles",
                                   text.triangles),
                       static_cast<double>(worst.flags), 0.0);
    experiment.at_most(fmt::format("{} triangles: T51 god-object against that of all triangles [m]",
                                   text.triangles),
                       worst.position, 1e-9);
  }
  experiment.report(
      fmt::format("Table 9.4: a frame of the god-object on a frozen cloth, {} frames", frames),
      table, "query");
  ResultTable growth({"structure", "contact", "text", "free", "text"});
  for (std::size_t s = 0; s < kStructures; ++s) {
    growth.add({kNames[s], fmt::format("{:.2f}", largest[s][0] / smallest[s][0]),
                fmt::format("{:.2f}", kTextQueries[2].us[s][0] / kTextQueries[0].us[s][0]),
                fmt::format("{:.2f}", largest[s][1] / smallest[s][1]),
                fmt::format("{:.2f}", kTextQueries[2].us[s][1] / kTextQueries[0].us[s][1])});
    if (experiment.quick()) continue;
    for (const std::size_t state : {0u, 1u}) {
      const double grown = largest[s][state] / smallest[s][state];
      const std::string what = fmt::format("{}, {}: 3042 triangles over 162", kNames[s],
                                           state == 0 ? "contact" : "free");
      if (s == 0) {
        // 18.8 times as many triangles; the part of a frame that is no search stays.
        experiment.at_least(what, grown, 0.5 * 18.8);
      } else {
        experiment.at_most("T64 " + what, grown, 2.0);
      }
    }
  }
  experiment.report("Table 9.4, growth of the median from 162 to 3042 triangles", growth, "growth");
}

}  // namespace haptic
