#include "host/cli/command_reference.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace haptic {
namespace {

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

bool is_positional(const CLI::Option& option) {
  return option.nonpositional() == false;
}

bool takes_value(const CLI::Option& option) {
  return option.get_expected_max() > 0;
}

/// Text of a help line in roff, with requests and escapes quoted.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\n') {
      out += ' ';
    } else {
      out += c;
    }
  }
  if (!out.empty() && (out[0] == '.' || out[0] == '\'')) out.insert(0, "\\&");
  return out;
}

/// Placeholder of an option's value, e.g. "UINT" of CLI11's "UINT:INT in [1 - 100]".
std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.empty() ? "VALUE" : type.substr(0, type.find(':'));
}

/// The values that a check accepts, in words; empty without a check.
std::string allowed(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':');
  if (colon == std::string::npos) return "";
  const std::size_t in = type.find(" in [", colon);
  return in == std::string::npos ? type.substr(colon + 1) : type.substr(in + 1);
}

std::string names(const CLI::Option& option) {
  if (is_positional(option)) return fmt::format("\\fI{}\\fR", plain(option.get_name(true)));
  std::string line;
  for (const std::string& name : option.get_snames()) {
    line += (line.empty() ? "" : ", ") + fmt::format("\\fB\\-{}\\fR", plain(name));
  }
  for (const std::string& name : option.get_lnames()) {
    line += (line.empty() ? "" : ", ") + fmt::format("\\fB\\-\\-{}\\fR", plain(name));
  }
  if (takes_value(option)) line += fmt::format(" \\fI{}\\fR", plain(value_name(option)));
  return line;
}

void append_command(const CLI::App& command, const std::string& path, std::string& page) {
  const std::vector<const CLI::App*> below = subcommands(command);
  if (below.empty()) {
    std::string usage = fmt::format("\\fBhaptic {}\\fR", plain(path));
    bool optional = false;
    for (const CLI::Option* option : command.get_options()) {
      if (is_positional(*option)) {
        usage += fmt::format(" \\fI{}\\fR", plain(option->get_name(true)));
      } else if (option->get_required()) {
        usage += " " + names(*option);
      } else if (option != command.get_help_ptr()) {
        optional = true;
      }
    }
    if (optional) usage += " [\\fIOPTIONS\\fR]";
    page +=
        fmt::format(".SS {}\n{}\n.PP\n{}.\n", plain(path), usage, plain(command.get_description()));
    for (const CLI::Option* option : command.get_options()) {
      if (option == command.get_help_ptr()) continue;  // described once in the text of the page
      page += fmt::format(".TP\n{}\n{}", names(*option), plain(option->get_description()));
      if (const std::string only = allowed(*option); !only.empty()) {
        page += fmt::format(" ({})", plain(only));
      }
      if (option->get_required()) page += " (required)";
      if (const std::string absent = option->get_default_str(); !absent.empty()) {
        page += fmt::format(" (default {})", plain(absent));
      }
      page += "\n";
    }
  }
  for (const CLI::App* next : below) append_command(*next, path + " " + next->get_name(), page);
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

void append_case(const CLI::App& command, const std::string& path, std::string& script) {
  std::vector<std::string> words, with_value;
  for (const CLI::App* next : subcommands(command)) words.push_back(next->get_name());
  for (const CLI::Option* option : command.get_options()) {
    if (is_positional(*option)) continue;
    std::vector<std::string> spelled;
    for (const std::string& name : option->get_snames()) spelled.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) spelled.push_back("--" + name);
    words.insert(words.end(), spelled.begin(), spelled.end());
    if (takes_value(*option)) with_value.insert(with_value.end(), spelled.begin(), spelled.end());
  }
  script += fmt::format("    \"{}\") words=\"{}\" with_value=\"{}\" ;;\n", path, joined(words),
                        joined(with_value));
  for (const CLI::App* next : subcommands(command)) {
    append_case(*next, path.empty() ? next->get_name() : path + " " + next->get_name(), script);
  }
}

void append_paths(const CLI::App& command, const std::string& path,
                  std::vector<std::string>& paths) {
  for (const CLI::App* next : subcommands(command)) {
    const std::string below = path.empty() ? next->get_name() : path + " " + next->get_name();
    paths.push_back(fmt::format("\"{}\"", below));
    append_paths(*next, below, paths);
  }
}

}  // namespace

std::string commands_manual(const CLI::App& app) {
  std::string page;
  for (const CLI::App* command : subcommands(app)) {
    append_command(*command, command->get_name(), page);
  }
  return page;
}

std::string bash_completion(const CLI::App& app) {
  std::vector<std::string> paths;
  append_paths(app, "", paths);
  std::string script = fmt::format(R"(# Completion of haptic(1) for bash.
_haptic() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command="" next word words with_value
  COMPREPLY=()
  # The command so far: the words before the cursor for as long as they name one.
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    next="${{command:+$command }}$word"
    case "$next" in
      {}) command=$next ;;
      *) break ;;
    esac
  done
  case "$command" in
)",
                                   fmt::join(paths, "|"));
  append_case(app, "", script);
  script += R"(  esac
  # After an option with a value, and for what is no option: file names, by bash itself (-o default).
  case " $with_value " in *" $previous "*) return ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _haptic haptic
)";
  return script;
}

}  // namespace haptic
