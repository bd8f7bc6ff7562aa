// --help in words, its lines below 80 columns; words that are near a command or an option.
#include "shared/command_line/help_format.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "shared/command_line/number_checks.h"
#include "shared/command_line/option_words.h"

namespace haptic {
namespace {

enum class Colour { kBody, kStrain };

/// A command with options of every kind that the programs have.
struct Program {
  CLI::App app{"Test.", "haptic"};
  CLI::App* view = nullptr;
  std::string text;
  int count = 0;
  double angle = 20.0;
  bool filter = true;
  Colour colour = Colour::kBody;

  Program() {
    set_help_format(app, {"Watch", "Operate"});
    app.add_subcommand("stop", "Stop the output")->group("Operate");
    view = app.add_subcommand("view", "Render a picture");
    view->group("Watch");
    view->footer("Examples:\n  haptic view --png a.png");
    app.add_subcommand("status", "Show the state")->group("Watch");
    CLI::Option* png = view->add_option("--png", text, "PNG file to write")->required();
    view->add_option("--angle", angle, "angle of the camera about the vertical of the scene [deg]")
        ->check(number_in(-89.0, 89.0))
        ->capture_default_str()
        ->needs(png);
    view->add_option("--count", count, "images")->check(CLI::PositiveNumber);
    view->add_flag("!--no-filter", filter, "allow all calls");
    view->add_option("--colour", colour, "what colours show")
        ->transform(CLI::CheckedTransformer(std::vector<std::pair<std::string, Colour>>{
            {"body", Colour::kBody}, {"strain", Colour::kStrain}}));
    view->add_option("--solver", text, "method")->check(CLI::IsMember({"direct", "static"}));
  }
  const CLI::Option& option(const std::string& name) const { return *view->get_option(name); }
  std::string unknown(std::vector<const char*> words) const {
    words.insert(words.begin(), "haptic");
    return unknown_word(app, static_cast<int>(words.size()), words.data());
  }
};

TEST(HelpFormat, values_and_conditions_are_words) {
  const Program program;
  EXPECT_EQ(describe(program.option("--png")), "PNG file to write (required)");
  EXPECT_EQ(describe(program.option("--angle")),
            "angle of the camera about the vertical of the scene [deg]; -89 to 89 (default 20; "
            "with --png)");
  EXPECT_EQ(describe(program.option("--count")), "images; above 0");
  EXPECT_EQ(describe(program.option("--colour")), "what colours show; one of body, strain");
  EXPECT_EQ(describe(program.option("--solver")), "method; one of direct, static");
  EXPECT_EQ(describe(program.option("--no-filter")), "allow all calls");
  EXPECT_EQ(value_name(program.option("--angle")), "NUMBER");
  EXPECT_EQ(value_name(program.option("--count")), "N");
  EXPECT_EQ(value_name(program.option("--colour")), "VALUE");
}

TEST(HelpFormat, lines_are_below_80_columns_and_free_of_braces) {
  const Program program;
  const std::string help = program.view->help();
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LT(line.size(), 80U) << line;
  EXPECT_EQ(help.find('{'), std::string::npos) << help;
  EXPECT_EQ(help.find("->"), std::string::npos) << help;
  EXPECT_NE(help.find("Examples:\n  haptic view --png a.png\n"), std::string::npos) << help;
}

TEST(HelpFormat, commands_stand_under_their_headings) {
  const Program program;
  const std::string help = program.app.help();
  const std::size_t watch = help.find("Watch:"), operate = help.find("Operate:");
  ASSERT_NE(watch, std::string::npos) << help;
  ASSERT_NE(operate, std::string::npos) << help;
  EXPECT_LT(watch, operate);
  EXPECT_LT(help.find("status"), operate);
  EXPECT_GT(help.find("stop"), operate);
}

TEST(HelpFormat, a_mistyped_word_names_the_nearest) {
  const Program program;
  EXPECT_EQ(program.unknown({"sattus"}),
            "found no command sattus (did you mean status?); see haptic --help");
  EXPECT_EQ(program.unknown({"xylophone"}), "found no command xylophone; see haptic --help");
  EXPECT_EQ(program.unknown({"view", "--agnle=3"}),
            "found no option --agnle (did you mean --angle?); see haptic view --help");
  EXPECT_EQ(program.unknown({"view", "--png", "a.png"}), "");
  EXPECT_EQ(program.unknown({"view", "--", "--agnle"}), "");
  EXPECT_EQ(program.unknown({}), "");
}

}  // namespace
}  // namespace haptic
