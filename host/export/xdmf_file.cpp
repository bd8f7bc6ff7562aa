#include "host/export/xdmf_file.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "host/artifact/hdf5_input.h"
#include "host/export/output_stream.h"
#include "host/export/vtk_surface.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr const char* kRunLog = "a log of haptic simulate --unreduced --save-every";

/// How the XDMF file names a file, for its data items.
std::string reference(const std::filesystem::path& file, const std::filesystem::path& from) {
  const std::filesystem::path folder =
      from.has_parent_path() ? from.parent_path() : std::filesystem::path(".");
  return xml_text(
      std::filesystem::proximate(std::filesystem::absolute(file), std::filesystem::absolute(folder))
          .string());
}

std::string topology_of(const std::string& model_path, std::uint64_t vertices,
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
  const Hdf5Input run = Hdf5Input::open(log, kRunLog);
  if (run.text("/", "format") != "hapticd run 1") {
    throw InputError(log.string(), "", "is no log of a run", kRunLog);
  }
  const std::uint64_t vertices = run.dataset("/mesh/vertices").rows();
  const Hdf5Dataset& snapshots = run.dataset("/snapshots/displacement_m");
  const std::vector<double> times = run.dataset("/snapshots/time_s").numbers();
  if (snapshots.width() != 3 * vertices || snapshots.rows() != times.size()) {
    throw InputError(log.string(), snapshots.name(),
                     fmt::format("found {} x {} numbers", snapshots.rows(), snapshots.width()),
                     fmt::format("{} x {}", times.size(), 3 * vertices));
  }
  const std::string file = reference(log, path);
  const std::string mesh =
      topology_of(run.has_attribute("/", "model") ? run.text("/", "model") : "", vertices, path) +
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
        times[s], mesh, vertices, s, snapshots.width(), snapshots.rows(), file);
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
