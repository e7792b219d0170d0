# SPDX-License-Identifier: Apache-2.0
# gk_embed(TARGET NAME PATTERN): makes the matching text files a constant of the program:
# `extern const std::vector<std::pair<std::string_view, std::string_view>> gk::NAME` (stem, text).
function(gk_embed target name pattern)
  file(GLOB files CONFIGURE_DEPENDS ${pattern})
  set(entries "")
  foreach(file IN LISTS files)
    get_filename_component(stem ${file} NAME_WLE)
    file(READ ${file} text)
    string(APPEND entries "    {\"${stem}\", R\"gk_embed(${text})gk_embed\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  set(generated ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT
"#include \"gk/embedded.hpp\"

namespace gk {
const std::vector<EmbeddedFile> ${name} = {
@entries@};
}  // namespace gk
")
  target_sources(${target} PRIVATE ${generated})
endfunction()
