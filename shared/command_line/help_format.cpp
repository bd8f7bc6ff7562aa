#include "shared/command_line/help_format.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>
#include <string_view>

#include "shared/command_line/option_words.h"
#include "shared/config/toml_reader.h"

namespace haptic {
namespace {

constexpr std::size_t kColumn = 24;  // of what a name means
constexpr std::size_t kWidth = 79;

/// "  NAME    TEXT", the text in as many lines as it needs.
std::string entry(const std::string& name, const std::string& text) {
  std::string out = fmt::format("  {:<{}}", name, kColumn - 2);
  std::size_t column = out.size();
  if (column > kColumn || (column == kColumn && out.back() != ' ')) {
    out += fmt::format("\n{:{}}", "", kColumn);
    column = kColumn;
  }
  std::istringstream words(text);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && column + 1 + word.size() > kWidth) {
      out += fmt::format("\n{:{}}", "", kColumn);
      column = kColumn;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

class HelpFormat : public CLI::Formatter {
 public:
  explicit HelpFormat(std::vector<std::string> groups) : groups_(std::move(groups)) {
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    if (is_positional) {
      return entry(make_option_name(option, true),
                   describe(*option) + (option->get_required() ? "" : " (optional)"));
    }
    std::string name = fmt::format("{}", fmt::join(spellings(*option), ", "));
    if (takes_value(*option)) name += " " + value_name(*option);
    return entry(name, describe(*option));
  }

  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    return is_positional ? option->get_name(true, false)
                         : fmt::format("{}", fmt::join(spellings(*option), ", "));
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_name(), command->get_description());
  }

  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override {
    if (groups_.empty() || app->get_parent() != nullptr) {
      return CLI::Formatter::make_subcommands(app, mode);
    }
    std::string text;
    for (const std::string& group : groups_) {
      const auto commands =
          app->get_subcommands([&](const CLI::App* c) { return c->get_group() == group; });
      if (commands.empty()) continue;
      text += fmt::format("\n{}:\n", group);
      for (const CLI::App* command : commands) text += make_subcommand(command);
    }
    return text;
  }

  std::string make_footer(const CLI::App* app) const override {
    return app->get_footer().empty() ? "" : app->get_footer() + "\n";
  }

 private:
  std::vector<std::string> groups_;
};

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string_view near = nearest_word(word, known);
  return near.empty() ? std::string() : fmt::format(" (did you mean {}?)", near);
}

/// "haptic probe force".
std::string path_of(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return (parent == nullptr ? "" : path_of(*parent) + " ") + command.get_name();
}

/// First option of the words after the command that it does not have.
std::string unknown_option(const CLI::App& command, int argc, const char* const* argv, int first) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string> own = spellings(*option);
    known.insert(known.end(), own.begin(), own.end());
  }
  for (int i = first; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::find(known, name) != known.end()) continue;
    return fmt::format("found no option {}{}; see {} --help", name, suggestion(name, known),
                       path_of(command));
  }
  return "";
}

}  // namespace

void set_help_format(CLI::App& app, std::vector<std::string> groups) {
  app.formatter(std::make_shared<HelpFormat>(std::move(groups)));
}

std::string unknown_word(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* command = &app;
  int i = 1;
  for (; i < argc; ++i) {
    std::vector<std::string> known;
    const CLI::App* next = nullptr;
    for (const CLI::App* below : command->get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(below->get_name());
      if (below->get_name() == argv[i]) next = below;
    }
    if (known.empty() || argv[i][0] == '-') break;
    if (next == nullptr) {
      return fmt::format("found no command {}{}; see {} --help", argv[i],
                         suggestion(argv[i], known), path_of(*command));
    }
    command = next;
  }
  return command->get_prefix_command() ? "" : unknown_option(*command, argc, argv, i);
}

}  // namespace haptic
