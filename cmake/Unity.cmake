# Unity build: several source files of a target are compiled as one, so that their headers are read and their templates
# instantiated once. A full build takes about 30 % less processor time. The files of one target must not define the same
# name in their unnamed namespaces; where they do, the compiler reports a redefinition.
#
# What computes in the daemon's cycle is compiled file by file unless a sanitizer is on: its generated code does not depend
# on how files are grouped. The preset debug compiles everything this way, and without precompiled headers.
option(HAPTIC_UNITY "Compile several files of a target as one" ON)

# haptic_file_by_file(TARGET ...): not grouped, except for a sanitizer
function(haptic_file_by_file)
  if(NOT HAPTIC_SANITIZE)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD OFF)
  endif()
endfunction()

if(HAPTIC_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 6)
endif()
