#include "host/export/scene_series.h"

#include <fmt/format.h>

#include <map>
#include <system_error>
#include <utility>

#include "host/export/contact_points.h"
#include "host/export/output_stream.h"
#include "host/export/vtk_surface.h"
#include "host/files/temporary_file.h"
#include "host/view/deformed_surface.h"
#include "host/view/log_frame.h"
#include "host/view/shape_surface.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// A folder that gets its name when it is complete and is removed otherwise.
class FolderOutput {
 public:
  explicit FolderOutput(std::filesystem::path target) : target_(std::move(target)), path_(target_) {
    if (std::filesystem::exists(std::filesystem::symlink_status(target_))) {
      throw InputError(target_.string(), "",
                       "found something of this name, the folder of the frames",
                       "another name for the output, or its removal");
    }
    path_ += temporary_ending();
    std::error_code error;
    std::filesystem::create_directory(path_, error);
    if (error) throw OperationError(fmt::format("{}: {}", path_.string(), error.message()));
  }
  ~FolderOutput() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  FolderOutput(const FolderOutput&) = delete;
  FolderOutput& operator=(const FolderOutput&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void commit() {
    std::error_code error;
    std::filesystem::rename(path_, target_, error);
    if (error) throw OperationError(fmt::format("{}: {}", target_.string(), error.message()));
    path_.clear();
  }

 private:
  std::filesystem::path target_, path_;
};

/// The surfaces of the bodies of one scene; models are mapped once.
class BodySurfaces {
 public:
  VtkSurface at(const SceneFrame& frame) {
    VtkSurface all;
    all.point_arrays = {{"displacement", 3, {}}};
    all.cell_arrays = {{"body", 1, {}}};
    for (std::size_t b = 0; b < frame.bodies.size(); ++b) add(frame.bodies[b], b, all);
    return all;
  }

 private:
  void add(const FrameBody& body, std::size_t index, VtkSurface& all) {
    if (const auto* const shape = std::get_if<AnalyticShape>(&body.model)) {
      const DisplaySurface surface = shape_surface(*shape, body.pose);
      append(surface.positions, surface.positions, surface.indices, index, all);
      return;
    }
    const auto& path = std::get<std::filesystem::path>(body.model);
    const ModelFile& model = models_.try_emplace(path.string(), path).first->second;
    FrameBody at_rest{body.name, body.model, body.pose, {}};
    append(deformed_vertices(model, body), deformed_vertices(model, at_rest),
           model.indices("/surface/triangles"), index, all);
  }

  static void append(const SurfacePoints& now, const SurfacePoints& rest,
                     std::span<const std::uint32_t> triangles, std::size_t index, VtkSurface& all) {
    const auto first = static_cast<std::int64_t>(all.points.size() / 3);
    const SurfacePoints displacement = now - rest;
    all.points.insert(all.points.end(), now.data(), now.data() + now.size());
    std::vector<float>& u = all.point_arrays[0].values;
    u.insert(u.end(), displacement.data(), displacement.data() + displacement.size());
    for (const std::uint32_t vertex : triangles) all.triangles.push_back(first + vertex);
    all.cell_arrays[0].values.resize(all.triangles.size() / 3, static_cast<float>(index));
  }

  std::map<std::string, ModelFile> models_;
};

}  // namespace

SceneSeries write_scene_series(const LogReader& log, const RowChoice& choice,
                               const std::filesystem::path& pvd, const Progress& progress) {
  const std::vector<std::uint64_t> rows = chosen_rows(log, choice);
  const std::vector<double> time = log.times();
  std::filesystem::path name = pvd;
  name.replace_extension();
  if (name == pvd) throw InputError(pvd.string(), "", "found no ending", "a name with .pvd");
  FolderOutput folder(name);
  ContactPoints contacts(log);
  BodySurfaces surfaces;
  std::string entries;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (progress) progress(static_cast<double>(i) / static_cast<double>(rows.size()));
    const SceneFrame frame = frame_of(log, rows[i]);
    const std::string bodies = fmt::format("bodies_{:06}.vtp", i);
    const std::string points = fmt::format("contacts_{:06}.vtp", i);
    write_vtp(surfaces.at(frame), folder.path() / bodies);
    write_vtp(contacts.at(frame, rows[i]), folder.path() / points);
    for (const auto& [part, file] : {std::pair{0, bodies}, std::pair{1, points}}) {
      entries += fmt::format("<DataSet timestep=\"{}\" part=\"{}\" file=\"{}/{}\"/>\n",
                             time[rows[i]], part, xml_text(name.filename().string()), file);
    }
  }
  OutputStream out(pvd);
  out.write(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n");
  out.write(entries);
  out.write("</Collection>\n</VTKFile>\n");
  folder.commit();
  out.commit();
  return {rows.size(), contacts.missing()};
}

}  // namespace haptic
