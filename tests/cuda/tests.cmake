# SPDX-License-Identifier: Apache-2.0
# The same test objects, linked with two runtimes: gk_test_cuda needs a GPU and skips without one,
# gk_test_emulated executes the same kernels on the CPU, and tests the emulator itself.
file(GLOB GK_TEST_CUDA_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cuda/*.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/cuda/*.cu)
add_library(gk_test_cuda_objects OBJECT correctness_test.cpp ${GK_TEST_CUDA_SOURCES})
target_link_libraries(gk_test_cuda_objects PUBLIC gk gk_cuda_headers GTest::gtest)
gk_cuda_options(gk_test_cuda_objects)
list(FILTER GK_TEST_CUDA_SOURCES INCLUDE REGEX "\\.cu$")
gk_portable(${GK_TEST_CUDA_SOURCES})

add_executable(gk_test_cuda)
target_link_libraries(gk_test_cuda PRIVATE gk_test_cuda_objects gk_kernels GTest::gtest)
gk_link_cuda(gk_test_cuda gk_cudart)
# One entry: each process would pay for a context of its own, and each skip be a line.
add_test(NAME gpu COMMAND gk_test_cuda --gtest_brief=1)
set_tests_properties(gpu PROPERTIES LABELS gpu TIMEOUT 600 SKIP_RETURN_CODE 77)

file(GLOB_RECURSE GK_TEST_EMULATOR_SOURCES CONFIGURE_DEPENDS
     ${CMAKE_CURRENT_SOURCE_DIR}/emulator/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/emulator/*.cu)
add_executable(gk_test_emulated ${GK_TEST_EMULATOR_SOURCES})
gk_cuda_options(gk_test_emulated)
target_link_libraries(gk_test_emulated PRIVATE gk_test_cuda_objects gk_kernels GTest::gtest)
gk_link_cuda(gk_test_emulated gk_emulator)
gtest_discover_tests(gk_test_emulated TEST_PREFIX emulated. DISCOVERY_TIMEOUT 60
                     PROPERTIES LABELS emulated TIMEOUT 300 ENVIRONMENT GK_EMULATOR_ORDER=forward)

# Blocks and warps in other orders, all legal on a GPU: the kernels' tests, not the emulator's own.
foreach(order reverse random:1 random:2)
  string(REPLACE ":" "_" name emulated_${order})
  add_test(NAME ${name} COMMAND gk_test_emulated --gtest_brief=1
           --gtest_filter=*Cuda*:*Correctness*)
  set_tests_properties(${name} PROPERTIES
    LABELS emulated TIMEOUT 600 ENVIRONMENT GK_EMULATOR_ORDER=${order})
endforeach()
