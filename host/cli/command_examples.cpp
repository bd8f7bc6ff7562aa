#include "host/cli/command_examples.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace haptic {
namespace {

constexpr std::string_view kStart = "Begin";
constexpr std::string_view kModels = "Make and check models";
constexpr std::string_view kOffline = "Simulate, and look at logs";
constexpr std::string_view kWatch = "Watch and record a running daemon";
constexpr std::string_view kOperate = "Operate a running daemon";
constexpr std::string_view kMachine = "Machine and devices";
constexpr std::string_view kOther = "Other commands";

struct CommandExamples {
  std::string_view name;
  std::string_view group;
  std::string_view lines;  ///< without "haptic "
};

constexpr std::array kExamples = {
    CommandExamples{"new", kStart,
                    "new recipe -o part.toml\n"
                    "new scene --kind cloth -o scene.toml\n"
                    "new hand -o hand.csv"},
    CommandExamples{"explain", kStart,
                    "explain stiffness\n"
                    "explain contact.stiffness\n"
                    "explain recipe"},
    CommandExamples{"mesh", kModels,
                    "mesh --list\n"
                    "mesh spoon -o spoon.obj"},
    CommandExamples{"bake", kModels, "bake spoon.toml -o spoon.h5"},
    CommandExamples{"inspect", kModels,
                    "inspect spoon.h5\n"
                    "inspect part.stl"},
    CommandExamples{"verify", kModels, "verify spoon.h5"},
    CommandExamples{"convert", kModels,
                    "convert beam.veg --bou beam.bou --basis beam.U -o beam.h5\n"
                    "convert spoon.h5 --vega spoon_vega"},
    CommandExamples{"sketch", kModels, "sketch spoon.h5 --trajectory hand.csv -o loads.toml"},
    CommandExamples{"probe", kModels,
                    "probe force spoon.h5 --state state.json\n"
                    "probe contact scene.toml --state state.json --brute-force"},
    CommandExamples{"simulate", kOffline,
                    "simulate scene.toml -o log.h5\n"
                    "simulate scene.toml --trajectory hand.csv --seconds 5 -o log.h5\n"
                    "simulate spoon.h5 --loads loads.toml -o run.h5"},
    CommandExamples{"replay", kOffline, "replay log.h5"},
    CommandExamples{"plot", kOffline, "plot log.h5 -o forces.png --from 2 --until 4"},
    CommandExamples{"diff", kOffline, "diff first.h5 second.h5"},
    CommandExamples{"report", kOffline, "report log.h5 -o report.html"},
    CommandExamples{"export", kOffline,
                    "export log.h5 -o log.csv\n"
                    "export log.h5 -o log.pvd --fps 30"},
    CommandExamples{"view", kOffline,
                    "view --png now.png\n"
                    "view --log log.h5 --at 3.5 --png then.png\n"
                    "view --log log.h5 --frames film --fps 30"},
    CommandExamples{"status", kWatch,
                    "status\n"
                    "status --json"},
    CommandExamples{"top", kWatch, "top"},
    CommandExamples{"record", kWatch, "record -o log.h5 --seconds 10"},
    CommandExamples{"trace", kWatch, "trace -o trace.json --cycles 4000"},
    CommandExamples{"metrics", kWatch,
                    "metrics -o /var/lib/prometheus/node-exporter/hapticd.prom --every 10\n"
                    "metrics --listen 127.0.0.1:9431"},
    CommandExamples{"mark", kWatch, "mark \"trial 3\""},
    CommandExamples{"engage", kOperate, "engage"},
    CommandExamples{"release", kOperate, "release"},
    CommandExamples{"stop", kOperate, "stop"},
    CommandExamples{"reset", kOperate, "reset"},
    CommandExamples{"home", kOperate, "home"},
    CommandExamples{"takeover", kOperate, "takeover"},
    CommandExamples{"set", kOperate, "set coupling.stiffness 300"},
    CommandExamples{"keys", kOperate, "keys a/d=boom.target left/right=cab.target@0.3 --speed 0.5"},
    CommandExamples{"pull", kOperate,
                    "pull cube 0.02 0.02 0.02 --by 0 0.05 0\n"
                    "pull"},
    CommandExamples{"load", kOperate, "load other.toml"},
    CommandExamples{"doctor", kMachine, "doctor"},
    CommandExamples{"devices", kMachine, "devices"},
    CommandExamples{"calibrate", kMachine, "calibrate phantom"},
};

std::string footer(std::string_view lines) {
  std::string text = "Examples:";
  std::istringstream all{std::string(lines)};
  for (std::string line; std::getline(all, line);) text += "\n  haptic " + line;
  return text;
}

constexpr std::string_view kProgramExamples =
    "Examples:\n"
    "  haptic mesh spoon -o spoon.obj && haptic bake spoon.toml -o spoon.h5\n"
    "  haptic simulate scene.toml -o log.h5 && haptic plot log.h5 -o forces.png\n"
    "  haptic status                   # the daemon that runs here\n"
    "\n"
    "`haptic COMMAND --help` describes a command, its options and examples.";

}  // namespace

std::vector<std::string> command_groups() {
  std::vector<std::string> groups;
  for (const std::string_view group :
       {kStart, kModels, kOffline, kWatch, kOperate, kMachine, kOther}) {
    groups.emplace_back(group);
  }
  return groups;
}

void add_examples(CLI::App& app) {
  app.footer(std::string(kProgramExamples));
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const auto* const row = std::ranges::find(kExamples, command->get_name(),
                                              [](const CommandExamples& e) { return e.name; });
    if (row == kExamples.end()) {
      command->group(std::string(kOther));
      continue;
    }
    command->group(std::string(row->group));
    command->footer(footer(row->lines));
  }
}

}  // namespace haptic
