# Headers that most files include and that cost more to read than the rest of a file does (Eigen alone 3 s of 5),
# precompiled once. A target uses only precompiled headers of libraries that it links itself. Every file must still
# include what it uses. The rtsan preset checks this for the daemon (HAPTIC_PRECOMPILED=OFF); nothing checks it for host.
option(HAPTIC_PRECOMPILED "Precompile what most files include" ON)

# haptic_precompiled(NAME LINK lib ... HEADERS <header> ...)
function(haptic_precompiled name)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
  set(source ${CMAKE_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// What precompiled headers belong to.\n")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE haptic_flags ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  set_target_properties(${name} PROPERTIES HAPTIC_NEEDS "${ARG_LINK}")
endfunction()

# The libraries whose headers a target may include: what it links, directly or through what others link publicly
# (what they link privately stands in $<LINK_ONLY:...>, which is no target).
function(haptic_closure target found)
  set(closure)
  set(open ${target})
  while(open)
    list(POP_BACK open next)
    set(libraries)
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(value ${next} ${property})
      if(value)
        list(APPEND libraries ${value})
      endif()
    endforeach()
    foreach(library IN LISTS libraries)
      if(TARGET "${library}" AND NOT library IN_LIST closure)
        list(APPEND closure ${library})
        list(APPEND open ${library})
      endif()
    endforeach()
  endwhile()
  set(${found} ${closure} PARENT_SCOPE)
endfunction()

# Gives every target of a folder the first of the precompiled headers all of whose libraries it links.
function(haptic_use_precompiled folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "^(STATIC_LIBRARY|SHARED_LIBRARY|MODULE_LIBRARY|EXECUTABLE)$")
      continue()
    endif()
    haptic_closure(${target} closure)
    if(NOT haptic_flags IN_LIST closure)
      continue()
    endif()
    foreach(precompiled IN LISTS ARGN)
      get_target_property(needs ${precompiled} HAPTIC_NEEDS)
      list(REMOVE_ITEM needs ${closure})
      if(NOT needs)
        target_precompile_headers(${target} REUSE_FROM ${precompiled})
        break()
      endif()
    endforeach()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(next IN LISTS folders)
    haptic_use_precompiled(${next} ${ARGN})
  endforeach()
endfunction()

# What to call once every target is there.
function(haptic_precompile_headers)
  if(NOT HAPTIC_PRECOMPILED)
    return()
  endif()
  set(standard <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional> <memory> <optional>
    <span> <string> <string_view> <vector>)
  haptic_precompiled(haptic_headers_properties LINK Eigen3::Eigen fmt::fmt GTest::gtest rapidcheck
    HEADERS ${standard} <Eigen/Dense> <fmt/format.h> <gtest/gtest.h> <rapidcheck.h>)
  haptic_precompiled(haptic_headers_mocks LINK Eigen3::Eigen fmt::fmt GTest::gtest GTest::gmock
    HEADERS ${standard} <Eigen/Dense> <fmt/format.h> <gtest/gtest.h> <gmock/gmock.h>)
  haptic_precompiled(haptic_headers_tests LINK Eigen3::Eigen fmt::fmt GTest::gtest
    HEADERS ${standard} <Eigen/Dense> <fmt/format.h> <gtest/gtest.h>)
  haptic_precompiled(haptic_headers_plain_tests LINK fmt::fmt GTest::gtest
    HEADERS ${standard} <fmt/format.h> <gtest/gtest.h>)
  haptic_precompiled(haptic_headers_numbers LINK Eigen3::Eigen fmt::fmt
    HEADERS ${standard} <Eigen/Dense> <fmt/format.h>)
  haptic_precompiled(haptic_headers_eigen LINK Eigen3::Eigen HEADERS ${standard} <Eigen/Dense>)
  haptic_precompiled(haptic_headers_text LINK fmt::fmt HEADERS ${standard} <fmt/format.h>)
  haptic_use_precompiled(${CMAKE_SOURCE_DIR} haptic_headers_properties haptic_headers_mocks haptic_headers_tests
    haptic_headers_plain_tests haptic_headers_numbers haptic_headers_eigen haptic_headers_text)
endfunction()
