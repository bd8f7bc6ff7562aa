#include "host/cli/new_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "host/files/output_path.h"
#include "host/files/replace_file.h"
#include "shared/assert.h"
#include "shared/error.h"
#include "shared/printable.h"
#include "templates.h"

namespace haptic {
namespace {

std::string_view template_text(const std::string& file) {
  const auto* const found = std::ranges::find(kTemplates, file, &Template::name);
  HAPTIC_DEMAND(found != kTemplates.end());
  return found->text;
}

/// To standard output without a file; an existing file is never replaced.
void write(const std::string& file, const std::filesystem::path& output) {
  const std::string_view text = template_text(file);
  if (output.empty()) {
    std::cout << text;
    return;
  }
  check_output(output);
  std::error_code ignored;
  if (std::filesystem::exists(output, ignored)) {
    throw InputError(output.string(), "", "the file exists", "a new file");
  }
  replace_file(output, {text});
  fmt::print("{}\n", printable(output.string()));
}

void add_kind(CLI::App& command, const char* what, const char* description, const char* ending,
              const std::vector<std::string>& kinds) {
  struct Options {
    std::string kind;
    std::filesystem::path output;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* one = command.add_subcommand(what, description);
  one->add_option("-o,--output", options->output, "file to write; default: standard output");
  if (!kinds.empty()) {
    options->kind = kinds.front();
    one->add_option("--kind", options->kind, "kind of body or world")
        ->check(CLI::IsMember(kinds))
        ->capture_default_str();
  }
  const std::string name = what;
  one->callback([options, name, ending] {
    write(options->kind.empty() ? name + ending : name + "_" + options->kind + ending,
          options->output);
  });
}

}  // namespace

void add_new_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("new", "Write a commented recipe, scene or hand script to begin with");
  command->require_subcommand(1);
  add_kind(*command, "recipe", "Recipe of a model, for bake", ".toml",
           {"solids", "rigid", "condensed", "cloth"});
  add_kind(*command, "scene", "Scene with the model part.h5 and a simulated hand", ".toml",
           {"solids", "condensed", "cloth"});
  add_kind(*command, "hand", "Hand script that presses, strokes and leaves", ".csv", {});
}

}  // namespace haptic
