#include <pybind11/pybind11.h>

#include <exception>

#include "host/python/record_types.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace py = pybind11;

/// The part of the package that is C++; `hapticd/__init__.py` is what users import.
PYBIND11_MODULE(_hapticd, module) {
  module.attr("__version__") = HAPTIC_VERSION;
  // pybind11 takes a function of this type. NOLINTNEXTLINE(performance-unnecessary-value-param)
  py::register_exception_translator([](std::exception_ptr thrown) {
    const auto raise = [](const char* type, const char* text) {
      PyErr_SetString(py::module_::import("hapticd.errors").attr(type).ptr(),
                      haptic::printable(text).c_str());
    };
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const haptic::InputError& error) {
      raise("InputError", error.what());
    } catch (const haptic::OperationError& error) {
      raise("OperationError", error.what());
    }
  });
  haptic::bind_record_types(module);
  haptic::bind_telemetry(module);
  haptic::bind_commands(module);
  haptic::bind_models(module);
  haptic::bind_offline(module);
}
