#include "host/haply/haply_messages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace haptic {
namespace {

using Json = nlohmann::json;

// An update as the documentation of the Inverse SDK 3.5 shows it, shortened.
Json documented() {
  return Json::parse(R"({"session_id": 7,
    "inverse3": [{"device_id": "049D",
      "state": {"cursor_position": {"x": 0.01, "y": -0.12, "z": 0.15},
                "cursor_velocity": {"x": 0.1, "y": 0.2, "z": -0.3}, "control_mode": "idle"},
      "status": {"ready": true}}],
    "wireless_verse_grip": [{"device_id": "61548",
      "state": {"orientation": {"w": 0.6, "x": 0.8, "y": 0.0, "z": 0.0},
                "buttons": {"a": true, "b": false, "c": true}, "hall": 0}}]})");
}

std::string refusal(const Json& message, std::string_view wanted = {}) {
  HaplyState state;
  return read_haply_state(message.dump(), wanted, state);
}

TEST(HaplyMessages, a_documented_state_is_read_in_our_axes) {
  HaplyState s;
  ASSERT_EQ(read_haply_state(documented().dump(), {}, s), "");
  EXPECT_EQ(s.device_id, "049D");
  EXPECT_EQ(s.position, Vector3(0.01, 0.15, 0.12));
  EXPECT_EQ(s.velocity, Vector3(0.1, -0.3, -0.2));
  EXPECT_TRUE(s.has_grip);
  EXPECT_DOUBLE_EQ(s.orientation.x(), 0.8);
  EXPECT_EQ(s.buttons, 5u);
}

// Turning a vector in the service's axes and changing axes is the same in either order.
TEST(HaplyMessages, orientation_and_vectors_change_axes_alike) {
  Json m = documented();
  m["wireless_verse_grip"][0]["state"]["orientation"] = {
      {"w", 0.5}, {"x", 0.5}, {"y", -0.5}, {"z", 0.5}};
  HaplyState s;
  ASSERT_EQ(read_haply_state(m.dump(), {}, s), "");
  const Vector3 v{0.3, -0.2, 0.9};
  const Vector3 turned = rotated(Quaternion(0.5, 0.5, -0.5, 0.5), v);
  const Vector3 ours = rotated(s.orientation, {v.x(), v.z(), -v.y()});
  EXPECT_NEAR((ours - Vector3(turned.x(), turned.z(), -turned.y())).norm(), 0.0, 1e-15);
}

TEST(HaplyMessages, a_wired_grip_has_one_button_and_none_is_no_error) {
  Json m = documented();
  m["verse_grip"] = m["wireless_verse_grip"];
  m.erase("wireless_verse_grip");
  m["verse_grip"][0]["state"] = {{"orientation", {{"w", 1}, {"x", 0}, {"y", 0}, {"z", 0}}},
                                 {"button", true}};
  HaplyState s;
  ASSERT_EQ(read_haply_state(m.dump(), {}, s), "");
  EXPECT_EQ(s.buttons, 1u);
  m.erase("verse_grip");
  ASSERT_EQ(read_haply_state(m.dump(), {}, s), "");
  EXPECT_FALSE(s.has_grip);
}

TEST(HaplyMessages, the_device_is_chosen_by_its_id) {
  Json m = documented();
  m["inverse3"].push_back(m["inverse3"][0]);
  m["inverse3"][1]["device_id"] = "04BA";
  m["inverse3"][1]["state"]["cursor_position"]["x"] = 0.07;
  HaplyState s;
  ASSERT_EQ(read_haply_state(m.dump(), "04BA", s), "");
  EXPECT_EQ(s.position.x(), 0.07);
  EXPECT_NE(refusal(m, "FFFF").find("\"FFFF\""), std::string::npos);
}

TEST(HaplyMessages, what_is_wrong_is_named_and_changes_nothing) {
  HaplyState s;
  s.position = {9, 9, 9};
  for (const char* text : {"", "{", "[]", "null", "\"x\"", "\xff\xfe", "{\"inverse3\": []}"}) {
    EXPECT_NE(read_haply_state(text, {}, s), "") << text;
  }
  EXPECT_EQ(s.position.x(), 9.0);
  const auto spoil = [](const char* pointer, const Json& value) {
    Json m = documented();
    m[Json::json_pointer(pointer)] = value;
    return refusal(m);
  };
  EXPECT_EQ(spoil("/inverse3/0/state/cursor_position/y", "near"),
            "inverse3.state.cursor_position.y: found no number");
  EXPECT_EQ(spoil("/inverse3/0/state/cursor_velocity", 3),
            "inverse3.state.cursor_velocity: found no object");
  EXPECT_EQ(spoil("/inverse3", "none"), "inverse3: found no list");
  EXPECT_EQ(spoil("/inverse3/0", 1), "inverse3: found no object");
  EXPECT_EQ(spoil("/inverse3/0/device_id", 49), "inverse3.device_id: found no text");
  EXPECT_EQ(spoil("/wireless_verse_grip/0/state/orientation/w", 3.0),
            "wireless_verse_grip.state.orientation: not a unit quaternion");
  EXPECT_EQ(spoil("/wireless_verse_grip/0/state/buttons/b", 1),
            "wireless_verse_grip.state.buttons.b: found neither true nor false");
  // A number that no double holds is an infinity, or no JSON: never a value.
  EXPECT_NE(read_haply_state(R"({"inverse3": [{"device_id": "1", "state": {"cursor_position":
      {"x": 1e999, "y": 0, "z": 0}, "cursor_velocity": {"x": 0, "y": 0, "z": 0}}}]})",
                             {}, s),
            "");
}

TEST(HaplyMessages, a_force_is_sent_in_the_services_axes) {
  const Json m = Json::parse(haply_force_message("049D", {1.0, 2.0, 3.0}, HaplyForceKey::kValues));
  const Json& device = m.at("inverse3").at(0);
  EXPECT_EQ(device.at("device_id"), "049D");
  const Json& values = device.at("commands").at("set_cursor_force").at("values");
  EXPECT_EQ(values, Json({{"x", 1.0}, {"y", -3.0}, {"z", 2.0}}));
  EXPECT_FALSE(m.contains("session"));
  const Json first =
      Json::parse(haply_force_message("049D", {0, 0, 0}, HaplyForceKey::kVector, "hapticd:test"));
  EXPECT_TRUE(first.at("inverse3").at(0).at("commands").at("set_cursor_force").contains("vector"));
  EXPECT_EQ(first.at("session").at("configure").at("profile").at("name"), "hapticd:test");
}

}  // namespace
}  // namespace haptic
