#include "host/fem/solid_mesh.h"

#include <gmock/gmock.h>

#include <limits>

#include "shared/error.h"
#include "tests/host/fem/bodies.h"

namespace haptic {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Message of the InputError that `action` throws; empty if it throws none.
template <typename Action>
std::string input_error(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(SolidMesh, congruent_elements_share_one_shape) {
  EXPECT_EQ(make_box_mesh(5, 4, 3, 0.0371, kRubber).shape_count(), 1);
  EXPECT_GT(bodies()[3].mesh.shape_count(), 1);
  EXPECT_NEAR(make_box_mesh(2, 1, 1, 0.1, kRubber).volume(), 0.002, 1e-17);
  EXPECT_THROW(SolidMesh({}, {}, kRubber), InputError);
}

TEST(SolidMesh, tetrahedra_of_a_box_fill_it) {
  const SolidMesh mesh = make_tetrahedral_box_mesh(4, 2, 3, 0.1, kRubber);
  EXPECT_EQ(mesh.element_count(), 6 * 24);
  EXPECT_NEAR(mesh.volume(), 0.024, 1e-16);
  EXPECT_NEAR(mesh.mass(), 24.0, 1e-12);
}

TEST(SolidMesh, groups_give_every_element_its_material) {
  const SolidMesh mesh = bodies()[7].mesh;
  EXPECT_EQ(mesh.group_count(), 3);
  EXPECT_EQ(mesh.group(4), 1);
  EXPECT_FALSE(mesh.material(3).is_isotropic());
  EXPECT_EQ(mesh.material(4).lame().mu, kRubber.lame().mu);
  EXPECT_EQ(mesh.material(4).elasticity(), isotropic_elasticity(kRubber.lame()));
  EXPECT_FALSE(mesh.is_isotropic());
  double mass = 0.0;
  for (int e = 0; e < mesh.element_count(); ++e) {
    mass += mesh.element_volume(e) * mesh.groups().materials[e % 3].density();
  }
  EXPECT_NEAR(mesh.mass(), mass, 1e-13 * mass);
}

/// Arrays of one element, which tests make invalid.
struct Arrays {
  explicit Arrays(const SolidMesh& mesh)
      : kind(mesh.kind()),
        vertices(mesh.vertices().begin(), mesh.vertices().end()),
        elements(mesh.elements().begin(), mesh.elements().end()) {}
  std::string error(const SolidMaterial& material = kRubber) const {
    return error(MaterialGroups{{material}, {}});
  }
  std::string error(const MaterialGroups& groups) const {
    return input_error([&] { SolidMesh(kind, vertices, elements, groups); });
  }
  ElementKind kind;
  std::vector<double> vertices;
  std::vector<std::uint32_t> elements;
};

TEST(SolidMesh, bad_elements_and_vertices_are_named) {
  for (const SolidMesh& mesh :
       {make_box_mesh(1, 1, 1, 0.1, kRubber), make_tetrahedral_box_mesh(1, 1, 1, 0.1, kRubber)}) {
    const Arrays good(mesh);
    EXPECT_EQ(good.error(), "");
    Arrays bad = good;
    bad.vertices[4] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(bad.error(), AllOf(HasSubstr("vertex 1"), HasSubstr("nan")));
    bad = good;
    bad.vertices.insert(bad.vertices.end(), {1.0, 1.0, 1.0});
    EXPECT_THAT(bad.error(), AllOf(HasSubstr("vertex 8"), HasSubstr("in no element")));
    bad = good;
    bad.elements[3] = 8;
    EXPECT_THAT(bad.error(), AllOf(HasSubstr("element 0"), HasSubstr("found vertex 8")));
    bad = good;
    bad.elements[3] = bad.elements[1];
    EXPECT_THAT(bad.error(), AllOf(HasSubstr("element 0"), HasSubstr("twice")));
    bad = good;
    std::swap(bad.elements[0], bad.elements[mesh.kind() == ElementKind::kHexahedron ? 4 : 1]);
    EXPECT_THAT(bad.error(), AllOf(HasSubstr("element 0"), HasSubstr("m^3"))) << "inverted";
    bad = good;
    for (std::size_t v = 0; v < 8; ++v) bad.vertices[3 * v + 2] *= 1e-11;
    EXPECT_THAT(bad.error(), AllOf(HasSubstr("element 0"), HasSubstr("flat")));
    bad = good;
    bad.elements.clear();
    EXPECT_THAT(bad.error(), HasSubstr("found none")) << "empty mesh";
    bad.vertices.clear();
    EXPECT_THAT(bad.error(), HasSubstr("found none"));
    bad = good;
    bad.elements.pop_back();
    EXPECT_THAT(bad.error(), HasSubstr("multiples of 3"));
  }
}

TEST(SolidMesh, parts_and_held_fractions_that_do_not_fit_are_named) {
  const SolidMesh box = make_box_mesh(2, 1, 1, 0.01, kRubber);
  const auto refusal = [&](std::vector<CellPart> parts, std::vector<double> held) -> std::string {
    try {
      (void)SolidMesh(box.vertices(), box.elements(), box.groups(),
                      CellSettings{StrainSampling::kAssumed, std::move(parts), std::move(held)});
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  CellPart outside = kWholeCell;
  outside[1] = 0.6;
  EXPECT_EQ(refusal({kWholeCell, kWholeCell}, {0.0, 0.98}), "accepted");
  EXPECT_THAT(refusal({kWholeCell}, {}), testing::HasSubstr("found those of 1 elements"));
  EXPECT_THAT(refusal({kWholeCell, outside}, {}), testing::HasSubstr("element 1: found moments"));
  EXPECT_THAT(refusal({}, {0.5}), testing::HasSubstr("found the fractions of 1 elements"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double held : {-0.1, 0.99, 1.0, nan}) {
    EXPECT_THAT(refusal({}, {0.5, held}), testing::HasSubstr("element 1: found a held fraction"));
  }
}

// The weight of a cell beside a fixed region grows, its mass does not.
TEST(SolidMesh, a_held_fraction_divides_the_stiffness_alone) {
  const SolidMesh box = make_box_mesh(1, 1, 1, 0.01, kRubber);
  const auto rule = [&](double held) {
    return SolidMesh(box.vertices(), box.elements(), box.groups(),
                     CellSettings{StrainSampling::kAssumed, {}, {held}})
        .cell_rule(0);
  };
  EXPECT_NEAR(rule(0.75).weight[3] / rule(0.0).weight[3], 4.0, 1e-14);
  EXPECT_EQ(rule(0.75).volume, rule(0.0).volume);
}

TEST(SolidMesh, a_single_element_is_a_body) {
  const SolidMesh cube = make_box_mesh(1, 1, 1, 0.1, kRubber);
  const std::vector<double> vertices = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1};
  const SolidMesh tetrahedron(ElementKind::kTetrahedron, vertices,
                              std::vector<std::uint32_t>{0, 1, 2, 3}, kRubber);
  EXPECT_NEAR(cube.volume(), 1e-3, 1e-17);
  EXPECT_NEAR(tetrahedron.volume(), 1e-3 / 6.0, 1e-17);
}

TEST(SolidMesh, bad_materials_are_named_with_their_group) {
  const Arrays box(make_box_mesh(2, 1, 1, 0.1, kRubber));
  EXPECT_THAT(input_error([&] {
                SolidMaterial(Material{-1e6, 0.3, 1000.0});
              }),
              HasSubstr("youngs_modulus: found -1000000 Pa"));
  EXPECT_THAT(input_error([&] {
                SolidMaterial(Material{1e6, 0.5, 1000.0});
              }),
              HasSubstr("poisson_ratio: found 0.5"));
  EXPECT_THAT(box.error(SolidMaterial(Material{1e6, 0.3, 0.0})), HasSubstr("density 0"));
  EXPECT_THAT(box.error(SolidMaterial(LameParameters{-1.0, 1.0}, 1000.0)),
              HasSubstr("lambda = -1"));

  // Shear 23 softer than nothing: Mandel eigenvalue 2 C_2323.
  ElasticityMatrix C = isotropic_elasticity(kRubber.lame());
  C(5, 5) = -2e4;
  EXPECT_THAT(box.error(MaterialGroups{{kRubber, SolidMaterial(C, 1000.0)}, {0, 1}}),
              AllOf(HasSubstr("group 1"), HasSubstr("eigenvalue -40000 Pa")));
  C(5, 5) = 0.0;
  EXPECT_THAT(box.error(SolidMaterial(C, 1000.0)), HasSubstr("eigenvalue"));
  C(5, 5) = 1e5;
  EXPECT_EQ(box.error(SolidMaterial(C, 1000.0)), "");
  C(0, 5) = 1e4;
  EXPECT_THAT(box.error(SolidMaterial(C, 1000.0)), HasSubstr("triangles differ by 1e+04 Pa"));
  C(0, 5) = std::numeric_limits<double>::infinity();
  EXPECT_THAT(box.error(SolidMaterial(C, 1000.0)), HasSubstr("not finite"));

  EXPECT_THAT(box.error(MaterialGroups{{kRubber, kRubber}, {0, 2}}),
              AllOf(HasSubstr("element 1"), HasSubstr("group 2")));
  EXPECT_THAT(box.error(MaterialGroups{{kRubber, kRubber}, {0}}),
              HasSubstr("groups of 1 elements"));
  EXPECT_THAT(box.error(MaterialGroups{{kRubber, kRubber}, {}}), HasSubstr("found 2 groups"));
  EXPECT_THAT(box.error(MaterialGroups{{}, {}}), HasSubstr("found none"));
}

}  // namespace
}  // namespace haptic
