#include "host/artifact/body_lines.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>

namespace haptic {
namespace {

class Figures {
 public:
  explicit Figures(const ModelAttributes& attributes) : attributes_(attributes) {}

  std::optional<double> number(const std::string& name) const {
    const auto found = attributes_.find("/body." + name);
    if (found == attributes_.end()) return {};
    const double* value = std::get_if<double>(&found->second);
    return value ? std::optional(*value) : std::nullopt;
  }
  /// The numbers of a text with another separator; empty if there is none.
  std::string list(const std::string& name, const char* separator) const {
    std::istringstream words(text_attribute(attributes_, "/body." + name, ""));
    std::string result;
    for (std::string word; words >> word;) result += (result.empty() ? "" : separator) + word;
    return result;
  }

 private:
  const ModelAttributes& attributes_;
};

}  // namespace

std::vector<std::string> body_lines(const ModelAttributes& attributes) {
  const Figures figures(attributes);
  const auto mass = figures.number("mass_kg");
  if (!mass) return {};
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("size     {} m, in its file {}; mesh {} m", figures.list("extent_m", " x "),
                  figures.list("extent_in_file", " x "), figures.list("mesh_extent_m", " x ")));
  const auto beside = [&](const std::string& name, const std::string& own) {
    const std::string of_surface = figures.list("surface_" + name, ", ");
    return of_surface.empty() ? own : fmt::format("{} (its surface {})", own, of_surface);
  };
  const auto surface_mass = figures.number("surface_mass_kg");
  lines.push_back(fmt::format(
      "mass     {:.6g} kg{}", *mass,
      surface_mass ? fmt::format(" (its surface {:.6g} kg)", *surface_mass) : std::string()));
  lines.push_back("centre   " + beside("centre_m", figures.list("centre_m", ", ")) + " m");
  lines.push_back("inertia  " + beside("inertia_kg_m2", figures.list("inertia_kg_m2", ", ")) +
                  " kg m^2");
  const auto wall = figures.number("thinnest_wall_m"), voxel = figures.number("voxel_m");
  if (wall && voxel && *voxel > 0.0) {
    lines.push_back(fmt::format("walls    {:.3g} voxels of {:.3g} m through the thinnest, {:.3g} m",
                                *wall / *voxel, *voxel, *wall));
  }
  if (const std::string list = figures.list("frequencies_Hz", ", "); !list.empty()) {
    lines.push_back("modes    " + list + " Hz");
  }
  if (const auto stiffness = figures.number("stiffness_N_m")) {
    lines.push_back(fmt::format("gives    {:.4g} N/m at its softest place, ({}) m", *stiffness,
                                figures.list("stiffness_place_m", ", ")));
  }
  return lines;
}

}  // namespace haptic
