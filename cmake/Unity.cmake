# Unity build: several source files of a target are compiled as one, so that their headers are read and their templates
# instantiated once. A full build takes about 30 % less processor time. The files of one target must not define the same
# name in their unnamed namespaces; where they do, the compiler reports a redefinition.
#
# The daemon's own folders (shared, rt) are compiled file by file unless a sanitizer is on: its generated code does not
# depend on how files are grouped. The preset debug compiles everything this way, and without precompiled headers.
option(HAPTIC_UNITY "Compile several files of a target as one" ON)

if(HAPTIC_SANITIZE)
  set(HAPTIC_FILE_BY_FILE OFF)
else()
  set(HAPTIC_FILE_BY_FILE ON)
endif()

macro(haptic_unity_for_daemon)
  if(HAPTIC_UNITY AND NOT HAPTIC_FILE_BY_FILE)
    haptic_unity_on()
  endif()
endmacro()

macro(haptic_unity_for_others)
  if(HAPTIC_UNITY)
    haptic_unity_on()
  endif()
endmacro()

macro(haptic_unity_on)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 6)
endmacro()
