#include "host/cli/convert_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/helper_commands.h"
#include "host/convert/vega_model.h"
#include "host/files/json_text.h"
#include "host/files/output_path.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

struct ConvertOptions {
  std::filesystem::path input, folder, output;
  std::string name;
  VegaModelFiles files;
  std::vector<double> damping_ratios = {0.02, 0.02};
  bool json = false;
};

ConversionNotes convert(ConvertOptions& options) {
  ProgressLine line(options.json ? nullptr : stderr, "convert " + options.input.string());
  if (options.input.extension() == ".veg") {
    if (options.output.empty() || !options.folder.empty()) {
      throw InputError("haptic convert", "-o", "a .veg becomes a model file", "-o MODEL.h5");
    }
    options.files.mesh = options.input;
    check_output(options.output, std::array{options.input, options.files.fixed, options.files.basis,
                                            options.files.polynomial, options.files.surface,
                                            options.files.interpolation});
    return import_vega(options.files, options.output,
                       {options.damping_ratios[0], options.damping_ratios[1]}, line.progress());
  }
  if (options.folder.empty() || !options.output.empty()) {
    throw InputError("haptic convert", options.input.string(),
                     "a model file becomes VegaFEM's files", "--vega FOLDER");
  }
  const std::string name = options.name.empty() ? options.input.stem().string() : options.name;
  return export_vega(ModelFile(options.input), options.folder, name, line.progress());
}

}  // namespace

void add_convert_command(CLI::App& app) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = add_helper_command(app, "convert");
  command->add_option("INPUT", options->input, "MODEL.h5 or MESH.veg")->required();
  CLI::Option* folder =
      command->add_option("--vega", options->folder, "folder for VegaFEM's files");
  command->add_option("--name", options->name, "base name of these files; default: the model's")
      ->needs(folder);
  CLI::Option* output = command->add_option("-o,--output", options->output, "model file to write");
  const auto file = [&](const char* flag, std::filesystem::path& path, const char* text) {
    command->add_option(flag, path, text)->needs(output);
  };
  file("--bou", options->files.fixed, "fixed vertices; default: none");
  file("--basis", options->files.basis, "basis (.U)");
  file("--cubic", options->files.polynomial, "polynomial (.cub) to compare with");
  file("--surface", options->files.surface, "surface (.obj); default: the boundary of the mesh");
  file("--interp", options->files.interpolation, "weights of the surface (.interp)");
  command
      ->add_option("--damping-ratios", options->damping_ratios,
                   "damping ratios at the lowest and the highest frequency of the basis")
      ->expected(2)
      ->needs(output);
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->callback([options] {
    const ConversionNotes notes = convert(*options);
    if (options->json) {
      std::cout << json_text({{"notes", notes}}) << std::endl;
      return;
    }
    for (const std::string& note : notes) std::cout << printable(note) << '\n';
  });
}

}  // namespace haptic
