#include "collect/record/finish/live.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"
#include "collect/exact/convert/convert.h"
#include "collect/record/finish/leftover.h"
#include "collect/record/run_files.h"
#include "collect/record/record.h"

/* The interval of the search for new and ended processes, and the sleep time when there is nothing to do. */
enum { LOOK_NS = 20000000, SLEEP_NS = 1000000 };

struct process {
    struct process *next;
    char raw[512];                 /* the name */
    struct conversion *conversion; /* NULL: it is done, */
    bool converted;                /* or can't be */
};

struct live {
    char directory[RECORD_PATH_MAX], prefix[RECORD_PREFIX_MAX];
    json_t *metadata, *problems;
    struct process *processes;
    pthread_t thread;
    _Atomic bool stop;
};

/* ---------------------------------------------------------------------------- one process -- */

static void live_raw_path(const struct live *live, const char *raw, char path[RECORD_PATH_MAX + 512])
{
    snprintf(path, RECORD_PATH_MAX + 512, "%s/%s", live->directory, raw);
}

static void live_trace_name(const char *raw, char name[512])
{
    snprintf(name, 512, "%.*s.trace", (int)run_files_stem_length(raw), raw);
}

static void live_end_process(struct live *live, struct process *process, const char *missing)
{
    char name[512];
    struct convert_report report;
    struct error_text message;
    enum convert_status status = convert_end(process->conversion, &report, &message);
    process->conversion = NULL;
    process->converted = status != CONVERT_FAILED;
    live_trace_name(process->raw, name);
    const char *text = status == CONVERT_FAILED ? message.text : missing ? missing : report.missing.text;
    if (*text)
        json_object_set_new(live->problems, name, json_string(text));
}

/* ---------------------------------------------------------------------------- all of them -- */

/* A process that has just begun is handled next time. Whether some were found, or are about to begin. */
static bool live_find_new(struct live *live)
{
    struct run_files_list raws;
    if (run_files_list_of(live->directory, live->prefix, RUN_FILES_RAW, &raws) != 0)
        return false;
    bool found = false;
    for (size_t i = 0; i < raws.count; i++) {
        const char *raw = raws.names[i];
        char from[RECORD_PATH_MAX + 512], to[RECORD_PATH_MAX + 1024], name[512];
        const struct process *known = live->processes;
        while (known && strcmp(known->raw, raw) != 0)
            known = known->next;
        struct process *process = known ? NULL : calloc(1, sizeof *process);
        if (!process)
            continue;
        live_raw_path(live, raw, from);
        live_trace_name(raw, name);
        snprintf(to, sizeof to, "%s/%s", live->directory, name);
        snprintf(process->raw, sizeof process->raw, "%s", raw);
        int error = convert_begin(from, to, live->metadata, &process->conversion);
        if (error == EAGAIN) {
            free(process);
            found |= leftover_has_open(run_files_pid(raw), from);
            continue;
        }
        if (error)
            json_object_set_new(live->problems, name, json_string(strerror(error)));
        process->next = live->processes;
        live->processes = process;
        found = true;
    }
    run_files_free(&raws);
    return found;
}

static void live_end_processes(struct live *live, bool running_too)
{
    char path[RECORD_PATH_MAX + 512];
    static const char MISSING[] = "its process outlived the run and was no longer recorded";
    for (struct process *process = live->processes; process; process = process->next) {
        if (!process->conversion)
            continue;
        live_raw_path(live, process->raw, path);
        if (!leftover_has_open(run_files_pid(process->raw), path))
            live_end_process(live, process, NULL);
        else if (running_too)
            live_end_process(live, process, MISSING);
    }
}

static void *live_run(void *user)
{
    struct live *live = user;
    uint64_t look_ns = 0;
    while (!atomic_load(&live->stop)) {
        if (clock_ns(CLOCK_MONOTONIC) >= look_ns) {
            live_find_new(live);
            live_end_processes(live, false);
            look_ns = clock_ns(CLOCK_MONOTONIC) + LOOK_NS;
        }
        bool moved = false;
        for (struct process *process = live->processes; process; process = process->next)
            if (process->conversion && convert_step(process->conversion, &moved) != 0)
                live_end_process(live, process, NULL);
        if (!moved)
            nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
    }
    /* A program may end just before its forked child creates its file. */
    enum { CALM = 2, MOST = 50 };
    for (unsigned looks = 0, calm = 0; calm < CALM && looks < MOST; looks++) {
        calm = live_find_new(live) ? 0 : calm + 1;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    live_end_processes(live, true);
    char path[RECORD_PATH_MAX + 512];
    for (const struct process *process = live->processes; process; process = process->next) {
        live_raw_path(live, process->raw, path);
        if (process->converted) /* not before: while the run continues the names stay reserved */
            unlink(path);
    }
    return NULL;
}

static void live_free(struct live *live)
{
    for (struct process *process = live->processes, *next; process; process = next) {
        next = process->next;
        free(process);
    }
    json_decref(live->metadata);
    json_decref(live->problems);
    free(live);
}

int live_begin(const char *directory, const char *prefix, const json_t *metadata, struct live **out)
{
    struct live *live = calloc(1, sizeof *live);
    if (!live)
        return ENOMEM;
    sigset_t before;
    snprintf(live->directory, sizeof live->directory, "%s", directory);
    snprintf(live->prefix, sizeof live->prefix, "%s", prefix);
    live->metadata = json_deep_copy(metadata);
    live->problems = json_object();
    signals_block(&before);
    int error = live->metadata && live->problems ? pthread_create(&live->thread, NULL, live_run, live) : ENOMEM;
    signals_restore(&before);
    if (error)
        live_free(live);
    else
        *out = live;
    return error;
}

json_t *live_end(struct live *live)
{
    atomic_store(&live->stop, true);
    pthread_join(live->thread, NULL);
    json_t *problems = json_incref(live->problems);
    live_free(live);
    return problems;
}
