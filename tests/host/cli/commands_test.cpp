// The commands of a model's life, through the command functions and through the built executable:
// exit codes, the one line on standard error, JSON (docs/architecture.md, "Errors and exit codes").
#include "host/cli/commands.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "host/cli/command_examples.h"
#include "host/cli/inspect_command.h"
#include "host/cli/probe_command.h"
#include "shared/artifact/model_file.h"
#include "shared/artifact/user_block.h"
#include "shared/error.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

using testing::HasSubstr;

/// Runs the built `haptic` with the arguments, in the folder.
Finished run(const BakingFolder& folder, const std::string& arguments) {
  return folder.shell(HAPTIC_EXECUTABLE " " + arguments);
}

/// The last line of standard error; the only one for an error found before any work.
std::string last_line(const std::string& text) {
  const std::string trimmed = text.substr(0, text.find_last_not_of('\n') + 1);
  const std::size_t start = trimmed.rfind('\n');
  return start == std::string::npos ? trimmed : trimmed.substr(start + 1);
}

/// One folder with both models baked, for all cases.
class CommandLine : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new BakingFolder("cli");
    folder->bake("beam.toml", "beam.h5");
    folder->bake("ball.toml", "ball.h5");
    folder->write("scene.toml", kBallOnBeam);
    folder->write("none.json", "{}");
  }
  static void TearDownTestSuite() { delete folder; }
  static BakingFolder* folder;
};
BakingFolder* CommandLine::folder = nullptr;

TEST_F(CommandLine, bake_prints_one_json_object_and_its_stages) {
  const Finished result = run(*folder, "bake beam.toml -o again.h5 --json");
  ASSERT_EQ(result.code, 0) << result.error;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["dimension"], 6);
  EXPECT_EQ(json["shell_points"], 400);
  EXPECT_EQ(json["field_resolution"], 32);
  EXPECT_GT(json["mass_kg"].get<double>(), 0.0);
  EXPECT_EQ(json["file_length_bytes"], std::filesystem::file_size(folder->file("again.h5")));
  // Standard error is not a terminal here: the object has the seconds, the plain form prints them.
  EXPECT_EQ(result.error, "");
  const Finished plain = run(*folder, "bake beam.toml -o again.h5");
  for (const char* stage : {"mesh", "voxels", "fem", "modes", "derivatives", "basis", "polynomials",
                            "field", "shell", "tree", "write"}) {
    EXPECT_TRUE(json["seconds"].contains(stage)) << stage;
    EXPECT_THAT(plain.out, HasSubstr(stage));
  }
}

TEST_F(CommandLine, bad_recipes_end_with_code_2_and_one_line) {
  const std::pair<std::pair<const char*, const char*>, const char*> cases[] = {
      {{"youngs_modulus = 5e4", "youngs_modulus = -5e4"},
       "haptic: bad.toml:7: material.youngs_modulus: found -5e4, expected a number > 0 [Pa]"},
      {{"points = 400", "pionts = 400"}, "did you mean \"points\""},
      {{"beam.obj", "none.obj"}, "none.obj"},
  };
  for (const auto& [change, expected] : cases) {
    folder->write("bad.toml", beam_recipe(change.first, change.second));
    const Finished result = run(*folder, "bake bad.toml -o bad.h5");
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.error.find('\n'), result.error.size() - 1) << result.error;
    EXPECT_THAT(result.error, HasSubstr(expected));
    EXPECT_FALSE(std::filesystem::exists(folder->file("bad.h5")));
  }
  EXPECT_EQ(run(*folder, "bake beam.toml -o no/such/folder/a.h5").code, 2);
}

TEST_F(CommandLine, bad_usage_ends_with_code_2_and_one_line) {
  for (const char* arguments : {"", "bale", "bake", "bake beam.toml", "verify", "probe",
                                "probe force", "inspect beam.h5 --jsno", "probe contact a.toml"}) {
    const Finished result = run(*folder, arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.error.find('\n'), result.error.size() - 1) << arguments << result.error;
    EXPECT_EQ(result.out, "") << arguments;
  }
  EXPECT_EQ(run(*folder, "--help").code, 0);
  EXPECT_EQ(run(*folder, "bake --help").code, 0);
}

TEST_F(CommandLine, a_mistyped_command_or_option_names_the_nearest) {
  EXPECT_EQ(run(*folder, "sattus").error,
            "haptic: found no command sattus (did you mean status?); see haptic --help\n");
  EXPECT_EQ(run(*folder, "probe forse").error,
            "haptic: found no command forse (did you mean force?); see haptic probe --help\n");
  EXPECT_EQ(run(*folder, "bake beam.toml --jsno -o a.h5").error,
            "haptic: found no option --jsno (did you mean --json?); see haptic bake --help\n");
}

TEST_F(CommandLine, an_empty_number_is_refused) {
  for (const std::string command :
       {"set limits.force ''", "pull ball '' '' '' --to 0 0 0", "pull ball 0 0 0 --by 0 '' 0",
        "pull ball 0 0 0 --to 0 0 0 --force ''", "record -o none.h5 --seconds ''"}) {
    const Finished result = run(*folder, command);
    EXPECT_EQ(result.code, 2) << command;
    EXPECT_THAT(result.error, HasSubstr("found ")) << command;
    EXPECT_EQ(result.error.find('\n'), result.error.size() - 1) << result.error;
  }
}

TEST_F(CommandLine, output_that_cannot_be_written_is_an_error) {
  for (const std::string command :
       {"--help", "--version", "explain scene", "devices --json", "inspect beam.h5"}) {
    for (const std::string to : {">/dev/full", ">&-"}) {
      const Finished result = run(*folder, command + " " + to);
      EXPECT_EQ(result.code, 1) << command << to;
      EXPECT_THAT(result.error, HasSubstr(to == ">&-" ? "Bad file descriptor" : "No space left"))
          << command;
    }
  }
}

TEST(Commands, every_command_has_a_heading_and_an_example_that_begins_with_it) {
  CLI::App app("", "haptic");
  add_all_commands(app);
  add_examples(app);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    EXPECT_NE(command->get_group(), command_groups().back()) << command->get_name();
    EXPECT_THAT(command->get_footer(), HasSubstr("Examples:\n  haptic " + command->get_name()));
  }
}

TEST_F(CommandLine, simulate_says_what_to_do_with_a_model) {
  const Finished result = run(*folder, "simulate beam.h5 -o log.h5");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.error,
            "haptic: beam.h5: found a model, expected a scene (TOML), which names models; or "
            "--loads LOADS.toml\n");
}

TEST_F(CommandLine, probe_force_refuses_a_state_whose_energy_overflows) {
  folder->write("huge.json", R"({"q": [1e300, 0, 0, 0, 0, 0]})");
  const Finished result = run(*folder, "probe force beam.h5 --state huge.json");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.error, HasSubstr("huge.json: q: found values up to 1e+300"));
}

TEST_F(CommandLine, inspect_describes_a_mesh_with_a_recipe_that_bakes_it) {
  // A slab of 60 x 40 x 6 mm as a CAD program writes it, without one of its twelve triangles.
  std::string text;
  for (int i = 0; i < 8; ++i) {
    text += fmt::format("v {} {} {}\n", 60 * (i & 1), 40 * (i >> 1 & 1), 6 * (i >> 2));
  }
  const std::string closed =
      text +
      "f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\n"
      "f 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n";
  folder->write("slab.obj", closed);
  const Finished described = run(*folder, "inspect slab.obj --json");
  ASSERT_EQ(described.code, 0) << described.error;
  const auto json = nlohmann::json::parse(described.out);
  EXPECT_TRUE(json["closed"].get<bool>());
  EXPECT_DOUBLE_EQ(json["volume"].get<double>(), 60.0 * 40.0 * 6.0);
  EXPECT_DOUBLE_EQ(json["thinnest_wall"]["thickness"].get<double>(), 6.0);
  EXPECT_EQ(json["upper"].get<std::vector<double>>(), (std::vector<double>{60, 40, 6}));
  folder->write("slab.toml", json["recipe"].get<std::string>());
  EXPECT_EQ(run(*folder, "bake slab.toml -o slab.h5 --no-cache").code, 0);

  folder->write("open.obj", closed.substr(0, closed.rfind("f 2 8 6")));
  const Finished open = run(*folder, "inspect open.obj");
  ASSERT_EQ(open.code, 0) << open.error;
  EXPECT_THAT(open.out, HasSubstr("open.obj: open (3 boundary edges)"));
  EXPECT_THAT(open.out, HasSubstr("  hole            40 at (60, 20, 3)"));
  EXPECT_THAT(open.out, HasSubstr("close_holes = 0.67"));
  const Finished none = run(*folder, "inspect none.stl");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.error, HasSubstr("none.stl"));
}

TEST_F(CommandLine, inspect_describes_a_volume_mesh_with_a_recipe_that_bakes_it) {
  folder->write(
      "wedge.msh",
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 2 \"clamp\"\n3 1 \"body\"\n"
      "$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
      "$Elements\n3\n1 2 2 2 1 1 2 4\n2 4 2 1 1 1 2 3 4\n3 4 2 1 1 2 3 4 5\n$EndElements\n");
  const Finished described = run(*folder, "inspect wedge.msh --json");
  ASSERT_EQ(described.code, 0) << described.error;
  const auto json = nlohmann::json::parse(described.out);
  EXPECT_EQ(json["mesh_vertices"], 5);
  EXPECT_EQ(json["mesh_elements"], 2);
  EXPECT_EQ(json["triangles"], 6);
  EXPECT_DOUBLE_EQ(json["volume"].get<double>(), 1.0 / 6.0 + 1.0 / 3.0);
  EXPECT_EQ(json["groups"][0]["name"], "clamp");
  EXPECT_EQ(json["groups"][0]["vertices"], 3);
  EXPECT_EQ(json["groups"][1]["elements"], 2);
  folder->write("wedge.toml", json["recipe"].get<std::string>());
  const Finished baked = run(*folder, "bake wedge.toml -o wedge.h5 --no-cache");
  EXPECT_EQ(baked.code, 2);  // two elements have fewer modes than the recipe asks for
  EXPECT_THAT(baked.error, HasSubstr("reduction.linear_modes"));
  EXPECT_THAT(run(*folder, "inspect wedge.msh").out,
              HasSubstr("  group           \"clamp\", 3 vertices, 0 elements"));
}

TEST_F(CommandLine, inspect_lists_every_section) {
  const Finished result = run(*folder, "inspect beam.h5 --json");
  ASSERT_EQ(result.code, 0) << result.error;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["sections"].size(), ModelFile(folder->file("beam.h5")).sections().size());
  EXPECT_EQ(json["reduced_dimension"], 6);
  EXPECT_EQ(json["attributes"]["/mesh.density_kg_m3"], 1000.0);
  EXPECT_EQ(json["attributes"]["/provenance.recipe"], folder->read("beam.toml"));
  EXPECT_EQ(json, [&] {
    nlohmann::json in_process = inspect_model(folder->file("beam.h5"));
    in_process["file"] = "beam.h5";
    return in_process;
  }());
  EXPECT_THAT(run(*folder, "inspect beam.h5").out, HasSubstr("/reduced/quartic"));
}

TEST_F(CommandLine, verify_gives_figures_limits_and_an_exit_code) {
  const Finished result = run(*folder, "verify beam.h5 --json");
  ASSERT_EQ(result.code, 0) << result.error << result.out;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_TRUE(json["passes"].get<bool>());
  for (const auto& figure : json["figures"]) {
    EXPECT_LE(figure["value"].get<double>(), figure["limit"].get<double>()) << figure["name"];
  }
}

TEST_F(CommandLine, damaged_models_end_with_code_2) {
  std::string bytes = folder->read("beam.h5");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  // The middle of the file may lie between sections; the first byte of the first one does not.
  bytes[kUserBlockSize] = static_cast<char>(bytes[kUserBlockSize] ^ 1);
  UserBlockEntry entry;
  std::memcpy(&entry, bytes.data() + sizeof(UserBlockHeader), sizeof entry);
  bytes[entry.offset] = static_cast<char>(bytes[entry.offset] ^ 1);
  folder->write("flipped.h5", bytes);
  folder->write("short.h5", bytes.substr(0, bytes.size() / 2));
  for (const char* model : {"flipped.h5", "short.h5", "none.h5", "beam.toml", "."}) {
    for (const char* command : {"inspect ", "verify ", "probe force --state none.json "}) {
      const Finished result = run(*folder, std::string(command) + model);
      EXPECT_EQ(result.code, 2) << command << model;
      EXPECT_EQ(result.error.find('\n'), result.error.size() - 1) << result.error;
      EXPECT_THAT(result.error, HasSubstr(model));
    }
  }
}

TEST_F(CommandLine, probe_force_is_the_gradient_of_the_energy) {
  const auto at = [&](std::vector<double> q) {
    folder->write("q.json", nlohmann::json{{"q", q}}.dump());
    return probe_force(folder->file("beam.h5"), folder->file("q.json"));
  };
  std::vector<double> q = {0.01, -0.02, 0.005, 0.003, -0.001, 0.002};
  const auto here = at(q);
  ASSERT_EQ(here["force"].size(), 6u);
  ASSERT_EQ(here["stiffness"].size(), 6u);
  constexpr double kStep = 1e-6;
  for (std::size_t j = 0; j < q.size(); ++j) {
    auto low = q, high = q;
    low[j] -= kStep;
    high[j] += kStep;
    const double slope =
        (at(high)["energy_J"].get<double>() - at(low)["energy_J"].get<double>()) / (2 * kStep);
    // Rounding of the energies over the step.
    EXPECT_NEAR(here["force"][j].get<double>(), slope,
                1e-9 + 1e-5 * std::abs(here["force"][j].get<double>()));
  }
  const Finished result = run(*folder, "probe force beam.h5 --state q.json");
  ASSERT_EQ(result.code, 0) << result.error;
  EXPECT_TRUE(nlohmann::json::parse(result.out).contains("energy_J"));
}

TEST_F(CommandLine, bad_states_are_refused) {
  const std::pair<const char*, const char*> force[] = {
      {"{\"q\": [1, 2]}", "q: found 2 entries, expected an array of 6 finite numbers"},
      {"{\"Q\": [1]}", "Q: unknown key"},
      {"{\"q\": [1, 2, 3, 4, 5, \"x\"]}", "found \"x\""},
      {"{}", "q: missing"},
      {"[1]", "found array, expected a JSON object"},
      {"{\"q\": [", "not JSON"},
  };
  for (const auto& [text, expected] : force) {
    folder->write("bad.json", text);
    const Finished result = run(*folder, "probe force beam.h5 --state bad.json");
    EXPECT_EQ(result.code, 2) << text;
    EXPECT_THAT(last_line(result.error), HasSubstr(expected));
  }
  const std::pair<const char*, const char*> contact[] = {
      {"{\"bodies\": {\"bal\": {}}}", "did you mean \"ball\"?"},
      {"{\"bodies\": {\"ball\": {\"position\": [0, 0, 0]}}}", "did you mean \"position_m\"?"},
      {"{\"bodies\": {\"ball\": {\"orientation_wxyz\": [2, 0, 0, 0]}}}", "length 2"},
      {"{\"bodies\": {\"ball\": {\"q\": [1]}}}", "found 1 entries, expected an array of 0"},
  };
  for (const auto& [text, expected] : contact) {
    folder->write("bad.json", text);
    const Finished result = run(*folder, "probe contact scene.toml --state bad.json");
    EXPECT_EQ(result.code, 2) << text;
    EXPECT_THAT(last_line(result.error), HasSubstr(expected));
  }
  EXPECT_EQ(run(*folder, "probe force ball.h5 --state none.json").code, 2);
}

TEST_F(CommandLine, probe_contact_agrees_with_brute_force_and_with_itself_in_process) {
  folder->write("s.json", R"({"bodies": {
    "ball": {"position_m": [0.15, 0.003, 0.025], "orientation_wxyz": [0.8, 0.6, 0, 0]},
    "beam": {"q": [0.001, 0.0005, -0.0005, 0, 0, 0]}}})");
  const Finished fast = run(*folder, "probe contact scene.toml --state s.json");
  ASSERT_EQ(fast.code, 0) << fast.error;
  const Finished slow = run(*folder, "probe contact scene.toml --state s.json --brute-force");
  ASSERT_EQ(slow.code, 0) << slow.error;
  auto tree = nlohmann::json::parse(fast.out), points = nlohmann::json::parse(slow.out);
  EXPECT_GT(tree["contacts"].size(), 0u);
  EXPECT_EQ(tree["reduced_force"]["beam"].size(), 6u);
  EXPECT_EQ(tree["gradient"].size(), 6u);
  EXPECT_EQ(nlohmann::json::parse(fast.out),
            probe_contact(folder->file("scene.toml"), folder->file("s.json"), false));
  tree.erase("visited_nodes");
  points.erase("visited_nodes");
  EXPECT_EQ(tree, points);
  // Without damping or coupling, the wrench is the sum of the contact forces.
  double sum = 0.0;
  for (const auto& contact : tree["contacts"]) sum += contact["force_N"][2].get<double>();
  EXPECT_NEAR(tree["wrench_on_held"]["force_N"][2].get<double>(), sum, 1e-12 * std::abs(sum));
}

TEST_F(CommandLine, probe_contact_without_touch_is_zero) {
  folder->write("far.json", R"({"bodies": {"ball": {"position_m": [0, 0, 1]}}})");
  const auto json = probe_contact(folder->file("scene.toml"), folder->file("far.json"), false);
  EXPECT_EQ(json["contacts"].size(), 0u);
  EXPECT_EQ(json["wrench_on_held"]["force_N"], (std::vector<double>{0, 0, 0}));
}

TEST_F(CommandLine, in_process_codes_are_those_of_the_executable) {
  const std::string model = folder->file("beam.h5").string();
  const char* good[] = {"haptic", "inspect", model.c_str(), "--json"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_program(4, good, add_all_commands), kExitDone);
  testing::internal::GetCapturedStdout();
  const char* bad[] = {"haptic", "inspect", "/none.h5"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_program(3, bad, add_all_commands), kExitBadInput);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("haptic: /none.h5: no such file"));
}

}  // namespace
}  // namespace haptic
