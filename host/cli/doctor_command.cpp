#include "host/cli/doctor_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/doctor/examination.h"
#include "host/files/json_text.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

nlohmann::json as_json(const std::vector<Finding>& findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"check", finding.check},
                    {"verdict", name(finding.verdict)},
                    {"found", finding.found},
                    {"fix", finding.fix}});
  }
  return {{"fit", is_fit(findings)}, {"findings", list}};
}

std::string as_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{:<7} {:<17} {}\n", name(finding.verdict), finding.check,
                        printable(finding.found));
    if (!finding.fix.empty()) text += fmt::format("{:25} -> {}\n", "", printable(finding.fix));
  }
  return text;
}

void examine_machine(const std::string& root, bool json) {
  if (!std::filesystem::is_directory(root)) {
    throw InputError("--root", "", "found " + root, "a folder");
  }
  const std::vector<Finding> findings = examine(MachineTree(root));
  if (json) {
    std::cout << json_text(as_json(findings)) << "\n";
  } else {
    std::cout << as_text(findings);
  }
  std::string unfit;
  for (const Finding& finding : findings) {
    if (finding.verdict != Verdict::kUnfit) continue;
    unfit += (unfit.empty() ? "" : ", ") + std::string(finding.check);
  }
  if (!unfit.empty()) throw OperationError("this machine is not fit: " + unfit);
}

}  // namespace

void add_doctor_command(CLI::App& app) {
  struct Options {
    std::string root = "/";
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("doctor", "Check whether this machine is fit for a real-time loop");
  command
      ->add_option("--root", options->root,
                   "examine the system below this folder instead of this machine")
      ->capture_default_str();
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->callback([options] { examine_machine(options->root, options->json); });
}

}  // namespace haptic
