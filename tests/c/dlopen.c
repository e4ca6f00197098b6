/* SPDX-License-Identifier: Apache-2.0 */
/* dlopen FILE: loads the library by name, as interpreters do, and calls it through pointers. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <trestle.h>

int main(int count, char **arguments) {
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*create)(trestle_format, const char *, trestle_cluster **, trestle_error *);
    int (*nodes)(const trestle_cluster *, uint32_t *, trestle_error *);
    void (*free_cluster)(trestle_cluster *);
    trestle_cluster *cluster = NULL;
    trestle_error error;
    uint32_t number = 0;
    if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
    /* ISO C has no cast from an object pointer to a function pointer. */
    *(void **)&create = dlsym(library, "trestle_cluster_create");
    *(void **)&nodes = dlsym(library, "trestle_node_count");
    *(void **)&free_cluster = dlsym(library, "trestle_cluster_free");
    if (create == NULL || nodes == NULL || free_cluster == NULL) return 1;
    if (create(TRESTLE_NODE_TEXT, "3 x (8c mem=32G)", &cluster, &error) != TRESTLE_OK) return 1;
    if (nodes(cluster, &number, &error) != TRESTLE_OK || number != 3) return 1;
    /* An exception inside becomes a code here. */
    if (create(TRESTLE_NODE_TEXT, "3 x (nothing", &cluster, &error) != TRESTLE_INVALID) return 1;
    if (cluster != NULL || strlen(error.message) == 0) return 1;
    printf("%s\n", error.message);
    return dlclose(library);
}
