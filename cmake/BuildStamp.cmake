# SPDX-License-Identifier: Apache-2.0
# Writes build_stamp.hpp: commit, dirty flag, build type. Run at every build; touches the file only
# when something changed. Results do not make a tree dirty: a run may be committed after it.
if(CMAKE_SCRIPT_MODE_FILE)
  set(commit "")
  set(dirty false)
  execute_process(COMMAND git rev-parse --verify --quiet HEAD WORKING_DIRECTORY ${SOURCE_DIR}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND git status --porcelain --untracked-files=no -- . :!results
                  WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    set(dirty true)
  endif()
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#pragma once
namespace gk::benches {
inline constexpr const char* kCommit = \"@commit@\";
inline constexpr bool kDirty = @dirty@;
inline constexpr const char* kBuildType = \"@BUILD_TYPE@\";
inline constexpr const char* kSourceFolder = \"@SOURCE_DIR@\";
}  // namespace gk::benches
")
  return()
endif()

function(gk_add_build_stamp target)
  set(folder ${PROJECT_BINARY_DIR}/generated)
  string(TOLOWER ${CMAKE_BUILD_TYPE} type)
  if(type MATCHES "^(release|relwithdebinfo|minsizerel)$" AND NOT GK_SANITIZE)
    set(type release)
  else()
    set(type debug)
  endif()
  add_custom_target(gk_build_stamp BYPRODUCTS ${folder}/build_stamp.hpp
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DBUILD_TYPE=${type}
            -DOUTPUT=${folder}/build_stamp.hpp
            -P ${PROJECT_SOURCE_DIR}/cmake/BuildStamp.cmake)
  add_dependencies(${target} gk_build_stamp)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
