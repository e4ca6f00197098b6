/* SPDX-License-Identifier: Apache-2.0 */
/* A scheduler in C99: places jobs, explains what waits, and enforces one job without a machine. */
#include <stdio.h>
#include <stdlib.h>
#include <trestle.h>

static trestle_error error;

static void check(int code) {
    if (code == TRESTLE_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

static void print_and_free(char *text) {
    printf("%s\n", text);
    trestle_free(text);
}

int main(void) {
    trestle_cluster *cluster;
    trestle_request *request;
    trestle_placement *placement, *first;
    trestle_plan *plan;
    trestle_enforcer *enforcer;
    trestle_outcome outcome = {.struct_size = sizeof outcome};
    const char *const command[] = {"train", "--epochs=3", NULL};
    uint64_t job;
    int64_t pid;
    char *text;

    check(trestle_check_version(TRESTLE_HEADER_VERSION, &error));
    check(trestle_cluster_create(TRESTLE_NODE_TEXT, "(2s16c2t mem=512G gpu:a100:4)", &cluster, &error));
    check(trestle_request_create(TRESTLE_SRUN, "--gres=gpu:a100:2 -c 8 --mem=32G", &request, &error));
    for (job = 1; trestle_place(cluster, request, &placement, &error) == TRESTLE_OK; ++job) {
        check(trestle_commit(cluster, job, request, placement, &error));
        check(trestle_placement_text(placement, cluster, &text, &error));
        printf("job %d: ", (int)job);
        print_and_free(text);
        trestle_placement_free(placement);
    }
    printf("job %d: %s\n", (int)job, error.message);
    check(trestle_explain(cluster, request, TRESTLE_TEXT, &text, &error));
    print_and_free(text);

    check(trestle_allocation(cluster, 1, &first, &error));
    check(trestle_plan_create(cluster, 0, first, request, 1, "job_1", NULL, &plan, &error));
    check(trestle_enforcer_memory(&enforcer, &error));
    check(trestle_apply(enforcer, plan, NULL, &error));
    check(trestle_spawn(enforcer, plan, command, NULL, &pid, &error));
    check(trestle_end_process(enforcer, pid, 0, &error)); /* a machine would end it by itself */
    check(trestle_wait(enforcer, plan, pid, 1, &outcome, &error));
    check(trestle_remove(enforcer, "job_1", &error));
    check(trestle_release(cluster, 1, &error));
    printf("job 1 exited with %d\n", (int)outcome.exit_code);
    trestle_enforcer_free(enforcer), trestle_plan_free(plan), trestle_placement_free(first);
    trestle_request_free(request), trestle_cluster_free(cluster);
    return 0;
}
