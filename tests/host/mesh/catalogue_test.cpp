#include "host/mesh/catalogue.h"

#include <gmock/gmock.h>

#include <set>

#include "host/mesh/mesh_report.h"
#include "tests/host/mesh/mesh_test_support.h"

namespace haptic {
namespace {

using testing::HasSubstr;

struct Expectation {
  const char* name;
  long euler;  ///< V - E + F = 2 - 2 genus
  double longest_side, lowest_volume, highest_volume;
};

// The Euler characteristics of bridge, tower and basket are those of their default parameters,
// taken from surfaces that were inspected; they detect bars that merge or separate.
const Expectation kShapes[] = {
    {"beam", 2, 0.2, 1.2e-4, 1.2e-4},
    {"box", 2, 0.04, 6.4e-5, 6.4e-5},
    {"plate", 2, 0.2, 1.6e-4, 1.6e-4},
    {"cylinder", 2, 0.1, 3.0e-5, 3.1416e-5},
    {"sphere", 2, 0.04, 3.3e-5, 3.352e-5},
    {"torus", 0, 0.21, 9.6e-4, 9.87e-4},
    {"spoon", 2, 0.2, 3.0e-5, 3.6e-5},
    {"bowl", 2, 0.12, 1.2e-4, 1.45e-4},
    {"heart", 2, 0.15, 8.5e-4, 1.05e-3},
    {"bridge", -80, 0.304, 1.8e-4, 2.2e-4},
    {"tower", -138, 0.303, 6e-5, 8e-5},
    {"basket", -128, 0.126, 7e-5, 9e-5},
    {"hose", 0, 0.158, 9.5e-5, 1.2e-4},
    {"alpha", 2, 0.12, 3.0e-5, 3.5e-5},
    {"bolt", 2, 0.058, 7.3e-6, 8.0e-6},
    {"nut", 0, 0.03, 9.0e-6, 1.0e-5},
    {"hand", 2, 0.19, 1.9e-4, 1.93e-4},
    // 12 cm^3 less three holes of 0.503 cm^3; the surface is a polyhedron.
    {"perforated", -4, 0.04, 1.045e-5, 1.055e-5},
};

class CatalogueShape : public testing::TestWithParam<Expectation> {};
INSTANTIATE_TEST_SUITE_P(All, CatalogueShape, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

TEST_P(CatalogueShape, is_a_closed_outward_manifold_of_its_topology_and_size) {
  const Expectation& shape = GetParam();
  const TriangleMesh mesh = make_shape(shape.name, {});
  const MeshReport report = inspect_mesh(mesh);
  EXPECT_TRUE(report.closed_manifold()) << report.summary();
  EXPECT_EQ(report.components, 1U);
  EXPECT_EQ(report.zero_area, 0U);
  EXPECT_EQ(static_cast<long>(report.vertices) - static_cast<long>(report.triangles) / 2,
            shape.euler);
  EXPECT_NEAR(bounding_box(mesh).longest_side(), shape.longest_side, 0.02 * shape.longest_side);
  EXPECT_GE(report.volume, shape.lowest_volume * (1.0 - 1e-9));
  EXPECT_LE(report.volume, shape.highest_volume * (1.0 + 1e-9));
}

TEST(Catalogue, lists_every_shape_once_with_parameters_in_range) {
  std::set<std::string_view> names;
  for (const ShapeInfo& shape : catalogue()) {
    EXPECT_TRUE(names.insert(shape.name).second) << shape.name;
    EXPECT_FALSE(shape.description.empty());
    for (const ShapeParameter& p : shape.parameters) {
      EXPECT_GE(p.value, p.minimum) << shape.name << "." << p.name;
      EXPECT_LE(p.value, p.maximum) << shape.name << "." << p.name;
    }
  }
  EXPECT_EQ(names.size(), std::size(kShapes));
}

TEST(Catalogue, is_deterministic) {
  const TriangleMesh a = make_shape("spoon", {}), b = make_shape("spoon", {});
  ASSERT_EQ(a.vertices.size(), b.vertices.size());
  EXPECT_EQ(a.triangles, b.triangles);
  EXPECT_EQ(a.vertices, b.vertices);
}

TEST(Catalogue, parameters_change_the_shape) {
  const auto size = [](const char* name, const std::map<std::string, double>& values) {
    return bounding_box(make_shape(name, values)).size();
  };
  EXPECT_NEAR(size("spoon", {{"length", 0.3}, {"resolution", 80}}).x(), 0.3, 0.005);
  EXPECT_NEAR(size("hose", {{"run", 0.1}, {"resolution", 60}}).x(), 0.018 + 0.05 + 0.1, 0.002);
  EXPECT_NEAR(size("bolt", {{"length", 0.08}, {"resolution", 60}}).y(), 0.088, 0.002);
  EXPECT_GT(make_shape("sphere", {{"subdivisions", 5}}).triangles.size(), 20000U);
  const TriangleMesh plain = make_shape("bolt", {{"thread_length", 0.0}, {"resolution", 80}});
  EXPECT_GT(signed_volume(plain), signed_volume(make_shape("bolt", {{"resolution", 80}})));
}

TEST(Catalogue, bad_names_are_refused_with_the_nearest_known_one) {
  const auto error = [](const char* name, const std::map<std::string, double>& values) {
    return input_error([&] { (void)make_shape(name, values); });
  };
  EXPECT_THAT(error("spon", {}), HasSubstr("\"spoon\""));
  EXPECT_THAT(error("bridge", {{"lenght", 1.0}}), HasSubstr("\"length\""));
  EXPECT_THAT(error("beam", {{"length", -1.0}}), HasSubstr("beam: length: found -1"));
  EXPECT_THAT(error("beam", {{"length", std::nan("")}}), HasSubstr("beam: length"));
  EXPECT_THAT(error("torus", {{"tube_radius", 0.5}}), HasSubstr("tube_radius"));
  EXPECT_THAT(error("hose", {{"wall", 0.5}}), HasSubstr("wall"));
  EXPECT_THAT(error("bolt", {{"head_across", 0.01}}), HasSubstr("head_across"));
  EXPECT_THAT(error("bolt", {{"slot", 0.015}}), HasSubstr("slot"));
  EXPECT_THAT(error("nut", {{"clearance", 0.001}}), HasSubstr("clearance"));
  EXPECT_THAT(error("nut", {{"across", 0.012}}), HasSubstr("across"));
  EXPECT_THAT(error("perforated", {{"holes", 5.0}}), HasSubstr("hole_radius"));
}

}  // namespace
}  // namespace haptic
