#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/mesh/catalogue.h"
#include "host/mesh/triangle_mesh.h"
#include "shared/progress.h"

namespace haptic {

/// Checked parameter values of one shape; every parameter of its ShapeInfo is present.
class ShapeValues {
 public:
  ShapeValues(std::string_view shape, std::map<std::string, double, std::less<>> values,
              Progress progress)
      : shape_(shape), values_(std::move(values)), progress_(std::move(progress)) {}

  double operator()(std::string_view name) const;
  std::uint32_t count(std::string_view name) const;  ///< rounded to the nearest integer
  /// Told the fraction of the surface that is made; may be empty.
  const Progress& progress() const { return progress_; }
  /// @throws InputError naming the shape: parameters contradict each other
  [[noreturn]] void refuse(std::string_view key, const std::string& found,
                           std::string_view expected) const;

 private:
  std::string_view shape_;
  std::map<std::string, double, std::less<>> values_;
  Progress progress_;
};

/// A shape and the function that makes it, with z up; make_shape turns it to y up, x kept.
struct ShapeEntry {
  ShapeInfo info;
  TriangleMesh (*build)(const ShapeValues&);
};

/// The families of the catalogue, one per source file.
std::vector<ShapeEntry> basic_shapes();    // beam, box, plate, cylinder, sphere, torus
std::vector<ShapeEntry> tube_shapes();     // hose, alpha
std::vector<ShapeEntry> rounded_shapes();  // spoon, bowl, heart
std::vector<ShapeEntry> lattice_shapes();  // bridge, tower, basket, perforated
std::vector<ShapeEntry> bolt_shapes();     // bolt, nut
std::vector<ShapeEntry> hand_shapes();     // hand

}  // namespace haptic
