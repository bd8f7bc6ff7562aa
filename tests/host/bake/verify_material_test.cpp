// haptic verify on models with tetrahedra, material groups, anisotropy and viscosity: a valid model
// passes, and each wrong section fails its figure.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "host/artifact/model_attributes.h"
#include "host/artifact/model_writer.h"
#include "host/bake/verify.h"
#include "shared/artifact/model_file.h"
#include "tests/host/bake/baking_folder.h"
#include "tests/host/mesh/tetrahedral_block.h"

namespace haptic {
namespace {

std::string gmsh_text(const TetrahedralMesh& mesh) {
  std::string text =
      fmt::format("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", mesh.vertices.size());
  const auto out = std::back_inserter(text);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    fmt::format_to(out, "{} {} {} {}\n", v + 1, mesh.vertices[v].x(), mesh.vertices[v].y(),
                   mesh.vertices[v].z());
  }
  fmt::format_to(out, "$EndNodes\n$Elements\n{}\n", mesh.tetrahedra.size());
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    const auto& c = mesh.tetrahedra[e];
    fmt::format_to(out, "{} 4 2 1 1 {} {} {} {}\n", e + 1, c[0] + 1, c[1] + 1, c[2] + 1, c[3] + 1);
  }
  return text + "$EndElements\n";
}

constexpr const char* kMaterial = R"(
[material]
youngs_modulus = 5e4
poisson_ratio = 0.4
density = 1000.0
damping_ratios = [0.02, 0.05]
viscosity = [3.0, 8.0]
[[material.group]]
name = "tip"
youngs_modulus = 2e5
density = 1500.0
viscosity = [1.0, 0.5]
plane = { axis = "x", above = 0.15 }
[[material.group]]
name = "fibres"
density = 1100.0
plane = { axis = "x", below = 0.05 }
elasticity = [9e4, 3e4, 3e4, 2e3, 0, 0,  8e4, 3e4, 0, 0, 0,  8e4, 0, 0, 1e3,  2e4, 0, 0,  3e4, 0,  2e4]
[constraints]
planes = [{ axis = "x", below = 0.01 }]
[reduction]
linear_modes = 4
dimension = 6
)";

std::map<std::string, VerifiedFigure> figures_of(const std::filesystem::path& model) {
  std::map<std::string, VerifiedFigure> figures;
  for (const VerifiedFigure& figure : verify_model(model)) figures.emplace(figure.name, figure);
  return figures;
}

/// Copies a model with one number of one section multiplied.
void copy_with_error(const std::filesystem::path& from, const std::filesystem::path& to,
                     const std::string& wrong_section) {
  const ModelFile model(from);
  ModelWriter writer(to);
  for (const Section& section : model.sections()) {
    const auto& shape = section.shape;
    const auto write = [&](const auto& values) {
      switch (shape.size()) {
        case 1:
          return writer.add(section.name, values, {shape[0]});
        case 2:
          return writer.add(section.name, values, {shape[0], shape[1]});
        default:
          return writer.add(section.name, values, {shape[0], shape[1], shape[2]});
      }
    };
    switch (section.type) {
      case ElementType::kUint8:
        write(model.bytes(section.name));
        break;
      case ElementType::kUint32:
        write(model.indices(section.name));
        break;
      case ElementType::kFloat32:
        write(model.floats(section.name));
        break;
      default: {
        std::vector<double> values(model.doubles(section.name).begin(),
                                   model.doubles(section.name).end());
        if (section.name == wrong_section) {
          // Of /material/elasticity C_1111 of the anisotropic group, the third.
          const auto at = wrong_section == "/material/elasticity"
                              ? values.begin() + 72
                              : std::max_element(values.begin(), values.end());
          *at *= 1.001;
        }
        write(std::span<const double>(values));
      }
    }
  }
  for (const auto& [name, value] : read_model_attributes(from)) {
    const std::size_t dot = name.find('.');
    std::visit(
        [&, key = name](const auto& v) {
          writer.set_attribute(key.substr(0, dot), key.substr(dot + 1), v);
        },
        value);
  }
  writer.commit();
}

class VerifyMaterial : public testing::Test {
 protected:
  VerifyMaterial() : folder("verify_material") {
    folder.write("block.msh", gmsh_text(tetrahedral_block(8, 3, 3, 0.025, 0.1)));
    folder.write(
        "tets.toml",
        fmt::format("[source]\nlength = 0.2\n[mesh]\nfile = \"block.msh\"\n{}", kMaterial));
    folder.write(
        "voxels.toml",
        fmt::format("[source]\nmesh = \"beam.obj\"\nlength = 0.2\n[mesh]\nresolution = 16\n{}",
                    kMaterial));
  }
  BakingFolder folder;
};

TEST_F(VerifyMaterial, groups_anisotropy_and_viscosity_pass) {
  for (const std::string kind : {"tets", "voxels"}) {
    SCOPED_TRACE(kind);
    const auto figures = figures_of(folder.bake(kind + ".toml", kind + ".h5"));
    for (const auto& [name, figure] : figures) {
      EXPECT_TRUE(figure.passes()) << name << " " << figure.value << " of " << figure.limit;
    }
    for (const char* name :
         {"reduced_force", "group_coefficients", "group_mass", "reduced_damping"}) {
      EXPECT_TRUE(figures.contains(name)) << name;
    }
    EXPECT_THAT(figures.at("reduced_damping").what,
                testing::HasSubstr("with phi = 3 and psi = 8, phi = 1 and psi = 0.5, phi = 3 and "
                                   "psi = 8 Pa s"));
  }
}

TEST_F(VerifyMaterial, each_wrong_section_fails_its_figure) {
  const auto model = folder.bake("tets.toml", "tets.h5");
  const std::pair<const char*, const char*> cases[] = {
      {"/reduced/groups/quartic", "group_coefficients"},
      {"/reduced/groups/mass", "group_mass"},
      {"/reduced/viscous/quadratic", "reduced_damping"},
      {"/material/viscosity", "reduced_damping"},
      {"/material/density", "mass_orthonormality"},
      {"/material/elasticity", "reduced_force"},
      {"/material/lame", "reduced_force"},
  };
  for (const auto& [section, name] : cases) {
    copy_with_error(model, folder.file("wrong.h5"), section);
    const auto figures = figures_of(folder.file("wrong.h5"));
    EXPECT_FALSE(figures.at(name).passes()) << section;
  }
}

}  // namespace
}  // namespace haptic
