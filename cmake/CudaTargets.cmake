# SPDX-License-Identifier: Apache-2.0
# gk_cuda (host code that calls the runtime), gk_kernels_cuda, and gk_emulator: the CUDA runtime
# that executes kernels on the CPU. Every program with CUDA code links one of two runtimes.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/gk/cuda_*.cpp)
add_library(gk_cuda OBJECT ${sources})
target_link_libraries(gk_cuda PUBLIC gk gk_cuda_headers)

gk_cuda_sources(sources)
add_library(gk_kernels_cuda OBJECT ${sources})
target_link_libraries(gk_kernels_cuda PUBLIC gk)
gk_cuda_options(gk_kernels_cuda)
# Which objects hold kernels: tests/scripts/machine_code_test.py reads their logs and machine code.
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/generated/cuda_objects.txt
     CONTENT "$<JOIN:$<TARGET_OBJECTS:gk_kernels_cuda>,\n>\n")

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/emulator/*.cpp)
list(FILTER sources EXCLUDE REGEX "/main.cpp$")
add_library(gk_emulator STATIC ${sources})
target_link_libraries(gk_emulator PUBLIC gk_options gk_cuda_headers
                      PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
# 32 lanes at a time in the host's vector registers: 10 x slower without, whatever the build type.
# Comparisons of floats become blends only where they may not trap. No contraction: PTX says itself
# which multiply and add are one.
list(FILTER sources INCLUDE REGEX "/emulator/interpreter/")
set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS
  "-O3;-march=x86-64-v3;-ffp-contract=off;-fno-math-errno;-fno-trapping-math;-fno-strict-aliasing")

# gk_link_cuda(TARGET RUNTIME): all CUDA code, with the runtime gk_cudart or gk_emulator.
# Linked by the C++ compiler: nvcc's own link step would add a runtime.
function(gk_link_cuda target runtime)
  target_link_libraries(${target} PRIVATE gk_kernels_cuda gk_cuda ${runtime})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# What the kernels move, for scripts/audit.sh; and how fast the emulator is.
add_executable(gk_audit emulator/audit/main.cpp)
target_link_libraries(gk_audit PRIVATE gk_kernels nlohmann_json::nlohmann_json)
gk_link_cuda(gk_audit gk_emulator)
add_executable(gk_emulator_speed emulator/speed/main.cpp)
target_link_libraries(gk_emulator_speed PRIVATE gk_kernels benchmark::benchmark)
gk_link_cuda(gk_emulator_speed gk_emulator)
