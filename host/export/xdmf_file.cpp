#include "host/export/xdmf_file.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "host/artifact/hdf5_handle.h"
#include "host/export/output_stream.h"
#include "host/export/vtk_surface.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

class RunFile {
 public:
  explicit RunFile(const std::filesystem::path& path) : path_(path.string()) {
    silence_hdf5();
    const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id < 0) refuse("cannot be opened");
    file_ = Hdf5Handle(id, H5Fclose, path_);
    if (text("format") != "hapticd run 1") refuse("is no log of a run");
    if (H5Lexists(id, "/snapshots", H5P_DEFAULT) <= 0) refuse("has no snapshots");
  }

  /// A text of fixed length; empty if there is none.
  std::string text(const char* name) const {
    if (H5Aexists(file_.get(), name) <= 0) return {};
    const Hdf5Handle attribute(H5Aopen(file_.get(), name, H5P_DEFAULT), H5Aclose, name);
    const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose, name);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) return {};
    std::string value(H5Tget_size(type.get()), '\0');
    require_hdf5(H5Aread(attribute.get(), type.get(), value.data()), name);
    value.resize(std::strlen(value.c_str()));
    return value;
  }

  std::array<hsize_t, 2> extent(const char* name) const {
    const Hdf5Handle dataset(H5Dopen2(file_.get(), name, H5P_DEFAULT), H5Dclose, name);
    const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, name);
    std::array<hsize_t, 2> extent = {0, 1};
    if (H5Sget_simple_extent_ndims(space.get()) > 2) refuse("has a dataset of another shape");
    require_hdf5(H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr), name);
    return extent;
  }

  std::vector<double> times() const {
    constexpr const char* kName = "/snapshots/time_s";
    std::vector<double> values(extent(kName)[0]);
    const Hdf5Handle dataset(H5Dopen2(file_.get(), kName, H5P_DEFAULT), H5Dclose, kName);
    require_hdf5(
        H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
        kName);
    return values;
  }

  [[noreturn]] void refuse(const char* found) const {
    throw InputError(path_, "", found, "a log of haptic simulate --unreduced --save-every");
  }

 private:
  std::string path_;
  Hdf5Handle file_;
};

/// How the XDMF file names a file, for its data items.
std::string reference(const std::filesystem::path& file, const std::filesystem::path& from) {
  const std::filesystem::path folder =
      from.has_parent_path() ? from.parent_path() : std::filesystem::path(".");
  return xml_text(
      std::filesystem::proximate(std::filesystem::absolute(file), std::filesystem::absolute(folder))
          .string());
}

std::string topology_of(const std::string& model_path, hsize_t vertices,
                        const std::filesystem::path& from) {
  try {
    const ModelFile model(model_path);
    const bool cubes = model.has("/mesh/elements");
    const char* const section = cubes ? "/mesh/elements" : "/mesh/tetrahedra";
    const std::size_t corners = cubes ? 8 : 4, elements = model.indices(section).size() / corners;
    if (model.doubles("/mesh/vertices").size() == 3 * vertices) {
      return fmt::format(
          "<Topology TopologyType=\"{}\" NumberOfElements=\"{}\"><DataItem Format=\"HDF\" "
          "NumberType=\"UInt\" Precision=\"4\" Dimensions=\"{} {}\">{}:{}</DataItem></Topology>\n",
          cubes ? "Hexahedron" : "Tetrahedron", elements, elements, corners,
          reference(model_path, from), section);
    }
  } catch (const InputError&) {
    // The snapshots can be seen without it.
  }
  return fmt::format(
      "<Topology TopologyType=\"Polyvertex\" NodesPerElement=\"1\" NumberOfElements=\"{}\"/>\n",
      vertices);
}

}  // namespace

std::uint64_t write_xdmf(const std::filesystem::path& log, const RowChoice& choice,
                         const std::filesystem::path& path) {
  const RunFile run(log);
  const hsize_t vertices = run.extent("/mesh/vertices")[0];
  const std::array<hsize_t, 2> snapshots = run.extent("/snapshots/displacement_m");
  const std::vector<double> times = run.times();
  if (snapshots[1] != 3 * vertices || snapshots[0] != times.size()) {
    run.refuse("has snapshots of another mesh");
  }
  const std::string file = reference(log, path);
  const std::string mesh =
      topology_of(run.text("model"), vertices, path) +
      fmt::format(
          "<Geometry GeometryType=\"XYZ\"><DataItem Format=\"HDF\" NumberType=\"Float\" "
          "Precision=\"8\" Dimensions=\"{} 3\">{}:/mesh/vertices</DataItem></Geometry>\n",
          vertices, file);
  std::string steps;
  std::uint64_t count = 0, inside = 0;
  for (std::size_t s = 0; s < times.size(); ++s) {
    if (times[s] < choice.from_s || times[s] > choice.until_s) continue;
    if (inside++ % choice.every != 0) continue;
    ++count;
    steps += fmt::format(
        "<Grid Name=\"body\" GridType=\"Uniform\"><Time Value=\"{0}\"/>\n{1}<Attribute "
        "Name=\"displacement\" AttributeType=\"Vector\" Center=\"Node\"><DataItem "
        "ItemType=\"HyperSlab\" Dimensions=\"{2} 3\"><DataItem Format=\"XML\" Dimensions=\"3 2\">"
        "{3} 0 1 1 1 {4}</DataItem><DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"8\" "
        "Dimensions=\"{5} {4}\">{6}:/snapshots/displacement_m</DataItem></DataItem></Attribute>"
        "</Grid>\n",
        times[s], mesh, vertices, s, snapshots[1], snapshots[0], file);
  }
  if (count == 0) {
    throw InputError(log.string(), "time range", "no snapshot in it",
                     times.empty()
                         ? "a log with snapshots"
                         : fmt::format("some of {} s to {} s", times.front(), times.back()));
  }
  OutputStream out(path);
  out.write(
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\"><Domain>\n<Grid Name=\"run\" "
      "GridType=\"Collection\" CollectionType=\"Temporal\">\n");
  out.write(steps);
  out.write("</Grid>\n</Domain></Xdmf>\n");
  out.commit();
  return count;
}

}  // namespace haptic
