#include "host/log/log_session.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>

#include "host/artifact/growing_dataset.h"
#include "host/artifact/hdf5_handle.h"
#include "host/artifact/model_attributes.h"
#include "shared/artifact/model_file.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

/// "2026-05-01T12:34:56.789+0200"
std::string iso_date(std::int64_t realtime_ns) {
  const auto seconds = static_cast<std::time_t>(realtime_ns / 1'000'000'000);
  std::tm local{};
  localtime_r(&seconds, &local);
  char date[32] = {}, offset[8] = {};
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &local);
  std::strftime(offset, sizeof offset, "%z", &local);
  return fmt::format("{}.{:03}{}", date, realtime_ns / 1'000'000 % 1000, offset);
}

std::int64_t realtime_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// The recipe in a model file that is still the one that runs.
std::string recipe_of(const BodyRecord& body) {
  if (body.model_path[0] != '/') return {};
  try {
    // Both from one open file: another could be put in its place between them.
    const RegularFile file = open_regular_file(body.model_path, "a model file",
                                               std::numeric_limits<std::uint64_t>::max());
    const std::string path = fmt::format("/proc/self/fd/{}", file.descriptor.get());
    if (ModelFile(path).content_hash() != body.model_hash) return {};
    return text_attribute(read_model_attributes(path), "/provenance.recipe", "");
  } catch (const std::exception&) {  // removed, or not readable for this user
    return {};
  }
}

/// A text as a dataset: attributes hold 64 KiB at most.
void write_text(hid_t file, const std::string& name, const std::string& text) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, name);
  require_hdf5(H5Tset_size(type.get(), std::max<std::size_t>(text.size(), 1)), name);
  require_hdf5(H5Tset_cset(type.get(), H5T_CSET_UTF8), name);
  require_hdf5(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), name);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, name);
  const Hdf5Handle settings = hdf5_dataset_settings(name);
  const Hdf5Handle dataset(H5Dcreate2(file, name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                      settings.get(), H5P_DEFAULT),
                           H5Dclose, "create " + name);
  require_hdf5(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()),
               name);
}

void write_parameters(hid_t file, const std::vector<LogParameter>& parameters) {
  constexpr std::size_t kChunk = 64;
  const Hdf5Handle group = make_hdf5_group(file, "/parameters");
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "copy a type");
  require_hdf5(H5Tset_size(type.get(), sizeof ParameterRecord::name), "text");
  GrowingDataset names(file, "/parameters/name", "text", "as of `haptic set`", 1, kChunk,
                       type.get());
  GrowingDataset values(file, "/parameters/value", "SI", "when the recording began", 1, kChunk);
  GrowingDataset minima(file, "/parameters/minimum", "SI", "least value", 1, kChunk);
  GrowingDataset maxima(file, "/parameters/maximum", "SI", "greatest value", 1, kChunk);
  for (const LogParameter& parameter : parameters) {
    char name[sizeof ParameterRecord::name] = {};
    parameter.name.copy(name, sizeof name - 1);
    names.append(name);
    values.append(&parameter.value);
    minima.append(&parameter.minimum);
    maxima.append(&parameter.maximum);
  }
  for (GrowingDataset* column : {&names, &values, &minima, &maxima}) column->flush();
}

/// What the telemetry tells.
LogSession told_session(const TelemetryReader& reader) {
  const TelemetryHeader& header = reader.header();
  LogSession session;
  session.daemon_date = iso_date(header.start_realtime_ns);
  session.haptic_version = HAPTIC_VERSION;
  session.hapticd_version = header.daemon_version;
  session.device = header.device;
  for (const BodyRecord& body : reader.bodies()) session.recipes.push_back(recipe_of(body));
  for (const ParameterRecord& p : reader.parameters()) {
    session.parameters.push_back({p.name, p.value, p.minimum, p.maximum});
  }
  return session;
}

}  // namespace

LogSession session_of(const TelemetryReader& reader) {
  LogSession session = told_session(reader);
  session.date = iso_date(realtime_ns());
  utsname machine{};
  if (uname(&machine) == 0) {
    session.host = machine.nodename;
    session.kernel = fmt::format("{} {} {}", machine.sysname, machine.release, machine.version);
  }
  if (std::optional<SessionTexts> texts = reader.texts()) {
    session.scene_text = std::move(texts->scene);
    session.manifest_text = std::move(texts->manifest);
  }
  return session;
}

LogSession session_of(const BlackBox& box) {
  LogSession session = told_session(box.telemetry);
  session.date = iso_date(box.header.date_ns);
  session.host = box.header.host;
  session.kernel = box.header.kernel;
  session.scene_text = box.scene;
  session.manifest_text = box.manifest;
  return session;
}

void write_session(hid_t file, const LogSession& session) {
  const Hdf5Handle group = make_hdf5_group(file, "/session");
  const std::pair<const char*, const std::string&> texts[] = {
      {"date", session.date},
      {"daemon_date", session.daemon_date},
      {"host", session.host},
      {"kernel", session.kernel},
      {"haptic_version", session.haptic_version},
      {"hapticd_version", session.hapticd_version},
      {"device", session.device}};
  for (const auto& [name, text] : texts) write_attribute(group.get(), name, text);
  // Of versions that read the files again: readers refuse a text that is newer than what ran.
  write_attribute(group.get(), "scene_is_newer", session.scene_text.empty() ? 1.0 : 0.0);
  write_attribute(group.get(), "manifest_is_newer", 0.0);
  write_text(file, "/session/scene", session.scene_text);
  write_text(file, "/session/manifest", session.manifest_text);
  for (std::size_t body = 0; body < session.recipes.size(); ++body) {
    if (session.recipes[body].empty()) continue;
    write_text(file, fmt::format("/bodies/{}/recipe", body), session.recipes[body]);
  }
  write_parameters(file, session.parameters);
}

}  // namespace haptic
