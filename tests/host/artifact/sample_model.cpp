#include "tests/host/artifact/sample_model.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "host/artifact/model_writer.h"

namespace haptic {
namespace {

template <typename T>
std::vector<T> ramp(std::size_t count, double scale) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(scale * static_cast<double>(i));
  return values;
}

}  // namespace

void write_sample_model(const std::filesystem::path& path, SampleElements elements) {
  ModelWriter writer(path);
  const auto doubles = [](std::size_t n, double scale) { return ramp<double>(n, scale); };
  const auto floats = [](std::size_t n, double scale) { return ramp<float>(n, scale); };
  const auto indices = [](std::size_t n) { return ramp<std::uint32_t>(n, 1.0); };
  writer.add("/surface/vertices", doubles(12, 0.1), {4, 3});
  writer.add("/surface/triangles", std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3}, {2, 3});
  writer.add("/surface/basis", floats(36, 0.01), {12, 3});
  writer.add("/mesh/vertices", doubles(24, 0.25), {8, 3});
  if (elements == SampleElements::kHexahedra) {
    writer.add("/mesh/elements", indices(8), {1, 8});
    writer.add("/mesh/moments", doubles(10, 0.1), {1, 10});
    writer.add("/mesh/held", doubles(1, 0.5), {1});
  } else {
    writer.add("/mesh/tetrahedra", indices(4), {1, 4});
  }
  writer.add("/mesh/fixed", std::span<const std::uint32_t>(), {0});
  writer.add("/material/group", indices(1), {1});
  writer.add("/material/names", ramp<std::uint8_t>(64, 1.0), {2, 32});
  writer.add("/material/lame", doubles(4, 1e3), {2, 2});
  writer.add("/material/elasticity", doubles(72, 1e3), {2, 6, 6});
  writer.add("/material/viscosity", doubles(4, 2.0), {2, 2});
  writer.add("/material/density", doubles(2, 1e3), {2});
  writer.add("/reduced/basis", doubles(72, 1e-3), {24, 3});
  writer.add("/reduced/eigenvalues", doubles(2, 7.0), {2});
  writer.add("/reduced/quadratic", doubles(6, 1.5), {6});
  writer.add("/reduced/cubic", doubles(10, 2.5), {10});
  writer.add("/reduced/quartic", doubles(15, 3.5), {15});
  writer.add("/reduced/storage", std::vector<std::uint32_t>{4}, {1});
  writer.add("/reduced/groups/quadratic", doubles(24, 1.5), {4, 6});
  writer.add("/reduced/groups/cubic", doubles(40, 2.5), {4, 10});
  writer.add("/reduced/groups/quartic", doubles(60, 3.5), {4, 15});
  writer.add("/reduced/groups/mass", doubles(12, 0.5), {2, 6});
  writer.add("/reduced/viscous/linear", doubles(6, 1.5), {6});
  writer.add("/reduced/viscous/mixed", doubles(18, 2.5), {3, 6});
  writer.add("/reduced/viscous/quadratic", doubles(21, 3.5), {21});
  writer.add("/reduced/damping", doubles(2, 0.1), {2});
  writer.add("/reduced/inertia/linear", doubles(18, 0.1), {3, 6});
  writer.add("/reduced/inertia/quadratic", doubles(36, 0.1), {6, 6});
  writer.add("/reduced/inertia/spin", doubles(18, 0.1), {6, 3});
  writer.add("/condensed/nodes", indices(2), {2});
  if (elements == SampleElements::kHexahedra) {
    writer.add("/condensed/compliance/single", floats(36, 0.1), {6, 6});
  } else {
    writer.add("/condensed/compliance/double", doubles(36, 0.1), {6, 6});
  }
  writer.add("/condensed/modes", doubles(24, 0.2), {6, 4});
  writer.add("/condensed/eigenvalues", doubles(4, 7.0), {4});
  writer.add("/condensed/damping", doubles(2, 0.1), {2});
  writer.add("/condensed/embedding/nodes", std::vector<std::uint32_t>(32, 1), {4, 8});
  writer.add("/condensed/embedding/weights", doubles(32, 0.1), {4, 8});
  writer.add("/cloth/masses", doubles(4, 0.1), {4});
  writer.add("/cloth/quads", indices(4), {1, 4});
  writer.add("/cloth/grid", std::vector<std::uint32_t>{2, 2}, {2});
  writer.add("/cloth/springs/particles", std::vector<std::uint32_t>{0, 1, 1, 2}, {2, 2});
  writer.add("/cloth/springs/kind", ramp<std::uint8_t>(2, 1.0), {2});
  writer.add("/cloth/springs/rest", doubles(2, 0.1), {2});
  writer.add("/cloth/springs/stiffness", doubles(2, 50.0), {2});
  writer.add("/cloth/springs/damping", doubles(2, 0.1), {2});
  writer.add("/cloth/springs/bending", doubles(2, 1e-4), {2});
  writer.add("/shell/points", floats(15, 0.02), {5, 3});
  writer.add("/shell/normals", floats(15, 0.03), {5, 3});
  writer.add("/shell/weights", floats(5, 0.4), {5});
  writer.add("/shell/areas", floats(5, 0.4), {5});
  writer.add("/shell/displacement", floats(45, 0.04), {5, 3, 3});
  writer.add("/shell/normal_correction", floats(45, 0.05), {5, 3, 3});
  writer.add("/shell/tree/level_begin", indices(2), {2});
  writer.add("/shell/tree/point", indices(1), {1});
  writer.add("/shell/tree/child_begin", indices(1), {1});
  writer.add("/shell/tree/child_count", indices(1), {1});
  writer.add("/shell/tree/radius", floats(1, 0.5), {1});
  writer.add("/shell/tree/modal_radius", floats(3, 0.5), {1, 3});
  if (elements == SampleElements::kHexahedra) {
    writer.add("/field/values", floats(27, 0.1), {3, 3, 3});
  } else {
    writer.add("/field/sparse", ramp<std::uint8_t>(96, 1.0), {96});
    writer.add("/field/resolution", std::vector<std::uint32_t>{2}, {1});
  }
  writer.add("/field/frame", doubles(5, 0.3), {5});
  writer.add("/field/proxies/points", doubles(12, 0.1), {4, 3});
  writer.add("/field/proxies/displacement", doubles(36, 0.2), {4, 3, 3});
  writer.add("/field/proxies/gradients", doubles(108, 0.3), {4, 9, 3});
  writer.add("/field/proxies/domain", std::vector<std::uint32_t>{0, 0, 1, 1}, {4});
  writer.add("/field/domains/values", floats(54, 0.1), {6, 3, 3});
  writer.add("/field/domains/frame", doubles(10, 0.3), {2, 5});
  writer.add("/rigid/mass", doubles(1, 0.3), {1});
  writer.add("/rigid/centre", doubles(3, 0.3), {3});
  writer.add("/rigid/inertia", doubles(9, 0.3), {3, 3});
  writer.set_attribute("/mesh", "youngs_modulus_Pa", 5e4);
  writer.set_attribute("/provenance", "recipe", "[source]\nmesh = \"a.obj\"\n");
  writer.commit();
}

std::filesystem::path fresh_folder(const char* name) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                       (std::string("haptic_") + name + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

}  // namespace haptic
