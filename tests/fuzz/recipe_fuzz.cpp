// A recipe: refused with InputError or read; nothing else.
#include <cmath>
#include <cstdint>
#include <string>

#include "host/bake/recipe.h"
#include "shared/error.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haptic;
  try {
    const Recipe recipe = parse_recipe(std::string(text_of(data, size)), "/nowhere/recipe.toml");
    demand(std::isfinite(recipe.frame.length) && recipe.frame.length >= 0.0,
           "a length is not negative");
    demand(recipe.text == text_of(data, size), "the text is kept for the provenance");
    if (recipe.reduction) demand(recipe.reduction->linear_modes >= 0, "modes are counted");
    if (recipe.cloth) {
      demand(recipe.cloth->areal_density > 0.0, "a cloth has mass");
      demand(recipe.grid.has_value() == recipe.mesh.empty(), "a cloth has one shape");
      for (const SpringMaterial& of : recipe.cloth->materials) {
        demand(std::isfinite(of.stiffness) && of.stiffness >= 0.0, "stiffness is not negative");
        demand(std::isfinite(of.damping) && of.damping >= 0.0, "damping is not negative");
        demand(std::isfinite(of.bending) && of.bending >= 0.0, "rigidity is not negative");
      }
    }
  } catch (const InputError&) {
  }
  return 0;
}
