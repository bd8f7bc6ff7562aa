#include "host/mesh/tube.h"

#include <cmath>
#include <numbers>

#include "shared/assert.h"
#include "shared/math/pose.h"

namespace haptic {
namespace {

struct Frame {
  Vector3 side, up;  ///< unit, perpendicular to the path and to each other
};

/// Frames by parallel transport: each turns the previous by the smallest rotation.
std::vector<Frame> transported_frames(const std::vector<TubeSection>& sections) {
  const std::size_t n = sections.size();
  HAPTIC_DEMAND(n >= 2);
  std::vector<Frame> frames(n);
  const auto tangent = [&](std::size_t i) -> Vector3 {
    const std::size_t before = i == 0 ? 0 : i - 1, after = i + 1 == n ? i : i + 1;
    return (sections[after].centre - sections[before].centre).normalized();
  };
  Vector3 previous = tangent(0);
  int thin = 0;
  previous.cwiseAbs().minCoeff(&thin);
  frames[0].side = previous.cross(Vector3::Unit(thin)).normalized();
  frames[0].up = previous.cross(frames[0].side);
  for (std::size_t i = 1; i < n; ++i) {
    const Vector3 next = tangent(i);
    const Quaternion turn = smallest_rotation(previous, next);
    frames[i].side = (turn * frames[i - 1].side).normalized();
    frames[i].up = next.cross(frames[i].side);
    previous = next;
  }
  return frames;
}

std::vector<Vector3> ring_at(const Vector3& centre, const Frame& frame, double radius,
                             std::uint32_t segments) {
  std::vector<Vector3> ring;
  ring.reserve(segments);
  for (std::uint32_t j = 0; j < segments; ++j) {
    const double a = 2.0 * std::numbers::pi * j / segments;
    ring.emplace_back(centre + radius * (std::cos(a) * frame.side + std::sin(a) * frame.up));
  }
  return ring;
}

/// Cone from a ring of `segments` vertices starting at `first` to a new vertex at `apex`.
void close_end(TriangleMesh& mesh, std::uint32_t first, std::uint32_t segments, const Vector3& apex,
               bool at_start) {
  const auto tip = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.push_back(apex);
  for (std::uint32_t j = 0; j < segments; ++j) {
    const std::uint32_t a = first + j, b = first + (j + 1) % segments;
    mesh.triangles.push_back(at_start ? std::array{b, a, tip} : std::array{a, b, tip});
  }
}

}  // namespace

TriangleMesh joined_rings(const std::vector<std::vector<Vector3>>& rings, RingEnds ends) {
  HAPTIC_DEMAND(rings.size() >= 2);
  TriangleMesh mesh;
  const auto segments = static_cast<std::uint32_t>(rings.front().size());
  for (const auto& ring : rings) {
    HAPTIC_DEMAND(ring.size() == segments);
    mesh.vertices.insert(mesh.vertices.end(), ring.begin(), ring.end());
  }
  const auto n = static_cast<std::uint32_t>(rings.size());
  const std::uint32_t bands = ends == RingEnds::kCyclic ? n : n - 1;
  for (std::uint32_t i = 0; i < bands; ++i) {
    const std::uint32_t here = i * segments, there = (i + 1) % n * segments;
    for (std::uint32_t j = 0; j < segments; ++j) {
      const std::uint32_t next = (j + 1) % segments;
      mesh.triangles.push_back({here + j, here + next, there + next});
      mesh.triangles.push_back({here + j, there + next, there + j});
    }
  }
  return mesh;
}

TriangleMesh solid_tube(std::vector<TubeSection> sections, std::uint32_t segments, TubeEnds ends) {
  std::vector<Frame> frames = transported_frames(sections);
  const Vector3 head = sections.front().centre, tail = sections.back().centre;
  Vector3 first_apex = head, last_apex = tail;
  if (ends == TubeEnds::kRound) {
    const Vector3 forward = (tail - sections[sections.size() - 2].centre).normalized();
    const Vector3 backward = (head - sections[1].centre).normalized();
    const double first_radius = sections.front().radius, last_radius = sections.back().radius;
    first_apex = head + first_radius * backward;
    last_apex = tail + last_radius * forward;
    const std::uint32_t rings = std::max(2U, segments / 4);
    for (std::uint32_t i = 1; i < rings; ++i) {
      const double a = 0.5 * std::numbers::pi * i / rings;
      sections.insert(sections.begin(),
                      {head + first_radius * std::sin(a) * backward, first_radius * std::cos(a)});
      frames.insert(frames.begin(), frames.front());
      sections.push_back({tail + last_radius * std::sin(a) * forward, last_radius * std::cos(a)});
      frames.push_back(frames.back());
    }
  }
  std::vector<std::vector<Vector3>> rings;
  rings.reserve(sections.size());
  for (std::size_t i = 0; i < sections.size(); ++i) {
    rings.push_back(ring_at(sections[i].centre, frames[i], sections[i].radius, segments));
  }
  TriangleMesh mesh = joined_rings(rings, RingEnds::kOpen);
  const auto last_ring = static_cast<std::uint32_t>((rings.size() - 1) * segments);
  close_end(mesh, 0, segments, first_apex, true);
  close_end(mesh, last_ring, segments, last_apex, false);
  return mesh;
}

TriangleMesh hollow_tube(const std::vector<TubeSection>& outer,
                         const std::vector<double>& inner_radius, std::uint32_t segments) {
  HAPTIC_DEMAND(outer.size() == inner_radius.size());
  const std::vector<Frame> frames = transported_frames(outer);
  std::vector<std::vector<Vector3>> rings;
  for (std::size_t i = 0; i < outer.size(); ++i) {
    rings.push_back(ring_at(outer[i].centre, frames[i], outer[i].radius, segments));
  }
  for (std::size_t i = outer.size(); i-- > 0;) {
    rings.push_back(ring_at(outer[i].centre, frames[i], inner_radius[i], segments));
  }
  return joined_rings(rings, RingEnds::kCyclic);
}

}  // namespace haptic
