#include "host/export/xdmf_file.h"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <string>
#include <vector>

#include "host/artifact/hdf5_input.h"
#include "host/export/output_stream.h"
#include "host/export/vtk_surface.h"
#include "host/log/logged_models.h"
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

/// @throws InputError if the file is no log of a run
Hdf5Input open_run(const std::filesystem::path& log) {
  Hdf5Input run = Hdf5Input::open(log, kRunLog);
  if (run.text("/", "format") == "hapticd run 1") return run;
  throw InputError(log.string(), "", "is no log of a run", kRunLog);
}

/// @throws InputError if the model cannot be read or has other vertices
std::string topology_of(const std::string& model_path, std::uint64_t vertices,
                        const std::filesystem::path& from) {
  const ModelFile model(model_path);
  const bool cubes = model.has("/mesh/elements");
  const char* const section = cubes ? "/mesh/elements" : "/mesh/tetrahedra";
  const std::size_t corners = cubes ? 8 : 4, elements = model.indices(section).size() / corners;
  if (const std::size_t found = model.doubles("/mesh/vertices").size() / 3; found != vertices) {
    throw InputError(model_path, "/mesh/vertices", fmt::format("found {} vertices", found),
                     fmt::format("{}, as the snapshots have", vertices));
  }
  return fmt::format(
      "<Topology TopologyType=\"{}\" NumberOfElements=\"{}\"><DataItem Format=\"HDF\" "
      "NumberType=\"UInt\" Precision=\"4\" Dimensions=\"{} {}\">{}:{}</DataItem></Topology>\n",
      cubes ? "Hexahedron" : "Tetrahedron", elements, elements, corners,
      reference(model_path, from), section);
}

std::string points(std::uint64_t vertices) {
  return fmt::format(
      "<Topology TopologyType=\"Polyvertex\" NodesPerElement=\"1\" NumberOfElements=\"{}\"/>\n",
      vertices);
}

}  // namespace

LogBody model_of_run(const std::filesystem::path& log) {
  const Hdf5Input run = open_run(log);
  LogBody body;
  body.name = "model";
  body.model_path = run.text("/", "model");
  if (!body.model_path.starts_with('/')) {
    throw InputError(log.string(), "model", fmt::format("found '{}'", body.model_path),
                     "an absolute path");
  }
  const std::string hash = run.text("/", "model_hash");
  std::from_chars(hash.data(), hash.data() + hash.size(), body.model_hash, 16);
  return body;
}

XdmfOutcome write_xdmf(const std::filesystem::path& log, const RowChoice& choice,
                       const std::filesystem::path& path, bool any_model) {
  const LogBody model = model_of_run(log);
  if (!any_model) expect_models_that_ran(std::span(&model, 1), log);
  const Hdf5Input run = open_run(log);
  const std::uint64_t vertices = run.dataset("/mesh/vertices").rows();
  const Hdf5Dataset& snapshots = run.dataset("/snapshots/displacement_m");
  const std::vector<double> times = run.dataset("/snapshots/time_s").numbers();
  if (snapshots.width() != 3 * vertices || snapshots.rows() != times.size()) {
    throw InputError(log.string(), snapshots.name(),
                     fmt::format("found {} x {} numbers", snapshots.rows(), snapshots.width()),
                     fmt::format("{} x {}", times.size(), 3 * vertices));
  }
  const std::string file = reference(log, path);
  XdmfOutcome outcome;
  std::string topology;
  try {
    topology = topology_of(model.model_path, vertices, path);
  } catch (const InputError& error) {
    if (!any_model) {
      throw InputError("", "", error.what(), "the model that ran, or --any-model");
    }
    outcome.without_elements = error.what();
    topology = points(vertices);
  }
  const std::string mesh =
      topology +
      fmt::format(
          "<Geometry GeometryType=\"XYZ\"><DataItem Format=\"HDF\" NumberType=\"Float\" "
          "Precision=\"8\" Dimensions=\"{} 3\">{}:/mesh/vertices</DataItem></Geometry>\n",
          vertices, file);
  std::string steps;
  std::uint64_t inside = 0;
  for (std::size_t s = 0; s < times.size(); ++s) {
    if (times[s] < choice.from_s || times[s] > choice.until_s) continue;
    if (inside++ % choice.every != 0) continue;
    ++outcome.steps;
    steps += fmt::format(
        "<Grid Name=\"body\" GridType=\"Uniform\"><Time Value=\"{0}\"/>\n{1}<Attribute "
        "Name=\"displacement\" AttributeType=\"Vector\" Center=\"Node\"><DataItem "
        "ItemType=\"HyperSlab\" Dimensions=\"{2} 3\"><DataItem Format=\"XML\" Dimensions=\"3 2\">"
        "{3} 0 1 1 1 {4}</DataItem><DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"8\" "
        "Dimensions=\"{5} {4}\">{6}:/snapshots/displacement_m</DataItem></DataItem></Attribute>"
        "</Grid>\n",
        times[s], mesh, vertices, s, snapshots.width(), snapshots.rows(), file);
  }
  if (outcome.steps == 0) {
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
  return outcome;
}

}  // namespace haptic
