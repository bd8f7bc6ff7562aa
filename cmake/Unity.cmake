# Several files of a target are compiled as one ("unity build"): their headers are read, and what these instantiate is
# compiled, once. It halves the processor time of a build. Names in the unnamed namespaces of one folder must differ.
#
# The daemon's own folders (shared, rt) are compiled file by file, without precompiled headers, unless a sanitizer is on:
# so its generated code does not depend on how files are grouped, and a file that forgets an include is noticed. The
# preset debug compiles everything so.
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
