#include "host/report/log_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "host/artifact/hdf5_input.h"

namespace haptic {
namespace {

constexpr std::uint64_t kMostParameters = 1u << 14;

std::string as_text(const Hdf5Input::Attribute& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : fmt::format("{}", std::get<double>(value));
}

std::vector<std::pair<std::string, double>> parameters(const Hdf5Input& log) {
  constexpr const char* kNames = "/parameters/name";
  constexpr const char* kValues = "/parameters/value";
  if (!log.has(kNames) || !log.has(kValues)) return {};
  if (log.dataset(kNames).rows() > kMostParameters ||
      log.dataset(kValues).rows() > kMostParameters) {
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
  for (const std::string group : {"/", "/session"}) {
    if (!file.has(group)) continue;
    for (const auto& [name, value] : file.attributes(group)) {
      facts.attributes.emplace_back(name, as_text(value));
    }
  }
  if (file.has("/session/scene")) facts.scene_text = file.dataset("/session/scene").text();
  facts.parameters = parameters(file);
  return facts;
}

}  // namespace haptic
