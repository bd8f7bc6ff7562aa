// Commands to a running daemon. The interpreter runs on while a command waits for its answer.
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "host/monitor/refusal.h"
#include "host/python/record_types.h"
#include "shared/error.h"
#include "shared/ipc/command_client.h"
#include "shared/ipc/run_folder.h"
#include "shared/printable.h"

namespace haptic {
namespace py = pybind11;
namespace {

[[noreturn]] void raise(const char* type, const std::string& text) {
  PyErr_SetString(py::module_::import("hapticd.errors").attr(type).ptr(), printable(text).c_str());
  throw py::error_already_set();
}

CommandKind kind_of(const std::string& command) {
  for (const CommandKind kind : {CommandKind::kEngage, CommandKind::kRelease, CommandKind::kStop,
                                 CommandKind::kReset, CommandKind::kHome, CommandKind::kTakeover}) {
    if (command == name(kind)) return kind;
  }
  throw InputError("command", command, "found no such command",
                   "engage, release, stop, reset, home or takeover");
}

/// Runs `exchange` without the interpreter's lock. @returns the cycle that executed the command
template <class Exchange>
std::uint64_t applied(const std::string& daemon_name, const std::string& what,
                      const std::string& key, Exchange exchange) {
  check_daemon_name(daemon_name);
  CommandReply reply;
  std::string why;
  bool answered = false;
  try {
    const py::gil_scoped_release unlocked;
    reply = exchange(answered);
    if (reply.answer != CommandAnswer::kApplied) why = refusal(daemon_name, key, reply);
  } catch (const OperationError& error) {
    raise(answered ? "OperationError" : "NoDaemon", error.what());
  }
  if (reply.answer != CommandAnswer::kApplied) {
    raise("Refused", fmt::format("{}: refused: {}", what, why));
  }
  return reply.cycle;
}

/// A connection; `connected` is set once the daemon has greeted.
CommandClient connect(const std::string& daemon_name, bool& connected) {
  CommandClient client(daemon_name);
  connected = true;
  return client;
}

std::uint64_t send(const std::string& daemon_name, const std::string& command, int timeout_ms) {
  const CommandKind kind = kind_of(command);
  return applied(daemon_name, command, {}, [&](bool& connected) {
    if (kind == CommandKind::kStop) return stop_daemon(daemon_name, timeout_ms);
    return connect(daemon_name, connected).send(kind, {}, 0.0, timeout_ms);
  });
}

std::uint64_t set(const std::string& daemon_name, const std::string& key, double value,
                  int timeout_ms) {
  return applied(daemon_name, fmt::format("set {} {:g}", key, value), key, [&](bool& connected) {
    return connect(daemon_name, connected).send(CommandKind::kSet, key, value, timeout_ms);
  });
}

std::uint64_t load(const std::string& daemon_name, const std::filesystem::path& scene,
                   int timeout_ms) {
  const std::string path = std::filesystem::absolute(scene).lexically_normal().string();
  return applied(daemon_name, "load " + path, {}, [&](bool& connected) {
    return connect(daemon_name, connected).load(path, timeout_ms);
  });
}

std::uint64_t pull(const std::string& daemon_name, const std::string& body,
                   const std::array<double, 3>& point, const std::array<double, 3>& target,
                   bool is_relative, double stiffness, double limit, int timeout_ms) {
  PullRequest request{};
  if (!body.empty()) {
    std::ranges::copy(point, request.point);
    std::ranges::copy(target, request.target);
    request.stiffness = stiffness;
    request.limit = limit;
    request.is_relative = is_relative ? 1.0 : 0.0;
  }
  return applied(daemon_name, body.empty() ? "pull" : "pull " + body, body, [&](bool& connected) {
    return connect(daemon_name, connected).pull(body, request, timeout_ms);
  });
}

std::uint64_t mark(const std::string& daemon_name, const std::string& text, int timeout_ms) {
  return applied(daemon_name, fmt::format("mark \"{}\"", text), {}, [&](bool& connected) {
    return connect(daemon_name, connected).mark(text, timeout_ms);
  });
}

}  // namespace

void bind_commands(py::module_& module) {
  module.def("send", &send, py::arg("name"), py::arg("command"), py::arg("timeout_ms"));
  module.def("set", &set, py::arg("name"), py::arg("key"), py::arg("value"), py::arg("timeout_ms"));
  module.def("load", &load, py::arg("name"), py::arg("scene"), py::arg("timeout_ms"));
  module.def("mark", &mark, py::arg("name"), py::arg("text"), py::arg("timeout_ms"));
  module.def("pull", &pull, py::arg("name"), py::arg("body"), py::arg("point"), py::arg("target"),
             py::arg("is_relative"), py::arg("stiffness"), py::arg("limit"), py::arg("timeout_ms"));
}

}  // namespace haptic
