#pragma once

#include <gtest/gtest.h>

#include <string>

#include "shared/error.h"

namespace haptic {

/// Message with which `load` refuses its scene file; empty if it does not.
template <class Load>
std::string scene_refusal(Load load) {
  try {
    load();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// `load` is refused in one line that names scene.toml and contains `part`.
template <class Load>
void expect_scene_refusal(Load load, const std::string& part) {
  const std::string message = scene_refusal(load);
  EXPECT_NE(message.find(part), std::string::npos) << "message: " << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_NE(message.find("scene.toml:"), std::string::npos) << message;
}

}  // namespace haptic
