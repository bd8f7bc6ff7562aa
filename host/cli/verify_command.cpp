#include "host/cli/verify_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/artifact/body_lines.h"
#include "host/bake/verify.h"
#include "host/bake/verify_physics.h"
#include "host/cli/helper_commands.h"
#include "host/files/json_text.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

nlohmann::json to_json(const std::filesystem::path& file,
                       const std::vector<VerifiedFigure>& figures, bool passes) {
  nlohmann::json list = nlohmann::json::array();
  for (const VerifiedFigure& figure : figures) {
    list.push_back({{"name", figure.name},
                    {"value", figure.value},
                    {"limit", figure.limit},
                    {"unit", figure.unit},
                    {"passes", figure.passes()},
                    {"what", figure.what}});
  }
  return {{"file", file.string()}, {"passes", passes}, {"figures", list}};
}

}  // namespace

void add_verify_command(CLI::App& app) {
  struct Options {
    std::filesystem::path model;
    bool json = false, physics = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_helper_command(app, "verify");
  command->add_option("MODEL.h5", options->model, "model file")->required();
  command->add_flag(
      "--physics", options->physics,
      "also compare mass and inertia with the surface's, first frequency and stiffness "
      "with those of elements of half the size");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->callback([options] {
    const std::vector<VerifiedFigure> figures = [&] {
      ProgressLine line(options->json ? nullptr : stderr, "verify " + options->model.string());
      const double share = options->physics ? 0.5 : 1.0;
      auto all = verify_model(options->model, part_of(line.progress(), 0.0, share));
      if (options->physics) {
        std::ranges::move(verify_physics(options->model, part_of(line.progress(), share, 1.0)),
                          std::back_inserter(all));
      }
      return all;
    }();
    if (!options->json) {
      for (const std::string& line : body_lines(read_model_attributes(options->model))) {
        fmt::print("      {}\n", printable(line));
      }
    }
    std::string failed;
    for (const VerifiedFigure& figure : figures) {
      if (!figure.passes()) failed += (failed.empty() ? "" : ", ") + figure.name;
      if (options->json) continue;
      fmt::print("{}  {:<24} {:>11.3e}  limit {:>9.2e} [{}]  {}\n",
                 figure.passes() ? "pass" : "FAIL", figure.name, figure.value, figure.limit,
                 figure.unit, printable(figure.what));
    }
    if (options->json) {
      std::cout << json_text(to_json(options->model, figures, failed.empty())) << std::endl;
    }
    std::fflush(stdout);
    if (!failed.empty()) {
      throw OperationError(fmt::format("{}: invalid: {}", options->model.string(), failed));
    }
  });
}

}  // namespace haptic
