# SPDX-License-Identifier: Apache-2.0
# Finds nvcc, which CMake looks for in PATH only, and makes CUDA a language of the project. Sets
# GK_HAS_CUDA, GK_NVCC and, where it is left out, GK_WHY_NOT_CUDA.
set(found FALSE)
set(why "no nvcc was found (CUDACXX, CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda, .venv)")
if(NOT GK_WITH_CUDA STREQUAL "OFF")
  # The last place holds NVIDIA's Python packages, where scripts/setup.sh had to install them.
  file(GLOB wheels ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13/bin)
  find_program(GK_NVCC NAMES $ENV{CUDACXX} nvcc NO_DEFAULT_PATH
               PATHS "$ENV{CUDA_HOME}/bin" "$ENV{CUDA_PATH}/bin" ENV PATH
                     /usr/local/cuda/bin ${wheels})
  # Before the language is enabled: code for no architecture but those of gk_cuda_code(), and the
  # runtime is linked by hand, because gk_bench_emulated has another one.
  set(CMAKE_CUDA_ARCHITECTURES OFF)
  set(CMAKE_CUDA_RUNTIME_LIBRARY None)
  if(GK_NVCC)
    set(ENV{CUDACXX} ${GK_NVCC})
    include(CheckLanguage)
    check_language(CUDA)
    set(why "${GK_NVCC} does not work: see CMakeFiles/CMakeError.log in the build folder")
  endif()
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    # Not find_package(CUDAToolkit): in NVIDIA's Python packages it looks for a libcudart.so that is
    # not there, and takes the first that the system has.
    set(toolkit ${CMAKE_CUDA_COMPILER_LIBRARY_ROOT})
    find_library(GK_CUDART_STATIC cudart_static
                 HINTS ${toolkit} PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.0)
      set(why "nvcc is ${CMAKE_CUDA_COMPILER_VERSION}, and 13.0 is the oldest that was tried")
    elseif(NOT GK_CUDART_STATIC)
      set(why "libcudart_static.a was not found beside ${GK_NVCC}")
    else()
      set(found TRUE)
    endif()
  endif()
endif()
gk_optional(CUDA ${found} "${why}")

if(GK_HAS_CUDA)
  add_library(gk_cuda_headers INTERFACE)
  target_include_directories(gk_cuda_headers SYSTEM INTERFACE
                             ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
  find_package(Threads REQUIRED)
  # The static one: a program starts where no driver and no toolkit is.
  add_library(gk_cudart INTERFACE)
  target_link_libraries(gk_cudart INTERFACE ${GK_CUDART_STATIC} Threads::Threads rt
                                            ${CMAKE_DL_LIBS})
endif()

# CMake 3.25 does not know nvcc's flag; set before the language is enabled, it breaks its checks.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)

# gk_cuda_options(TARGET): how every .cu file is compiled. The PTX stays readable in the object,
# with line numbers, because the emulator executes it; a register spill is a warning; what ptxas
# says of each kernel lies beside the object, for tests/scripts/machine_code_test.py.
function(gk_cuda_options target)
  set(options --no-compress -lineinfo -Xcompiler=-Wall,-Wextra -Xptxas=-v,--warn-on-spills
              --generate-code=arch=compute_90a,code=[compute_90a,sm_90a])
  if(GK_WERROR)
    list(APPEND options -Werror=all-warnings -Xcompiler=-Werror)
  endif()
  if(GK_SANITIZE)
    string(REPLACE "," ";" sanitizers "${GK_SANITIZE}")
    list(TRANSFORM sanitizers PREPEND -Xcompiler=-fsanitize=)
    list(APPEND options ${sanitizers} -Xcompiler=-fno-omit-frame-pointer
                        -Xcompiler=-fno-sanitize-recover=all)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${options}>")
  set_target_properties(${target} PROPERTIES
    CUDA_COMPILER_LAUNCHER "sh;${PROJECT_SOURCE_DIR}/cmake/keep_ptxas_log.sh")
endfunction()

# gk_portable(SOURCE...): these files need nothing of Hopper, and get machine code for sm_80 too.
function(gk_portable)
  set_property(SOURCE ${ARGN} APPEND PROPERTY
    COMPILE_OPTIONS --generate-code=arch=compute_80,code=[compute_80,sm_80])
endfunction()
