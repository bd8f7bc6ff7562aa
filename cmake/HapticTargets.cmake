# One flag set for the whole tree: Eigen's alignment changes with the vector extensions, so
# translation units with different flags must never be linked into one binary.
add_library(haptic_flags INTERFACE)
target_compile_options(haptic_flags INTERFACE
  -march=x86-64-v3 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion $<$<BOOL:${HAPTIC_WERROR}>:-Werror>
  # Vector-typedef template arguments inside Eigen and SIMD headers; and what g++ 12 warns of without reason.
  -Wno-ignored-attributes
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overread
    -Wno-stringop-overflow>)
if(HAPTIC_UNITY)
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

# Tests' own code is compiled with -O1 in a Release build, which takes two thirds of the time of -O3; nothing is timed in
# it. What it tests are the libraries, with the optimisation that they are shipped with.
function(haptic_optimise_as_test name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${name} PROPERTIES HAPTIC_IS_TEST TRUE)
endfunction()

# haptic_library(NAME SOURCES a.cpp ... LINK lib ...): one static library per folder. What it links
# is the whole of what it may include; the layering test (tests/layering_test.py) checks the rest.
function(haptic_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC haptic_flags ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
    if(ARG_LINK MATCHES "GTest::")
      haptic_optimise_as_test(${name})
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
  haptic_optimise_as_test(${name})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 LABELS "${ARG_LABELS}")
  if("threads" IN_LIST ARG_LABELS)
    add_dependencies(programs_with_threads ${name})
  endif()
endfunction()
