# SPDX-License-Identifier: Apache-2.0
# tidy.library_symbols: the calls in the code of the libraries, where they are compiled without
# optimisation, so that what the standard library throws stays in functions of its own.
find_package(Python COMPONENTS Interpreter)
if(NOT Python_FOUND OR NOT CMAKE_BUILD_TYPE STREQUAL "Debug"
   OR "${CMAKE_CXX_FLAGS_DEBUG} ${TRESTLE_LIBRARY_OPTIONS}" MATCHES "-O[1-3sz]")
    return()
endif()
foreach(library IN ITEMS core dialect os)
    if(TARGET trestle_${library})
        list(APPEND library_objects $<TARGET_OBJECTS:trestle_${library}>)
    endif()
endforeach()
add_test(NAME tidy.library_symbols
         COMMAND Python::Interpreter ${CMAKE_CURRENT_LIST_DIR}/symbols.py ${library_objects}
         COMMAND_EXPAND_LISTS)
set_tests_properties(tidy.library_symbols PROPERTIES LABELS fast)
