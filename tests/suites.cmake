# SPDX-License-Identifier: Apache-2.0
# Read by ctest itself: enters the tests of one Catch2 program by tag. A tag that no test carries
# gets no entry, so that nothing passes by being empty.
#   folder          the fast tests: everything without one of the tags below    label fast
#   folder.slow     [slow]                                                     label slow
#   folder.threads  [threads], what ThreadSanitizer has to see                  label threads
#   folder.kernel   [privileged], on cgroup v2 here or in a VM                  label kernel
if(NOT EXISTS "${program}")
    add_test(${folder} "${program}")  # fails: not built
    return()
endif()

execute_process(COMMAND "${program}" --list-tags OUTPUT_VARIABLE tags)
add_test(${folder} "${program}" "~[slow]~[threads]~[privileged]")
set_tests_properties(${folder} PROPERTIES LABELS fast TIMEOUT 300)
foreach(tag IN ITEMS slow threads)
    if(tags MATCHES "\\[${tag}\\]")
        add_test(${folder}.${tag} "${program}" "[${tag}]")
        set_tests_properties(${folder}.${tag} PROPERTIES LABELS ${tag} TIMEOUT 900)
    endif()
endforeach()
if(tags MATCHES "\\[privileged\\]")
    add_test(${folder}.kernel sh "${in_vm}" "${program}")
    set_tests_properties(${folder}.kernel PROPERTIES
        LABELS kernel TIMEOUT 900 SKIP_RETURN_CODE 77)
endif()
