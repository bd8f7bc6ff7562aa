// Sections of a model file as numpy arrays, checked as the daemon checks them.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "host/python/record_types.h"
#include "shared/artifact/attributes.h"
#include "shared/artifact/model_file.h"

namespace haptic {
namespace py = pybind11;
namespace {

py::dtype numpy_type(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return py::dtype::of<float>();
    case ElementType::kFloat64:
      return py::dtype::of<double>();
    case ElementType::kUint32:
      return py::dtype::of<std::uint32_t>();
    case ElementType::kUint8:
      break;
  }
  return py::dtype::of<std::uint8_t>();
}

/// A private copy: no later change of the file reaches the interpreter.
ModelFile open_model(const std::filesystem::path& path) {
  return ModelFile(path, ModelFile::Hashes::kCheck, ModelFile::Memory::kSealed);
}

std::vector<std::string> section_names(const ModelFile& model) {
  std::vector<std::string> names;
  for (const Section& section : model.sections()) names.push_back(section.name);
  return names;
}

py::array section_values(const ModelFile& model, const std::string& name) {
  const Section& section = model.section(name);
  py::array values(numpy_type(section.type), section.shape);
  if (!section.bytes.empty()) {
    std::memcpy(values.mutable_data(), section.bytes.data(), section.bytes.size());
  }
  return values;
}

}  // namespace

void bind_models(py::module_& module) {
  py::class_<ModelFile>(module, "ModelFile")
      .def(py::init(&open_model), py::arg("path"))
      .def_property_readonly("names", &section_names)
      .def("section", &section_values, py::arg("name"));
  module.def("model_attribute_names", &model_attribute_names, py::arg("group"));
}

}  // namespace haptic
