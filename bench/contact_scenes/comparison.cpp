#include "bench/contact_scenes/comparison.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "bench/contact_scenes/bytes_needed.h"
#include "bench/voxmap_pointshell.h"
#include "lab/timing/machine_floor.h"
#include "rt/bodies/body_model.h"
#include "rt/contact/contact_traversal.h"
#include "rt/geometry/distance_field.h"
#include "rt/worlds/solids/solids_settings.h"

namespace haptic {
namespace {

template <class Body>
double microseconds(Body&& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

/// The first contact of a scene, separate from its world.
struct Pair {
  Pair(const Scene& scene, const solids::SceneContact& contact)
      : shell_index(contact.points),
        field_index(contact.field),
        shell_body(scene.bodies[contact.points].model, scene.bodies[contact.points].dimension),
        field_body(scene.bodies[contact.field].model, scene.bodies[contact.field].dimension) {
    std::uint32_t at = 0;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      const std::uint32_t r = b == shell_index   ? shell_body.dimension()
                              : b == field_index ? field_body.dimension()
                                                 : BodyModel(scene.bodies[b].model).dimension();
      if (b == shell_index) shell_first = at;
      if (b == field_index) field_first = at;
      at += r;
    }
  }
  const Pose& shell_pose(const RecordedState& s) const { return s.poses[shell_index]; }
  const Pose& field_pose(const RecordedState& s) const { return s.poses[field_index]; }
  std::span<const double> shell_q(const RecordedState& s) const {
    return std::span(s.coordinates).subspan(shell_first, shell_body.dimension());
  }
  std::span<const double> field_q(const RecordedState& s) const {
    return std::span(s.coordinates).subspan(field_first, field_body.dimension());
  }

  std::size_t shell_index, field_index;
  BodyModel shell_body, field_body;
  std::uint32_t shell_first = 0, field_first = 0;
};

/// Number of states for which every point can be evaluated in acceptable time.
std::vector<const RecordedState*> sample(const std::vector<RecordedState>& states,
                                         std::uint32_t points) {
  const std::size_t wanted = std::clamp<std::size_t>(40'000'000 / points, 40, 400);
  const std::size_t stride = std::max<std::size_t>(1, states.size() / wanted);
  std::vector<const RecordedState*> sampled;
  for (std::size_t i = 0; i < states.size(); i += stride) sampled.push_back(&states[i]);
  return sampled;
}

/// How far a point of the shell moves relative to the field from one state to the next, at most.
double largest_travel(const Pair& pair, const std::vector<RecordedState>& states, double reach) {
  double largest = 0.0;
  for (std::size_t i = 1; i < states.size(); ++i) {
    const Pose &a = pair.field_pose(states[i - 1]), &b = pair.field_pose(states[i]);
    const Pose &c = pair.shell_pose(states[i - 1]), &d = pair.shell_pose(states[i]);
    const double turn = 2.0 * (a.orientation.conjugate() * b.orientation).vec().norm() +
                        2.0 * (c.orientation.conjugate() * d.orientation).vec().norm();
    const double shift = (b.position - a.position).norm() + (d.position - c.position).norm();
    largest = std::max(largest, shift + turn * reach);
  }
  return largest;
}

VoxmapFigures run_voxmap(const Pair& pair, const DistanceField& field,
                         const std::vector<RecordedState>& states,
                         const std::vector<const RecordedState*>& sampled) {
  const PointShell& shell = *pair.shell_body.shell;
  const Voxmap map(field, field.lower(), field.edge(), field.resolution(), Voxmap::Bits::kFour);
  VoxmapSettings settings;
  settings.two_levels = settings.sleep = false;
  VoxmapFigures figures;
  figures.bytes = map.bytes();
  std::vector<double> us;
  VoxmapPointshell flat(shell, map, settings);
  for (const RecordedState* s : sampled) {
    us.push_back(microseconds([&] {
      figures.contacts +=
          flat.evaluate(pair.shell_pose(*s), pair.field_pose(*s), pair.shell_q(*s)).contacts;
    }));
  }
  figures.contacts /= static_cast<double>(sampled.size());
  figures.flat = quantiles_of(us);
  if (shell.dimension() != 0) return figures;

  // The method was published for a body with limited travel; here the limit is the largest travel
  // of the hand, the best case for the method.
  settings.two_levels = settings.sleep = true;
  double farthest = 0.0;
  for (std::uint32_t s = 0; s < shell.size(); ++s) {
    farthest = std::max(farthest, shell.rest_position(s).norm());
  }
  settings.travel = largest_travel(pair, states, pair.field_body.bounding_radius + farthest);
  VoxmapPointshell two_level(shell, map, settings);
  us.clear();
  for (const RecordedState& s : states) {
    us.push_back(microseconds([&] {
      figures.looked_up += two_level.evaluate(pair.shell_pose(s), pair.field_pose(s)).looked_up;
    }));
  }
  figures.looked_up /= static_cast<double>(states.size());
  figures.two_level = quantiles_of(us);
  return figures;
}

/// Gigabytes a second at which the machine reads the same bytes repeatedly.
double bandwidth(double bytes) {
  const auto count = std::max<std::size_t>(64, static_cast<std::size_t>(bytes / sizeof(double)));
  const std::unique_ptr<double[]> values(new (std::align_val_t(64)) double[count]());
  const std::span<const double> all(values.get(), count);
  const auto rounds = static_cast<int>(std::clamp(4e8 / bytes, 5.0, 20'000.0));
  double best = 1e300, sink = 0.0;
  for (int round = 0; round < rounds; ++round) {
    best = std::min(best, microseconds([&] { sink += stream(all); }));
  }
  asm volatile("" : : "g"(&sink) : "memory");
  return 1e-3 * static_cast<double>(count * sizeof(double)) / best;
}

FloorFigures floor_of(const Pair& pair, const std::vector<const RecordedState*>& sampled) {
  FloorFigures figures;
  BytesNeeded needed(*pair.shell_body.shell, *pair.shell_body.tree, *pair.field_body.field);
  for (const RecordedState* s : sampled) {
    pair.field_body.field->deform(pair.field_q(*s));
    const BytesNeeded::Count count =
        needed.count(pair.shell_pose(*s), pair.field_pose(*s), pair.shell_q(*s));
    figures.visited += count.nodes;
    figures.points += count.points;
    figures.contacts += count.contacts;
    figures.bytes += count.bytes;
    figures.line_bytes += count.line_bytes;
  }
  for (double* sum : {&figures.visited, &figures.points, &figures.contacts, &figures.bytes,
                      &figures.line_bytes}) {
    *sum /= static_cast<double>(sampled.size());
  }
  figures.gigabytes_per_s = bandwidth(figures.bytes);
  figures.line_gigabytes_per_s = bandwidth(figures.line_bytes);
  figures.us = 1e-3 * figures.bytes / figures.gigabytes_per_s;
  figures.line_us = 1e-3 * figures.line_bytes / figures.line_gigabytes_per_s;
  return figures;
}

}  // namespace

Comparison compare(const Scene& scene, const std::vector<RecordedState>& states) {
  const Pair pair(scene, solids::solids_settings(scene).contacts.at(0));
  const PointShell& shell = *pair.shell_body.shell;
  const std::vector<const RecordedState*> sampled = sample(states, shell.size());
  Comparison result;
  result.states = sampled.size();

  ContactTraversal traversal(shell, *pair.shell_body.tree, *pair.field_body.field, {});
  ModalCoordinates q(shell.dimension());
  std::vector<double> us;
  for (const RecordedState* s : sampled) {
    q.assign(pair.shell_q(*s));
    us.push_back(microseconds([&] {
      pair.field_body.field->deform(pair.field_q(*s));
      result.tree_less_contacts += static_cast<double>(
          traversal.run_all(pair.shell_pose(*s), pair.field_pose(*s), q).size());
    }));
  }
  result.tree_less_contacts /= static_cast<double>(sampled.size());
  result.tree_less = quantiles_of(us);
  if (const auto* grid = dynamic_cast<const DistanceField*>(pair.field_body.field.get())) {
    result.voxmap = run_voxmap(pair, *grid, states, sampled);
  }
  result.floor = floor_of(pair, sampled);
  return result;
}

}  // namespace haptic
