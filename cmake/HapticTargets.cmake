# One flag set for the whole tree: Eigen's alignment changes with the vector extensions, so
# translation units with different flags must never be linked into one binary.
#
# No contraction of a product and a sum to one instruction: the linker keeps one of several copies of a template, and
# copies contracted differently would give hapticd and haptic different numbers. Kernels and Eigen name the fused
# instructions where they want them.
add_library(haptic_flags INTERFACE)
#
# All code is position independent, so that the Python module links the libraries of the programs and everything is
# compiled once. No symbol is interposed at load time: functions are inlined as in a program.
target_compile_options(haptic_flags INTERFACE
  -march=x86-64-v3 -ffp-contract=off -fPIC -fno-semantic-interposition -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion $<$<BOOL:${HAPTIC_WERROR}>:-Werror>
  # Vector-typedef template arguments inside Eigen and SIMD headers; and what g++ 12 warns of without reason.
  -Wno-ignored-attributes
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overread
    -Wno-stringop-overflow>)
# Least size of g++'s heap before it collects garbage [KiB]. The default, 128 MiB, is less than the precompiled headers
# take; a compilation takes an eighth less time without collecting them again and again, and a fifth more memory.
target_compile_options(haptic_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1000000>)
if(NOT HAPTIC_UNITY STREQUAL OFF)
  # g++ takes a source file that a unity file includes for a header; clang warns of names that another file's unnamed
  # namespace has, too, which g++ does not and which is no error.
  target_compile_options(haptic_flags INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage> $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-shadow>)
endif()
target_include_directories(haptic_flags INTERFACE ${CMAKE_SOURCE_DIR})
if(HAPTIC_SANITIZE)
  target_compile_options(haptic_flags INTERFACE -fsanitize=${HAPTIC_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(haptic_flags INTERFACE -fsanitize=${HAPTIC_SANITIZE})
  # A vector that is read before it is written, which these sanitizers do not detect, gives NaN.
  if(HAPTIC_SANITIZE MATCHES "address")
    target_compile_definitions(haptic_flags INTERFACE EIGEN_INITIALIZE_MATRICES_BY_NAN)
  endif()
  # A fuzzed model spends half its time on reports of comparisons, and most of the rest in Eigen's small products,
  # which the pointer checks prevent from being inlined; AddressSanitizer checks the bounds of Eigen.
  if(HAPTIC_FUZZ)
    target_compile_options(haptic_flags INTERFACE -fno-sanitize-coverage=trace-cmp
      -fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/cmake/fuzz_ignored.txt)
  endif()
endif()

# haptic_optimise_lightly(TARGET...): -O1 in a Release build, which takes two thirds of the time of -O3. For code that
# neither runs in the daemon's cycle nor computes for long: command lines, reports, files. Tests' own code is compiled
# so, too; what it tests are the libraries, with the optimisation that they are shipped with.
#
# g++ ignores a level other than that of the precompiled headers; cmake/Precompiled.cmake has some of each.
function(haptic_optimise_lightly)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    foreach(name IN LISTS ARGN)
      target_compile_options(${name} PRIVATE -O1)
      set_target_properties(${name} PROPERTIES HAPTIC_LIGHTLY TRUE)
    endforeach()
  endif()
endfunction()

# haptic_library(NAME SOURCES a.cpp ... LINK lib ...): one static library per folder. What it links
# is the whole of what it may include; the layering test (tests/layering_test.py) checks the rest.
function(haptic_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC haptic_flags ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
    if(ARG_LINK MATCHES "GTest::")
      haptic_optimise_lightly(${name})
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE haptic_flags ${ARG_LINK})
  endif()
endfunction()

# What `./dev threads` builds: the tests with the label "threads", and the programs that they start.
add_custom_target(programs_with_threads)

# haptic_test(NAME SOURCES a_test.cpp ... LINK lib ... LABELS label ...): a GoogleTest program, one
# ctest per case. Its label is "threads" where threads or processes share memory.
function(haptic_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE haptic_flags ${ARG_LINK} GTest::gtest_main)
  haptic_optimise_lightly(${name})
  set(timeout 600)
  if(HAPTIC_SANITIZE)  # which slow the solvers down by a factor of twenty and more
    set(timeout 3600)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${timeout} LABELS "${ARG_LABELS}")
  if("threads" IN_LIST ARG_LABELS)
    add_dependencies(programs_with_threads ${name})
  endif()
endfunction()
