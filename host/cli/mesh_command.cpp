#include "host/cli/mesh_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/cli/helper_commands.h"
#include "host/files/json_text.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "host/mesh/mesh_report.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

struct MeshOptions {
  std::string name;
  std::string output;
  double length = 0.0;
  double resolution = 0.0;
  std::vector<std::string> settings;
  bool list = false;
  bool json = false;
};

/// "key=value" of --set.
std::pair<std::string, double> parse_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (equals == 0 || number.empty() || *end != '\0') {
    throw InputError("--set", "", fmt::format("found \"{}\"", text), "key=number, e.g. width=0.03");
  }
  return {text.substr(0, equals), value};
}

void print_list(bool as_json) {
  nlohmann::json shapes = nlohmann::json::array();
  for (const ShapeInfo& shape : catalogue()) {
    if (!as_json) std::cout << fmt::format("{:<10} {}\n", shape.name, shape.description);
    nlohmann::json parameters = nlohmann::json::object();
    for (const ShapeParameter& p : shape.parameters) {
      if (!as_json) {
        std::cout << fmt::format("             {:<14} {:>8g} {:<3} {}\n", p.name, p.value, p.unit,
                                 p.meaning);
      }
      parameters[std::string(p.name)] = {{"default", p.value},
                                         {"minimum", p.minimum},
                                         {"maximum", p.maximum},
                                         {"unit", p.unit},
                                         {"meaning", p.meaning}};
    }
    shapes.push_back({{"name", shape.name},
                      {"description", shape.description},
                      {"parameters", std::move(parameters)}});
  }
  if (as_json) std::cout << json_text({{"shapes", std::move(shapes)}}, 2) << "\n";
}

void print_result(const MeshOptions& options, const TriangleMesh& mesh) {
  const MeshReport report = inspect_mesh(mesh);
  const BoundingBox box = bounding_box(mesh);
  if (!options.json) {
    const Vector3 size = box.size();
    std::cout << fmt::format("{}: {}, {:.4g} x {:.4g} x {:.4g} m\n", printable(options.output),
                             report.summary(), size.x(), size.y(), size.z());
    return;
  }
  const auto array = [](const Vector3& v) { return nlohmann::json{v.x(), v.y(), v.z()}; };
  const nlohmann::json result = {{"shape", options.name},
                                 {"file", options.output},
                                 {"vertices", report.vertices},
                                 {"triangles", report.triangles},
                                 {"closed", report.closed_manifold()},
                                 {"area_m2", report.area},
                                 {"volume_m3", report.volume},
                                 {"lower_m", array(box.lower)},
                                 {"upper_m", array(box.upper)}};
  std::cout << json_text(result, 2) << "\n";
}

void run_mesh(const MeshOptions& options, bool has_length, bool has_resolution) {
  if (options.list) {
    print_list(options.json);
    return;
  }
  if (options.name.empty()) {
    throw InputError("haptic mesh", "NAME", "no shape given", "a shape of haptic mesh --list");
  }
  if (options.output.empty()) {
    throw InputError("haptic mesh", "-o", "no output file given", "a path ending in .obj");
  }
  if (!options.output.ends_with(".obj")) {
    throw InputError("haptic mesh", "-o", fmt::format("found \"{}\"", options.output),
                     "a path ending in .obj");
  }
  std::map<std::string, double> values;
  for (const std::string& setting : options.settings) values.insert(parse_setting(setting));
  if (has_resolution) values["resolution"] = options.resolution;

  TriangleMesh mesh = [&] {
    ProgressLine line(options.json ? nullptr : stderr, "mesh " + options.name);
    return make_shape(options.name, values, line.progress());
  }();
  if (has_length) {
    if (!(options.length > 0.0 && options.length <= 1000.0)) {
      throw InputError("haptic mesh", "--length", fmt::format("found {}", options.length),
                       "a length > 0 [m]");
    }
    const double factor = options.length / bounding_box(mesh).longest_side();
    mesh = scaled(std::move(mesh), factor);
  }
  write_obj(options.output, mesh);
  print_result(options, mesh);
}

}  // namespace

void add_mesh_command(CLI::App& app) {
  CLI::App* command = add_helper_command(app, "mesh");
  auto options = std::make_shared<MeshOptions>();
  command->add_option("name", options->name, "shape, e.g. spoon");
  command->add_option("-o,--output", options->output, "OBJ file to write");
  CLI::Option* length = command->add_option("--length", options->length,
                                            "scale so that the longest side has this length [m]");
  CLI::Option* resolution =
      command->add_option("--resolution", options->resolution, "the shape's parameter resolution");
  command->add_option("--set", options->settings, "a parameter, key=value")
      ->type_name("KEY=VALUE")
      ->take_all();
  command->add_flag("--list", options->list, "show all shapes and their parameters");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->callback([options, length, resolution] {
    run_mesh(*options, length->count() > 0, resolution->count() > 0);
  });
}

}  // namespace haptic
