#include "host/bake/volume_file.h"

#include "host/vega/vega_mesh.h"
#include "shared/error.h"

namespace haptic {

SolidBody read_volume_file(const std::filesystem::path& path) {
  if (path.extension() == ".veg") {
    VegaMesh mesh = read_veg(path);
    if (mesh.corners_per_element == 4) {
      return solid_of_tetrahedra(std::move(mesh.vertices), std::move(mesh.elements));
    }
    return solid_of_cubes(std::move(mesh.vertices), std::move(mesh.elements), path.string());
  }
  throw InputError(path.string(), "", "found an ending that no reader knows",
                   ".msh (Gmsh), .ele (TetGen) or .veg (VegaFEM)");
}

}  // namespace haptic
