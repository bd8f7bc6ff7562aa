#include "host/cli/inspect_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/artifact/body_lines.h"
#include "host/cli/helper_commands.h"
#include "host/cli/inspect_options.h"
#include "host/files/json_text.h"
#include "shared/artifact/model_file.h"
#include "shared/artifact/user_block.h"
#include "shared/printable.h"

namespace haptic {
namespace {

std::string_view type_name(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kFloat64:
      return "float64";
    case ElementType::kUint32:
      return "uint32";
    case ElementType::kUint8:
      return "uint8";
  }
  return "unknown";
}

void print_table(const nlohmann::json& model) {
  fmt::print("{}  {} bytes  content {}  r = {}\n", printable(model["file"].get<std::string>()),
             model["file_length_bytes"].get<std::uint64_t>(),
             model["content_hash"].get<std::string>(),
             model["reduced_dimension"].get<std::uint32_t>());
  for (const nlohmann::json& section : model["sections"]) {
    fmt::print(
        "  {:<28} {:<8} {:<22} {:>12} bytes  [{}]\n", printable(section["name"].get<std::string>()),
        section["type"].get<std::string>(),
        fmt::format("{}", fmt::join(section["shape"].get<std::vector<std::uint64_t>>(), " x ")),
        section["length_bytes"].get<std::uint64_t>(),
        printable(section["unit"].get<std::string>()));
  }
  for (const auto& [name, value] : model["attributes"].items()) {
    if (value.is_number()) {
      fmt::print("  {:<40} {:g}\n", printable(name), value.get<double>());
    } else if (const auto text = value.get<std::string>(); text.find('\n') == std::string::npos) {
      fmt::print("  {:<40} {}\n", printable(name), printable(text));
    } else {
      fmt::print("  {}:\n", printable(name));
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) fmt::print("{}\n", printable(line));
    }
  }
}

}  // namespace

nlohmann::json inspect_model(const std::filesystem::path& path) {
  const ModelFile model(path);
  nlohmann::json result;
  result["file"] = path.string();
  result["format_version"] = kModelFormatVersion;
  result["content_hash"] = fmt::format("{:016x}", model.content_hash());
  result["file_length_bytes"] = std::filesystem::file_size(path);
  result["reduced_dimension"] = model.reduced_dimension();
  result["sections"] = nlohmann::json::array();
  for (const Section& section : model.sections()) {
    result["sections"].push_back({{"name", section.name},
                                  {"type", type_name(section.type)},
                                  {"shape", section.shape},
                                  {"unit", find_section(section.name)->unit},
                                  {"length_bytes", section.bytes.size()},
                                  {"hash", fmt::format("{:016x}", section.hash)}});
  }
  result["attributes"] = nlohmann::json::object();
  for (const auto& [name, value] : read_model_attributes(path)) {
    std::visit([&, key = name](const auto& v) { result["attributes"][key] = v; }, value);
  }
  return result;
}

void add_inspect_command(CLI::App& app) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* command = add_inspect_options(app, *options);
  command->callback([options] {
    if (options->is_mesh()) throw HelperNeeded("inspect of a mesh");
    const nlohmann::json model = inspect_model(options->file);
    if (options->json) {
      std::cout << json_text(model) << "\n";
    } else {
      print_table(model);
      for (const std::string& line : body_lines(read_model_attributes(options->file))) {
        fmt::print("  {}\n", printable(line));
      }
    }
  });
}

}  // namespace haptic
