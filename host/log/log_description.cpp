#include "host/log/log_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <utility>

#include "host/artifact/growing_dataset.h"
#include "host/artifact/hdf5_handle.h"
#include "shared/error.h"

namespace haptic {
namespace {

void describe_blocks(hid_t file, const StateLayout& state) {
  const Hdf5Handle blocks = make_hdf5_group(file, "/blocks");
  for (std::size_t i = 0; i < state.blocks().size(); ++i) {
    const StateBlock& block = state.blocks()[i];
    const Hdf5Handle group = make_hdf5_group(file, fmt::format("/blocks/{}", i));
    write_attribute(group.get(), "name", block.name);
    write_attribute(group.get(), "unit", block.unit);
    write_attribute(group.get(), "description", block.meaning);
    write_attribute(group.get(), "shape", fmt::format("{}", fmt::join(block.shape, " ")));
    write_attribute(group.get(), "display", static_cast<double>(block.display));
    write_attribute(group.get(), "rate", static_cast<double>(block.rate));
    if (block.measured) write_attribute(group.get(), "measured", 1.0);
  }
}

/// @param least, most  of a number that is right
double number_between(const Hdf5Input& log, const std::string& object, const char* name,
                      double least, double most) {
  const double value = log.number(object, name);
  if (value >= least && value <= most) return value;
  throw InputError(log.path().string(), object == "/" ? name : object + "/" + name,
                   fmt::format("found {}", value), fmt::format("{:g} to {:g}", least, most));
}

std::uint32_t count_of(const Hdf5Input& log, const std::string& object, const char* name) {
  return static_cast<std::uint32_t>(number_between(log, object, name, 0.0, 1e9));
}

/// The groups FOLDER/0, FOLDER/1, ...
/// @throws InputError if the folder is missing or has anything else: one of them may be lost
std::vector<std::string> numbered_groups(const Hdf5Input& log, const std::string& folder) {
  const std::uint64_t count = log.entries(folder);
  std::vector<std::string> groups;
  while (groups.size() < count) {
    groups.push_back(fmt::format("{}/{}", folder, groups.size()));
    if (log.has(groups.back())) continue;
    throw InputError(log.path().string(), folder,
                     fmt::format("{} entries, but no '{}'", count, groups.size() - 1),
                     "groups numbered from 0");
  }
  return groups;
}

std::vector<LogBody> read_bodies(const Hdf5Input& log) {
  std::vector<LogBody> bodies;
  for (const std::string& group : numbered_groups(log, "/bodies")) {
    LogBody body;
    body.name = log.text(group, "name");
    body.model_path = log.text(group, "model");
    const std::string hash = log.text(group, "model_hash");
    std::from_chars(hash.data(), hash.data() + hash.size(), body.model_hash, 16);
    body.first_coordinate = count_of(log, group, "first_coordinate");
    body.coordinate_count = count_of(log, group, "coordinate_count");
    body.held = log.number(group, "held") != 0.0;
    bodies.push_back(std::move(body));
  }
  return bodies;
}

std::vector<std::uint32_t> numbers_in(const std::string& text) {
  std::vector<std::uint32_t> numbers;
  std::istringstream words(text);
  for (std::uint32_t number = 0; words >> number;) numbers.push_back(number);
  return numbers;
}

StateLayout read_blocks(const Hdf5Input& log) {
  std::vector<StateBlock> blocks;
  for (const std::string& group : numbered_groups(log, "/blocks")) {
    blocks.push_back({log.text(group, "name"), log.text(group, "unit"),
                      log.text(group, "description"), numbers_in(log.text(group, "shape")),
                      static_cast<StateDisplay>(number_between(log, group, "display", 0.0, 255.0)),
                      static_cast<StateRate>(number_between(log, group, "rate", 0.0, 255.0)),
                      log.has_attribute(group, "measured")});
  }
  try {
    return StateLayout(std::move(blocks));
  } catch (const InputError& error) {
    throw InputError(log.path().string(), "", error.what());
  }
}

std::uint64_t size_of(const StateLayout& state, std::string_view block) {
  const std::optional<std::size_t> found = state.find(block);
  return found ? state.blocks()[*found].size() : 0;
}

/// Refuses bodies whose pose or coordinates the state does not have.
void check_bodies(const Hdf5Input& log, const LogDescription& description) {
  const StateLayout& state = description.state;
  const std::uint64_t coordinates = size_of(state, StateLayout::kBodyCoordinates);
  const std::uint64_t poses = size_of(state, StateLayout::kBodyPoses) / 7;
  if (state.find(StateLayout::kBodyPoses) && poses != description.bodies.size()) {
    throw InputError(log.path().string(), "/bodies",
                     fmt::format("{} bodies and {} poses", description.bodies.size(), poses),
                     "one pose for each body");
  }
  for (const LogBody& body : description.bodies) {
    const std::uint64_t end = std::uint64_t{body.first_coordinate} + body.coordinate_count;
    if (end <= coordinates) continue;
    throw InputError(log.path().string(), "/bodies",
                     fmt::format("{}: coordinates {} to {} of {}", body.name, body.first_coordinate,
                                 end, coordinates),
                     "coordinates of the scene");
  }
}

/// Refuses a log that lacks a group which a log of its source has: data of it would be missing
/// without a word.
void demand_groups(const Hdf5Input& log, const LogDescription& description) {
  const auto demand = [&](const char* group) {
    if (!log.has(group)) {
      throw InputError(log.path().string(), group, "no such group", "one in a log of hapticd");
    }
    static_cast<void>(log.entries(group));  // refuses a damaged one
  };
  const bool is_of_daemon = description.source == "hapticd";
  if (!is_of_daemon && !description.timing) return;
  for (const char* group : {"/timing", "/events", "/gaps"}) demand(group);
  if (!is_of_daemon) return;
  for (const char* group : {"/session", "/parameters"}) demand(group);
}

}  // namespace

void write_description(hid_t file, const LogDescription& description) {
  write_attribute(file, "format", std::string("hapticd log 2"));
  write_attribute(file, "source", description.source);
  write_attribute(file, "scene", description.scene_path);
  write_attribute(file, "rate_hz", description.rate_hz);
  write_attribute(file, "length_scale", description.length_scale);
  if (description.device_stiffness_N_m) {
    write_attribute(file, "device_stiffness_N_m", *description.device_stiffness_N_m);
  }
  const Hdf5Handle bodies = make_hdf5_group(file, "/bodies");
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    const LogBody& body = description.bodies[b];
    const Hdf5Handle group = make_hdf5_group(file, fmt::format("/bodies/{}", b));
    write_attribute(group.get(), "name", body.name);
    write_attribute(group.get(), "model", body.model_path);
    write_attribute(group.get(), "model_hash", fmt::format("{:016x}", body.model_hash));
    write_attribute(group.get(), "first_coordinate", body.first_coordinate);
    write_attribute(group.get(), "coordinate_count", body.coordinate_count);
    write_attribute(group.get(), "held", body.held ? 1.0 : 0.0);
  }
  describe_blocks(file, description.state);
  if (description.session) write_session(file, *description.session);
}

LogDescription read_description(const Hdf5Input& log) {
  constexpr double kMinRate_Hz = 1e-3, kMaxRate_Hz = 1e9, kMax = 1e300;
  LogDescription description;
  description.source = log.text("/", "source");
  description.scene_path = log.text("/", "scene");
  description.rate_hz = number_between(log, "/", "rate_hz", kMinRate_Hz, kMaxRate_Hz);
  description.length_scale = number_between(log, "/", "length_scale", -kMax, kMax);
  if (log.has_attribute("/", "device_stiffness_N_m")) {
    description.device_stiffness_N_m =
        number_between(log, "/", "device_stiffness_N_m", 0.0, INFINITY);
  }
  description.timing = log.has("/timing");
  demand_groups(log, description);
  description.bodies = read_bodies(log);
  description.state = read_blocks(log);
  check_bodies(log, description);
  return description;
}

}  // namespace haptic
