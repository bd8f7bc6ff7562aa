#include "host/cli/load_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "host/cli/daemon_owner.h"
#include "shared/error.h"
#include "shared/ipc/command_client.h"
#include "shared/printable.h"

namespace haptic {
namespace {

constexpr int kPatience_ms = 120'000;  // models of gigabytes are read and checked

void load(const std::string& daemon_name, const std::filesystem::path& scene) {
  const std::string path = std::filesystem::absolute(scene).lexically_normal().string();
  CommandClient client(daemon_name);
  const CommandReply reply = client.load(path, kPatience_ms);
  const std::string owner = owner_note(daemon_name, client.folder());
  if (reply.answer == CommandAnswer::kApplied) {
    fmt::print("load {}: applied{}\n", printable(path), owner);
    return;
  }
  const std::string why =
      reply.text[0] != '\0' ? std::string(reply.text) : std::string(reason(reply.answer));
  const std::string line = fmt::format("load: refused: {}{}", why, owner);
  if (reply.answer == CommandAnswer::kSceneRefused) throw InputError("", "", line);
  throw OperationError(line);
}

}  // namespace

void add_load_command(CLI::App& app) {
  struct Options {
    std::string name = "hapticd";
    std::filesystem::path scene;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "load", "Change the scene: ramp the force out, change, ramp it in; the loop keeps running");
  command
      ->add_option("SCENE", options->scene,
                   "scene file (TOML) for the same device and servo rate; the daemon opens it and "
                   "its models, with the daemon's rights")
      ->required();
  command->add_option("--name", options->name, "name of the daemon")->capture_default_str();
  command->callback([options] { load(options->name, options->scene); });
}

}  // namespace haptic
