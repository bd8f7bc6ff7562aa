#include <fmt/format.h>

#include <iterator>

#include "host/files/replace_file.h"
#include "host/formats/file_bytes.h"
#include "host/formats/vega_mesh.h"

namespace haptic {
namespace {

std::string specification(const VegaMaterial& material) {
  if (!material.orthotropy) {
    return fmt::format("ENU, {:.17g}, {:.17g}, {:.17g}", material.density, material.youngs_modulus,
                       material.poisson_ratio);
  }
  const Orthotropy& o = *material.orthotropy;
  std::string text = "ORTHOTROPIC_N3G3R9";
  const auto append = [&](double value) { text += fmt::format(", {:.17g}", value); };
  for (const double value :
       {material.density, o.e1, o.e2, o.e3, o.nu12, o.nu23, o.nu31, o.g12, o.g23, o.g31}) {
    append(value);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) append(o.axes(i, j));
  return text;
}

}  // namespace

void write_veg(const std::filesystem::path& path, const VegaMesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  const std::size_t corners = static_cast<std::size_t>(mesh.corners_per_element);
  fmt::format_to(out, "# VegaFEM mesh, metres\n*VERTICES\n{} 3 0 0\n", mesh.vertex_count());
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
    fmt::format_to(out, "{} {:.17g} {:.17g} {:.17g}\n", v + 1, mesh.vertices[3 * v],
                   mesh.vertices[3 * v + 1], mesh.vertices[3 * v + 2]);
  }
  fmt::format_to(out, "*ELEMENTS\n{}\n{} {} 0\n", corners == 8 ? "CUBIC" : "TET",
                 mesh.element_count(), corners);
  for (std::size_t e = 0; e < mesh.element_count(); ++e) {
    fmt::format_to(out, "{}", e + 1);
    for (std::size_t c = 0; c < corners; ++c) {
      fmt::format_to(out, " {}", mesh.elements[corners * e + c] + 1);
    }
    fmt::format_to(out, "\n");
  }
  for (const VegaMaterial& material : mesh.materials) {
    fmt::format_to(out, "*MATERIAL {}\n{}\n", material.name, specification(material));
  }
  for (std::size_t g = 0; g < mesh.materials.size(); ++g) {
    const std::string& name = mesh.materials[g].name;
    std::string set = "allElements";
    if (mesh.materials.size() > 1) {
      set = name + "_elements";
      fmt::format_to(out, "*SET {}\n", set);
      int on_line = 0;
      for (std::size_t e = 0; e < mesh.element_count(); ++e) {
        if (mesh.element_material[e] != g) continue;
        fmt::format_to(out, "{},{}", e + 1, ++on_line % 8 == 0 ? "\n" : " ");
      }
      if (on_line % 8 != 0) fmt::format_to(out, "\n");
    }
    fmt::format_to(out, "*REGION\n{}, {}\n", set, name);
  }
  replace_file(path, {std::string_view(text.data(), text.size())});
}

}  // namespace haptic
