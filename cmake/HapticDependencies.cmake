find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
pkg_check_modules(systemd REQUIRED IMPORTED_TARGET libsystemd)
pkg_check_modules(comedi REQUIRED IMPORTED_TARGET comedilib)
pkg_check_modules(libusb REQUIRED IMPORTED_TARGET libusb-1.0)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()

# Highway, for vector instructions, is used as headers. Its library takes milliseconds to load; a program is linked
# with it only if it calls the assertions of these headers, in debug builds and under sanitizers.
pkg_check_modules(hwy REQUIRED libhwy)
add_library(haptic_highway INTERFACE)
target_include_directories(haptic_highway SYSTEM INTERFACE ${hwy_INCLUDE_DIRS})
list(JOIN hwy_LINK_LIBRARIES "," hwy_files)
target_link_libraries(haptic_highway INTERFACE "-Wl,--push-state,--as-needed,${hwy_files},--pop-state")

# xxHash is used as headers, to be compiled for AVX2; Debian's library is not.
pkg_check_modules(xxhash REQUIRED libxxhash)
add_library(haptic_xxhash INTERFACE)
target_include_directories(haptic_xxhash SYSTEM INTERFACE ${xxhash_INCLUDE_DIRS})
target_compile_definitions(haptic_xxhash INTERFACE XXH_INLINE_ALL)

# Headers alone: sparse distance fields.
find_path(NANOVDB_INCLUDE_DIR nanovdb/NanoVDB.h REQUIRED)
add_library(haptic_nanovdb INTERFACE)
target_include_directories(haptic_nanovdb SYSTEM INTERFACE ${NANOVDB_INCLUDE_DIR})

if(HAPTIC_HOST OR HAPTIC_FUZZ)  # logs, which are fuzzed, too
  set(HDF5_PREFER_PARALLEL OFF)
  find_package(HDF5 REQUIRED COMPONENTS C)
  find_package(ZLIB REQUIRED)  # chunks of HDF5, Parquet files of `haptic export`
endif()
if(HAPTIC_HOST)
  find_package(TBB REQUIRED)
  find_package(embree 4 QUIET)  # Debian 13 has it, Debian 12 its predecessor
  if(NOT embree_FOUND)
    find_package(embree 3 REQUIRED)
  endif()
  find_package(spectra REQUIRED)
  find_package(PNG REQUIRED)
  pkg_check_modules(epoxy REQUIRED IMPORTED_TARGET epoxy)
  pkg_check_modules(ncursesw REQUIRED ncursesw)
  pkg_check_modules(egl REQUIRED IMPORTED_TARGET egl)
  pkg_check_modules(glfw REQUIRED IMPORTED_TARGET glfw3)
  pkg_check_modules(imgui REQUIRED IMPORTED_TARGET imgui)

  # The find module of OpenVDB requires Boost components that only its file formats need.
  find_package(Imath REQUIRED)
  find_path(OPENVDB_INCLUDE_DIR openvdb/openvdb.h REQUIRED)
  find_library(OPENVDB_LIBRARY openvdb REQUIRED)
  add_library(haptic_openvdb INTERFACE)
  target_include_directories(haptic_openvdb SYSTEM INTERFACE ${OPENVDB_INCLUDE_DIR})
  target_link_libraries(haptic_openvdb INTERFACE ${OPENVDB_LIBRARY} TBB::tbb Imath::Imath)

  find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
  find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
  add_library(haptic_cholmod INTERFACE)
  target_include_directories(haptic_cholmod SYSTEM INTERFACE ${CHOLMOD_INCLUDE_DIR})
  target_link_libraries(haptic_cholmod INTERFACE ${CHOLMOD_LIBRARY})

  # LAPACK, on which CHOLMOD depends. Its C headers are a separate package: left_svd.cpp declares the one function it calls.
  find_library(LAPACK_LIBRARY lapack REQUIRED)
  add_library(haptic_lapack INTERFACE)
  target_link_libraries(haptic_lapack INTERFACE ${LAPACK_LIBRARY})

  # Optional: with it `mpirun haptic bake` works. The C interface only; only haptic-bake links it.
  find_package(MPI COMPONENTS C)

  if(HAPTIC_BENCH)
    find_package(benchmark REQUIRED)
    pkg_check_modules(openblas REQUIRED IMPORTED_TARGET openblas)  # reference of the kernel benchmarks
    # Optional: the baseline of the experiment `bowls`.
    pkg_check_modules(bullet QUIET IMPORTED_TARGET bullet-float64)
  endif()
endif()

if(HAPTIC_PYTHON_MODULE)
  # The system's own interpreter: the package is for that one.
  find_program(Python3_EXECUTABLE python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Module)
  find_package(pybind11 2.10 REQUIRED CONFIG)
endif()
