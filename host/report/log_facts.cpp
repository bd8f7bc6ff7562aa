#include "host/report/log_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "host/artifact/hdf5_input.h"

namespace haptic {
namespace {

constexpr std::uint64_t kMaxParameters = 1u << 14;

/// Attributes that write_description and write_session give a log.
const std::vector<std::pair<std::string, std::vector<std::string>>>& attributes_of_logs() {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> names = {
      {"/",
       {"device_stiffness_N_m", "format", "length_scale", "lost_samples", "rate_hz", "scene",
        "source"}},
      {"/session",
       {"daemon_date", "date", "device", "haptic_version", "hapticd_version", "host", "kernel",
        "manifest_is_newer", "scene_is_newer"}}};
  return names;
}

std::string as_text(const Hdf5Input::Attribute& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : fmt::format("{}", std::get<double>(value));
}

std::vector<std::pair<std::string, double>> parameters(const Hdf5Input& log) {
  constexpr const char* kNames = "/parameters/name";
  constexpr const char* kValues = "/parameters/value";
  if (!log.has(kNames) || !log.has(kValues)) return {};
  if (log.dataset(kNames).rows() > kMaxParameters || log.dataset(kValues).rows() > kMaxParameters) {
    return {};
  }
  const std::vector<std::string> names = log.dataset(kNames).texts();
  const std::vector<double> values = log.dataset(kValues).numbers();
  std::vector<std::pair<std::string, double>> result;
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
    result.emplace_back(names[i], values[i]);
  }
  return result;
}

}  // namespace

LogFacts read_log_facts(const LogReader& log) {
  const Hdf5Input& file = log.file();
  LogFacts facts;
  for (const auto& [group, names] : attributes_of_logs()) {
    if (!file.has(group)) continue;
    for (const auto& [name, value] : file.attributes(group, names)) {
      facts.attributes.emplace_back(name, as_text(value));
    }
  }
  if (file.has("/session/scene")) facts.scene_text = file.dataset("/session/scene").text();
  facts.parameters = parameters(file);
  return facts;
}

}  // namespace haptic
