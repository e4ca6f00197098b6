# SPDX-License-Identifier: Apache-2.0
# The program `trestle`: all of src/tool. Its parts are a library, for their tests.
if(NOT TARGET trestle_dialect OR NOT TARGET trestle_os)
    return()
endif()
find_package(CLI11 CONFIG QUIET)
if(NOT CLI11_FOUND)
    message(STATUS "CLI11 is not installed (Debian: libcli11-dev): the program trestle is left out")
    return()
endif()
find_package(Threads REQUIRED)
trestle_glob(tool_sources src/tool/*.cpp)
set(tool_main ${PROJECT_SOURCE_DIR}/src/tool/main.cpp)
set(pages_main ${PROJECT_SOURCE_DIR}/src/tool/pages_main.cpp)
list(REMOVE_ITEM tool_sources ${tool_main} ${pages_main})
add_library(trestle_tool_parts STATIC ${tool_sources})
target_include_directories(trestle_tool_parts PRIVATE src)
target_link_libraries(trestle_tool_parts PUBLIC trestle::trestle CLI11::CLI11 Threads::Threads)
trestle_units(trestle_tool_parts ${tool_sources})
add_executable(trestle_tool ${tool_main})
target_link_libraries(trestle_tool PRIVATE trestle_tool_parts)
set_target_properties(trestle_tool PROPERTIES OUTPUT_NAME trestle
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
# The manual page and the completions of shells, written by a program that has the same options.
add_executable(trestle_tool_pages ${pages_main})
target_link_libraries(trestle_tool_pages PRIVATE trestle_tool_parts)
set(tool_pages ${PROJECT_BINARY_DIR}/tool_pages)
# Distributions install manual pages compressed.
find_program(GZIP_PROGRAM gzip)
if(GZIP_PROGRAM)
    set(compress_manual COMMAND ${GZIP_PROGRAM} -9nkf ${tool_pages}/man/man1/trestle.1)
    set(plain_manual PATTERN "*.1" EXCLUDE)
endif()
add_custom_command(OUTPUT ${tool_pages}.stamp
    COMMAND trestle_tool_pages ${tool_pages}
    ${compress_manual}
    COMMAND ${CMAKE_COMMAND} -E touch ${tool_pages}.stamp
    DEPENDS trestle_tool_pages VERBATIM)
add_custom_target(trestle_tool_texts ALL DEPENDS ${tool_pages}.stamp)
if(TRESTLE_INSTALL)
    install(TARGETS trestle_tool RUNTIME COMPONENT tools)
    install(DIRECTORY ${tool_pages}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT tools
        ${plain_manual})
endif()
