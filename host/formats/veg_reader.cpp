#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <map>

#include "host/formats/number_list.h"
#include "host/formats/veg_lines.h"
#include "host/formats/vega_mesh.h"
#include "shared/error.h"

namespace haptic {
namespace {

std::string without_spaces(std::string_view text) {
  std::string result(text);
  std::erase_if(result, [](char c) { return c == ' ' || c == '\t'; });
  return result;
}

class VegReader {
 public:
  explicit VegReader(const std::filesystem::path& path) : path_(path), lines_(path) {}

  VegaMesh read() {
    read_vertices();
    read_elements();
    sets_["allElements"] = {};
    for (std::size_t e = 0; e < mesh_.element_count(); ++e) {
      sets_["allElements"].push_back(static_cast<std::uint32_t>(e));
    }
    while (!lines_.at_end()) {
      const std::string line(lines_.take());
      if (line.starts_with("*MATERIAL")) {
        read_material(without_spaces(std::string_view(line).substr(9)));
      } else if (line.starts_with("*SET")) {
        read_set(without_spaces(std::string_view(line).substr(4)));
      } else if (line.starts_with("*REGION")) {
        read_region();
      } else {
        fail(fmt::format("found \"{}\"", line.substr(0, 40)), "*MATERIAL, *SET or *REGION");
      }
    }
    assign_materials();
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(std::string_view found, std::string_view expected = {}) const {
    throw InputError(path_.string(), lines_.place(), found, expected);
  }
  std::string_view take(std::string_view expected) {
    if (lines_.at_end()) {
      throw InputError(path_.string(), "", "the file ends too early", expected);
    }
    return lines_.take();
  }
  bool data_follows() const { return !lines_.at_end() && !lines_.peek().starts_with('*'); }

  /// First number of a counting line; no count can exceed the bytes there are.
  std::size_t take_count(std::string_view what) {
    NumberList numbers(take(fmt::format("the number of {}", what)));
    const auto count = numbers.integer();
    if (!count || *count < 1) fail(fmt::format("no number of {}", what), "an integer >= 1");
    if (static_cast<std::size_t>(*count) > lines_.byte_count()) {
      fail(fmt::format("found {} {}", *count, what),
           fmt::format("no more than a file of {} bytes can hold", lines_.byte_count()));
    }
    return static_cast<std::size_t>(*count);
  }
  /// Leading id of a data line; ids run from 0 or 1 without gaps.
  void take_id(NumberList& numbers, std::size_t position, std::int64_t& base) {
    const auto id = numbers.integer();
    if (!id) fail("found no id", "an integer first");
    if (position == 0) {
      if (*id != 0 && *id != 1) fail(fmt::format("found first id {}", *id), "0 or 1");
      base = *id;
    }
    if (*id != base + static_cast<std::int64_t>(position)) {
      fail(fmt::format("found id {}", *id),
           fmt::format("{}, ids in order", base + static_cast<std::int64_t>(position)));
    }
  }
  void require_end(const NumberList& numbers, std::string_view expected) const {
    if (!numbers.empty()) fail("found more words on the line", expected);
  }
  void require_count(std::size_t found, std::size_t expected, std::string_view what) const {
    if (found != expected) {
      throw InputError(path_.string(), "", fmt::format("found {} {}", found, what),
                       fmt::format("{} as announced", expected));
    }
  }

  void read_vertices() {
    if (!take("*VERTICES").starts_with("*VERTICES")) fail("no *VERTICES", "a VegaFEM mesh (.veg)");
    const std::size_t count = take_count("vertices");
    std::size_t v = 0;
    for (; data_follows(); ++v) {
      NumberList numbers(lines_.take());
      if (v == count) fail("found more vertices", fmt::format("{} as announced", count));
      take_id(numbers, v, vertex_base_);
      for (int axis = 0; axis < 3; ++axis) {
        const auto x = numbers.real();
        if (!x) fail(fmt::format("vertex {} has no three finite coordinates", v));
        mesh_.vertices.push_back(*x);
      }
      require_end(numbers, "an id and three coordinates");
    }
    require_count(v, count, "vertices");
  }

  void read_elements() {
    if (!take("*ELEMENTS").starts_with("*ELEMENTS")) fail("no *ELEMENTS after the vertices");
    const std::string kind = without_spaces(take("TET or CUBIC"));
    if (kind != "TET" && kind != "TETS" && kind != "CUBIC") {
      fail(fmt::format("found elements \"{}\"", kind), "TET or CUBIC");
    }
    mesh_.corners_per_element = kind == "CUBIC" ? 8 : 4;
    const std::size_t count = take_count("elements");
    const auto n = static_cast<std::int64_t>(mesh_.vertex_count());
    std::size_t e = 0;
    for (; data_follows(); ++e) {
      NumberList numbers(lines_.take());
      if (e == count) fail("found more elements", fmt::format("{} as announced", count));
      take_id(numbers, e, element_base_);
      for (int c = 0; c < mesh_.corners_per_element; ++c) {
        const auto id = numbers.integer();
        if (!id || *id < vertex_base_ || *id >= n + vertex_base_) {
          fail(id ? fmt::format("found vertex {}", *id) : "found no vertex id",
               fmt::format("{} ids of {} to {}", mesh_.corners_per_element, vertex_base_,
                           n - 1 + vertex_base_));
        }
        mesh_.elements.push_back(static_cast<std::uint32_t>(*id - vertex_base_));
      }
      require_end(numbers, fmt::format("an id and {} vertices", mesh_.corners_per_element));
    }
    require_count(e, count, "elements");
  }

  void read_material(std::string name) {
    NumberList words(take("a material specification"));
    const std::string kind(words.word());
    std::vector<double> values;
    while (!words.empty()) {
      const auto value = words.real();
      if (!value) fail(fmt::format("material {}: not a finite number", name));
      values.push_back(*value);
    }
    VegaMaterial material;
    material.name = name;
    if (kind == "ENU") {
      require_values(values, 3, "density, E, nu");
      material.density = values[0];
      material.youngs_modulus = values[1];
      material.poisson_ratio = values[2];
      if (!(values[1] > 0.0) || !(values[2] > -1.0 && values[2] < 0.5)) {
        fail(fmt::format("found E {:g} Pa, nu {:g}", values[1], values[2]),
             "E > 0 and -1 < nu < 0.5");
      }
    } else if (kind.starts_with("ORTHOTROPIC")) {
      material.orthotropy = orthotropy(kind.substr(11), values);
      material.density = values[0];
    } else if (kind.starts_with("MOONEYRIVLIN")) {
      fail("found MOONEYRIVLIN, whose force is not a polynomial of the displacement",
           "ENU or ORTHOTROPIC");
    } else {
      fail(fmt::format("found material type \"{}\"", kind.substr(0, 40)), "ENU or ORTHOTROPIC");
    }
    if (!(material.density > 0.0)) {
      fail(fmt::format("found density {:g}", material.density), "a number > 0 [kg/m^3]");
    }
    if (!material_index_.emplace(name, mesh_.materials.size()).second) {
      fail(fmt::format("material {} is given twice", name));
    }
    mesh_.materials.push_back(std::move(material));
  }

  void require_values(const std::vector<double>& values, std::size_t count,
                      std::string_view names) const {
    if (values.size() != count) {
      fail(fmt::format("found {} numbers", values.size()), fmt::format("{}: {}", count, names));
    }
  }

  /// density, E1, E2, E3, then by suffix N3/N1 (Poisson ratios), G3/G1 (shear), R9 (axes by rows).
  Orthotropy orthotropy(const std::string& suffix, const std::vector<double>& values) const {
    struct Form {
      std::size_t poisson, shear, axes;
    };
    static const std::map<std::string, Form> kForms = {
        {"", {3, 3, 9}},      {"_N3G3R9", {3, 3, 9}}, {"_N3G3", {3, 3, 0}}, {"_N1G1R9", {1, 1, 9}},
        {"_N1G1", {1, 1, 0}}, {"_N1R9", {1, 0, 9}},   {"_N1", {1, 0, 0}}};
    const auto found = kForms.find(suffix);
    if (found == kForms.end()) fail(fmt::format("found material type ORTHOTROPIC{}", suffix));
    const Form form = found->second;
    require_values(values, 4 + form.poisson + form.shear + form.axes,
                   fmt::format("the parameters of ORTHOTROPIC{}", suffix));
    Orthotropy o;
    o.e1 = values[1], o.e2 = values[2], o.e3 = values[3];
    if (!(o.e1 > 0.0 && o.e2 > 0.0 && o.e3 > 0.0)) fail("a Young's modulus <= 0 Pa");
    if (form.poisson == 3) {
      o.nu12 = values[4], o.nu23 = values[5], o.nu31 = values[6];
      o.g12 = values[7], o.g23 = values[8], o.g31 = values[9];
    } else {
      // Geometric means, Li and Barbic 2014; G is relative, 1 unless given.
      const double nu = values[4];
      const double g = (form.shear == 1 ? values[5] : 1.0) / (2.0 * (1.0 + nu));
      if (!(nu > -1.0 && nu < 0.5)) fail(fmt::format("found nu {:g}", nu), "-1 < nu < 0.5");
      o.nu12 = nu * std::sqrt(o.e1 / o.e2), o.nu23 = nu * std::sqrt(o.e2 / o.e3);
      o.nu31 = nu * std::sqrt(o.e3 / o.e1);
      o.g12 = g * std::sqrt(o.e1 * o.e2), o.g23 = g * std::sqrt(o.e2 * o.e3);
      o.g31 = g * std::sqrt(o.e3 * o.e1);
    }
    if (!(o.g12 > 0.0 && o.g23 > 0.0 && o.g31 > 0.0)) fail("a shear modulus <= 0 Pa");
    for (std::size_t i = 0; i < form.axes; ++i) {
      o.axes(static_cast<int>(i / 3), static_cast<int>(i % 3)) =
          values[4 + form.poisson + form.shear + i];
    }
    const double error = (o.axes.transpose() * o.axes - Eigen::Matrix3d::Identity()).norm();
    if (!(error < 1e-6)) {  // text files carry six digits and more
      fail(fmt::format("found axes that are not a rotation (R^T R - I: {:.2g})", error));
    }
    const Eigen::Matrix<double, 6, 6> C = o.elasticity();
    if (!C.allFinite() || C.llt().info() != Eigen::Success) {
      fail("found an elasticity tensor that is not positive definite",
           "smaller Poisson ratios: 1/E must be positive definite");
    }
    return o;
  }

  void read_set(std::string name) {
    if (sets_.contains(name)) fail(fmt::format("set {} is given twice", name));
    std::vector<std::uint32_t>& set = sets_[name];
    const auto m = static_cast<std::int64_t>(mesh_.element_count());
    while (data_follows()) {
      NumberList numbers(lines_.take());
      while (!numbers.empty()) {
        const auto id = numbers.integer();
        if (!id || *id < element_base_ || *id >= m + element_base_) {
          fail(id ? fmt::format("found element {}", *id) : "found no element id",
               fmt::format("ids of {} to {}", element_base_, m - 1 + element_base_));
        }
        set.push_back(static_cast<std::uint32_t>(*id - element_base_));
      }
    }
  }

  void read_region() {
    NumberList words(take("a region: set, material"));
    regions_.push_back({std::string(words.word()), std::string(words.word()), lines_.place()});
    if (regions_.back().material.empty()) fail("found fewer than two names", "set, material");
  }

  void assign_materials() {
    constexpr std::uint32_t kNone = ~0U;
    mesh_.element_material.assign(mesh_.element_count(), kNone);
    for (const Region& region : regions_) {
      const auto set = sets_.find(region.set);
      const auto material = material_index_.find(region.material);
      if (set == sets_.end() || material == material_index_.end()) {
        throw InputError(path_.string(), region.place,
                         set == sets_.end() ? fmt::format("no set \"{}\"", region.set)
                                            : fmt::format("no material \"{}\"", region.material),
                         "names given in the file");
      }
      for (const std::uint32_t e : set->second) {
        mesh_.element_material[e] = static_cast<std::uint32_t>(material->second);
      }
    }
    const auto unassigned =
        std::count(mesh_.element_material.begin(), mesh_.element_material.end(), kNone);
    mesh_.has_materials = !mesh_.materials.empty();
    if (!mesh_.has_materials) mesh_.materials.emplace_back().name = "defaultMaterial";
    if (unassigned > 0) {
      std::replace(mesh_.element_material.begin(), mesh_.element_material.end(), kNone,
                   static_cast<std::uint32_t>(mesh_.materials.size() - 1));
    }
  }

  struct Region {
    std::string set, material, place;
  };

  std::filesystem::path path_;
  VegLines lines_;
  VegaMesh mesh_;
  std::int64_t vertex_base_ = 1, element_base_ = 1;
  std::map<std::string, std::vector<std::uint32_t>> sets_;
  std::map<std::string, std::size_t> material_index_;
  std::vector<Region> regions_;
};

}  // namespace

VegaMesh read_veg(const std::filesystem::path& path) {
  return VegReader(path).read();
}

std::vector<std::filesystem::path> veg_file_parts(const std::filesystem::path& path) {
  return VegLines(path).files();
}

}  // namespace haptic
