# SPDX-License-Identifier: Apache-2.0
# cmake -D program=P -D expected=E -P compare_output.cmake: P must print what the file E holds and
# succeed.
execute_process(COMMAND ${program} OUTPUT_VARIABLE printed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${program} ended with ${status}\n${printed}")
endif()
file(READ ${expected} wanted)
if(NOT printed STREQUAL wanted)
    message(FATAL_ERROR "${expected} differs. Printed:\n${printed}")
endif()
