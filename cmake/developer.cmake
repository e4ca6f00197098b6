# SPDX-License-Identifier: Apache-2.0
# What only contributors need. Flags are not set here but in CMakePresets.json.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# g++ collects its garbage when the heap has this size, in KiB: all compilers together keep a third of the memory. With
# 4 GB the largest unit of the Python module compiles in 64 s of CPU, in 4.7 GB; with 512 MiB in 70 s, in 3.7 GB.
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # in MiB
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR heap "${memory} * 1024 / (3 * ${cores})")
add_compile_options($<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=${heap}>)

# Programs with a sanitizer have some 150 MB: gold, where binutils still has it, links them in 4 s instead of 10.
find_program(GOLD ld.gold)
mark_as_advanced(GOLD)
if(GOLD AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=[^ ]*(address|thread)")
    add_link_options(-fuse-ld=gold)
endif()

# Objects are shared between build directories and clones: -g alone would put the directory into the hash.
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=1
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
        CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

# `cmake --build build/coverage --target coverage_report` after the tests have run.
find_program(GCOVR gcovr)
mark_as_advanced(GCOVR)
if(GCOVR AND CMAKE_CXX_FLAGS MATCHES "--coverage")
    add_custom_target(coverage_report
        COMMAND ${GCOVR} -r ${PROJECT_SOURCE_DIR} --filter include/ --filter src/
                --exclude-throw-branches --html-details coverage.html --print-summary -o coverage.txt .
        COMMAND ${CMAKE_COMMAND} -E cat coverage.txt
        WORKING_DIRECTORY ${PROJECT_BINARY_DIR} VERBATIM)
endif()
