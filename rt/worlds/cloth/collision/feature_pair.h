#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// A vertex and a triangle, or two edges, of one surface and without a common particle.
struct FeaturePair {
  enum class Kind : std::uint8_t { kVertexTriangle, kEdges };

  /// The vertex and the triangle's corners, or the ends of one edge and those of the other.
  std::array<std::uint32_t, 4> particles{};
  Kind kind = Kind::kVertexTriangle;

  /// Particles of the first feature; the others are of the second.
  std::size_t first_count() const HAPTIC_REALTIME { return kind == Kind::kVertexTriangle ? 1 : 2; }
};

/// Four vectors of a pair, one a particle.
using PairVectors = std::array<Vector3, 4>;

/// Where two features are nearest. With the weights of the points w_i, sum 1 over the first feature
/// and -1 over the second, the vector from the second to the first is sum w_i x_i.
struct PairDistance {
  std::array<double, 4> weights{};
  double distance = 0.0;             ///< m
  Vector3 normal = Vector3::Zero();  ///< unit, from the second feature to the first; 0 if touching
};

PairVectors gather(const FeaturePair& pair, std::span<const double> vectors) HAPTIC_REALTIME;

/// Sum of the vectors with the weights: how far the first feature is ahead of the second.
Vector3 difference(const std::array<double, 4>& weights, const PairVectors& v) HAPTIC_REALTIME;

/// Source: Ericson 2005, sections 5.1.5 and 5.1.9. Features without extent give a point of theirs.
PairDistance distance_between(FeaturePair::Kind kind, const PairVectors& x) HAPTIC_REALTIME;

/// A cheap test: true if the features are apart by more than `distance` [m] along the line between
/// their centroids.
bool is_farther(FeaturePair::Kind kind, const PairVectors& x, double distance) HAPTIC_REALTIME;

/// Whether the features come nearer to each other than `gap` while their particles move straight by
/// `moves`. Conservative advancement: no point of a feature moves more than its fastest particle,
/// relative to the mean of all four, so for distance / (sum of these motions) nothing can happen.
/// Source: docs/methods/cloth.md, "Self-collision response"; Li et al. 2021, section 5.
/// @param start   distance at the start, > gap
/// @param gap     m, > 0
/// @param near    distance above the gap at which the pair counts as arrived [m], > 0
/// @param met     where they are then
/// @param measured  grows by the distances that were computed
/// @returns true also where the bounded search has not come to the end of the step
bool may_come_near(FeaturePair::Kind kind, const PairVectors& x, const PairVectors& moves,
                   double start, double gap, double near, PairDistance& met,
                   std::size_t& measured) HAPTIC_REALTIME;

}  // namespace haptic::cloth
