# Unity build: several source files of a target are compiled as one, so that their headers are read and their templates
# instantiated once. A full build takes about 30 % less processor time. The files of one target must not define the same
# name in their unnamed namespaces; where they do, the compiler reports a redefinition.
#
# What computes in the daemon's cycle is compiled file by file unless a sanitizer is on: its generated code does not depend
# on how files are grouped. The preset odr compiles everything this way, and without precompiled headers.
option(HAPTIC_UNITY "Compile several files of a target as one" ON)

# haptic_file_by_file(TARGET ...): files of these targets that have functions of the cycle (HAPTIC_REALTIME) are compiled
# one by one, unless a sanitizer is on.
function(haptic_file_by_file)
  if(HAPTIC_SANITIZE)
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

if(HAPTIC_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)
endif()
