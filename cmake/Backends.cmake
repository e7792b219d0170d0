# SPDX-License-Identifier: Apache-2.0
# A kernel file's stem says what it needs. What is missing is left out, and said.

# The backend of a file stem: the first entry whose prefix matches.
set(GK_BACKEND_OF_cpu HIGHWAY)
set(GK_BACKEND_OF_onednn ONEDNN)
set(GK_BACKEND_OF_cuda CUDA)

# Folders whose .cu files need nothing of Hopper: built for sm_80 too, so that an A100 or an L40S
# has more to run than "no kernel image". Everything else is built for sm_90a alone.
set(GK_PORTABLE_CUDA "kernels/(ceiling|elementwise)_")

# gk_kernel_sources(OUT): all kernels/*/*.cpp that this machine can build. Files whose stem begins
# with no backend's name (problem.cpp) belong to the op itself and are always built.
function(gk_kernel_sources out)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/*/*.cpp)
  set(kept "")
  foreach(source IN LISTS sources)
    get_filename_component(stem ${source} NAME_WE)
    string(REGEX MATCH "^[a-z]+" prefix ${stem})
    set(backend "${GK_BACKEND_OF_${prefix}}")
    if(NOT backend OR GK_HAS_${backend})
      list(APPEND kept ${source})
    endif()
  endforeach()
  set(${out} ${kept} PARENT_SCOPE)
endfunction()

# gk_cuda_sources(OUT): all kernels/*/cuda_*.cu.
function(gk_cuda_sources out)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/*/cuda_*.cu)
  foreach(source IN LISTS sources)
    if(source MATCHES "${GK_PORTABLE_CUDA}")
      gk_portable(${source})
    endif()
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

set(GK_KERNEL_LIBRARIES "")
if(GK_HAS_HIGHWAY)
  list(APPEND GK_KERNEL_LIBRARIES hwy::hwy)
  message(STATUS "gk: built: cpu_* (Highway ${hwy_VERSION})")
else()
  message(STATUS "gk: left out: cpu_*, because ${GK_WHY_NOT_HIGHWAY}")
endif()
if(GK_HAS_ONEDNN)
  list(APPEND GK_KERNEL_LIBRARIES gk_dnnl)
  message(STATUS "gk: built: onednn* (${DNNL_LIBRARY})")
else()
  message(STATUS "gk: left out: onednn*, because ${GK_WHY_NOT_ONEDNN}")
endif()
if(GK_HAS_CUDA)
  message(STATUS "gk: built: cuda_* (nvcc ${CMAKE_CUDA_COMPILER_VERSION}, sm_90a; elementwise and "
                 "ceilings also sm_80)")
else()
  message(STATUS "gk: left out: cuda_*, because ${GK_WHY_NOT_CUDA}")
endif()
