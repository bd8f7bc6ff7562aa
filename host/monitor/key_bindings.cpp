#include "host/monitor/key_bindings.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr const char* kForm = "LESS/MORE=PARAMETER[@SPEED], such as left/right=boom.target@0.5";

Key read_key(const std::string& binding, std::string_view name) {
  const std::optional<Key> key = key_named(name);
  if (!key) {
    throw InputError("keys", binding, fmt::format("found the key \"{}\"", name),
                     "left, right, up, down, or one character of ASCII");
  }
  if (ends_control(*key)) {
    throw InputError("keys", binding,
                     fmt::format("found the key \"{}\", which ends the control", name),
                     "another key");
  }
  return *key;
}

double read_speed(const std::string& binding, const std::string& text) {
  char* end = nullptr;
  const double speed = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(speed > 0.0) || !std::isfinite(speed)) {
    throw InputError("keys", binding, fmt::format("found the speed \"{}\"", text),
                     "a number > 0, in the parameter's unit per second");
  }
  return speed;
}

KeyBinding read_binding(const std::string& text, std::optional<double> otherwise) {
  const std::size_t slash = text.find('/', 1), equals = text.find('=', slash + 2);
  if (slash == std::string::npos || equals == std::string::npos) {
    throw InputError("keys", text, "found no pair of keys with a parameter", kForm);
  }
  KeyBinding binding;
  binding.less = read_key(text, std::string_view(text).substr(0, slash));
  binding.more = read_key(text, std::string_view(text).substr(slash + 1, equals - slash - 1));
  binding.parameter = text.substr(equals + 1);
  const std::size_t at = binding.parameter.rfind('@');
  if (at != std::string::npos) {
    binding.speed = read_speed(text, binding.parameter.substr(at + 1));
    binding.parameter.resize(at);
  } else if (otherwise) {
    binding.speed = *otherwise;
  } else {
    throw InputError("keys", text, "found no speed", "--speed or PARAMETER@SPEED, per second");
  }
  if (binding.parameter.empty()) throw InputError("keys", text, "found no parameter", kForm);
  return binding;
}

}  // namespace

std::vector<KeyBinding> read_key_bindings(const std::vector<std::string>& texts,
                                          std::optional<double> speed) {
  std::vector<KeyBinding> bindings;
  std::set<std::pair<Key, std::string>> bound;
  for (const std::string& text : texts) {
    const KeyBinding binding = read_binding(text, speed);
    for (const Key key : {binding.less, binding.more}) {
      if (bound.emplace(key, binding.parameter).second) continue;
      throw InputError("keys", text,
                       fmt::format("found the key \"{}\" a second time", name_of(key)),
                       "every key of a parameter once");
    }
    bindings.push_back(binding);
  }
  return bindings;
}

}  // namespace haptic
