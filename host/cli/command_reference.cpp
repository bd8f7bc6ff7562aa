#include "host/cli/command_reference.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "shared/command_line/option_words.h"

namespace haptic {
namespace {

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

bool is_positional(const CLI::Option& option) {
  return option.nonpositional() == false;
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

/// As plain, line by line.
std::string verbatim(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    out += (out.empty() ? "" : "\n") + plain(line);
  }
  return out;
}

std::string names(const CLI::Option& option) {
  if (is_positional(option)) return fmt::format("\\fI{}\\fR", plain(option.get_name(true)));
  std::string line;
  for (const std::string& name : spellings(option)) {
    line += fmt::format("{}\\fB{}\\fR", line.empty() ? "" : ", ", plain(name));
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
      page += fmt::format(".TP\n{}\n{}\n", names(*option), plain(describe(*option)));
    }
    if (!command.get_footer().empty()) {
      page += fmt::format(".PP\n.nf\n{}\n.fi\n", verbatim(command.get_footer()));
    }
  }
  for (const CLI::App* next : below) append_command(*next, path + " " + next->get_name(), page);
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

void append_case(const CLI::App& command, const std::string& path, const ArgumentWords& arguments,
                 std::string& script) {
  std::vector<std::string> words, with_value, dotted;
  for (const CLI::App* next : subcommands(command)) words.push_back(next->get_name());
  for (const CLI::Option* option : command.get_options()) {
    if (is_positional(*option)) continue;
    const std::vector<std::string> spelled = spellings(*option);
    words.insert(words.end(), spelled.begin(), spelled.end());
    if (takes_value(*option)) with_value.insert(with_value.end(), spelled.begin(), spelled.end());
  }
  if (const auto given = arguments.find(path); given != arguments.end()) {
    for (const std::string& word : given->second) {
      (word.find('.') == std::string::npos ? words : dotted).push_back(word);
    }
  }
  script += fmt::format("    \"{}\") words=\"{}\" with_value=\"{}\" dotted=\"{}\" ;;\n", path,
                        joined(words), joined(with_value), joined(dotted));
  for (const CLI::App* next : subcommands(command)) {
    append_case(*next, path.empty() ? next->get_name() : path + " " + next->get_name(), arguments,
                script);
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

std::string bash_completion(const CLI::App& app, const ArgumentWords& arguments) {
  std::vector<std::string> paths;
  append_paths(app, "", paths);
  std::string script = fmt::format(R"(# Completion of haptic(1) for bash.
_haptic() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command="" next word words with_value dotted
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
  append_case(app, "", arguments, script);
  script += R"(  esac
  # After an option with a value, and for what is no option: file names, by bash itself (-o default).
  case " $with_value " in *" $previous "*) return ;; esac
  case "$current" in *.*) words=$dotted ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _haptic haptic
)";
  return script;
}

}  // namespace haptic
