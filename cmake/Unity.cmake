# Unity build: several source files of a target are compiled as one, so that their headers are read and their templates
# instantiated once. A full build takes about 30 % less processor time. The files of one target must not define the same
# name in their unnamed namespaces; where they do, the compiler reports a redefinition.
#
# What computes in the daemon's cycle is compiled file by file with ON: its generated code does not depend on how files are
# grouped. ALL, for sanitizers and clang-tidy, groups these files, too. The preset odr compiles everything file by file, and
# without precompiled headers.
set(HAPTIC_UNITY ON CACHE STRING "Compile several files of a target as one: ON, ALL (also those of the cycle), OFF")
set_property(CACHE HAPTIC_UNITY PROPERTY STRINGS ON ALL OFF)
if(NOT HAPTIC_UNITY MATCHES "^(ON|ALL|OFF)$")
  message(FATAL_ERROR "HAPTIC_UNITY: expected ON, ALL or OFF, found '${HAPTIC_UNITY}'")
endif()

# haptic_file_by_file(TARGET ...): files of these targets that have functions of the cycle (HAPTIC_REALTIME) are compiled
# one by one, except with ALL.
function(haptic_file_by_file)
  if(HAPTIC_UNITY STREQUAL ALL)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
      file(STRINGS ${source} found REGEX HAPTIC_REALTIME LIMIT_COUNT 1)
      if(found)
        set_source_files_properties(${source} TARGET_DIRECTORY ${target}
          PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      endif()
    endforeach()
  endforeach()
endfunction()

if(NOT HAPTIC_UNITY STREQUAL OFF)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)
endif()
