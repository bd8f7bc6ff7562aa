#include "host/haply/haply_messages.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace haptic {
namespace {

using Json = nlohmann::json;

/// Thrown and caught in this file.
struct Wrong {
  std::string what;
};

const Json& member(const Json& object, const char* key, std::string_view path) {
  if (!object.is_object()) throw Wrong{fmt::format("{}: found no object", path)};
  const auto found = object.find(key);
  if (found == object.end()) throw Wrong{fmt::format("{}.{}: missing", path, key)};
  return *found;
}

double number(const Json& object, const char* key, const std::string& path) {
  const Json& value = member(object, key, path);
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    throw Wrong{path + "." + key + ": found no number"};
  }
  return value.get<double>();
}

bool truth(const Json& object, const char* key, const std::string& path) {
  const Json& value = member(object, key, path);
  if (!value.is_boolean()) throw Wrong{path + "." + key + ": found neither true nor false"};
  return value.get<bool>();
}

// A turn by -90 degrees about x.
Vector3 from_service(const Vector3& v) {
  return {v.x(), v.z(), -v.y()};
}

Vector3 vector(const Json& object, const char* key, const std::string& path) {
  const Json& value = member(object, key, path);
  const std::string below = path + "." + key;
  return from_service(
      {number(value, "x", below), number(value, "y", below), number(value, "z", below)});
}

const Json* first_device(const Json& root, const char* kind, std::string_view wanted) {
  const auto list = root.find(kind);
  if (list == root.end() || list->is_null()) return nullptr;
  if (!list->is_array()) throw Wrong{std::string(kind) + ": found no list"};
  for (const Json& device : *list) {
    const Json& id = member(device, "device_id", kind);
    if (!id.is_string()) throw Wrong{std::string(kind) + ".device_id: found no text"};
    if (wanted.empty() || id.get_ref<const std::string&>() == wanted) return &device;
  }
  return nullptr;
}

void read_grip(const Json& root, HaplyState& state) {
  std::string path = "wireless_verse_grip";
  const Json* grip = first_device(root, path.c_str(), {});
  const bool wireless = grip != nullptr;
  if (!wireless) {
    path = "verse_grip";
    grip = first_device(root, path.c_str(), {});
  }
  if (grip == nullptr) return;
  const Json& s = member(*grip, "state", path);
  path += ".state";
  const Json& q = member(s, "orientation", path);
  const std::string below = path + ".orientation";
  const Vector3 axis =
      from_service({number(q, "x", below), number(q, "y", below), number(q, "z", below)});
  const Quaternion found(number(q, "w", below), axis.x(), axis.y(), axis.z());
  // The service sends values of 14 bits.
  if (std::abs(found.norm() - 1.0) > 0.01) throw Wrong{below + ": not a unit quaternion"};
  state.orientation = found.normalized();
  state.has_grip = true;
  state.buttons = 0;
  if (!wireless) {
    state.buttons = truth(s, "button", path) ? 1 : 0;
    return;
  }
  const Json& buttons = member(s, "buttons", path);
  const char* const names[] = {"a", "b", "c"};
  for (unsigned i = 0; i < 3; ++i) {
    if (truth(buttons, names[i], path + ".buttons")) state.buttons |= std::uint64_t{1} << i;
  }
}

}  // namespace

std::string read_haply_state(std::string_view text, std::string_view wanted, HaplyState& state) {
  const Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded()) return "found no JSON";
  if (!root.is_object()) return "found no object";
  try {
    HaplyState read;
    const Json* device = first_device(root, "inverse3", wanted);
    if (device == nullptr) {
      return wanted.empty() ? "inverse3: no device is connected"
                            : "inverse3: no device \"" + std::string(wanted) + "\" is connected";
    }
    read.device_id = device->at("device_id").get<std::string>();
    const Json& s = member(*device, "state", "inverse3");
    read.position = vector(s, "cursor_position", "inverse3.state");
    read.velocity = vector(s, "cursor_velocity", "inverse3.state");
    read_grip(root, read);
    state = std::move(read);
  } catch (const Wrong& wrong) {
    return wrong.what;
  }
  return {};
}

std::string haply_force_message(const std::string& device_id, const Vector3& force,
                                HaplyForceKey key, std::string_view session) {
  Json device;
  device["device_id"] = device_id;
  device["commands"]["set_cursor_force"][key == HaplyForceKey::kVector ? "vector" : "values"] = {
      {"x", force.x()}, {"y", -force.z()}, {"z", force.y()}};
  Json message;
  message["inverse3"].push_back(std::move(device));
  if (!session.empty()) message["session"]["configure"]["profile"]["name"] = session;
  return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace haptic
