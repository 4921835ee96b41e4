#include "collect/experiment/state/state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/replace.h"
#include "base/transfer.h"
#include "base/json_file.h"
#include "collect/experiment/state/machine.h"
#include "collect/record/directory.h"
#include "collect/record/log.h"
#include "collect/record/series_file.h"

static int state_load_json(const char *data, const char *name, json_t **root, struct error_text *message)
{
    char path[RECORD_PATH_MAX];
    json_error_t problem;
    snprintf(path, sizeof path, "%s/%s", data, name);
    if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
        *root = json_object();
        return STATUS_GOOD;
    }
    *root = json_load_file(path, 0, &problem);
    if (json_is_object(*root))
        return STATUS_GOOD;
    return error_set(message, STATUS_BAD, "%.400s: %.80s", path, *root ? "it is not an object" : problem.text);
}

static struct state_start *state_grow_starts(struct obstack *memory, struct state *state)
{
    state->starts =
        memory_lengthen(memory, state->starts, state->start_count, &state->start_capacity, sizeof *state->starts);
    return &state->starts[state->start_count++];
}

/* The entry as a start, if it is one. */
static bool state_read_start(struct obstack *memory, const json_t *entry, struct state_start *start)
{
    const char *cell = json_string_value(json_object_get(entry, "cell"));
    const json_t *load = json_object_get(entry, "load");
    if (!cell)
        return false;
    *start = (struct state_start){.cell = memory_print(memory, "%s", cell),
                                  .round = (uint64_t)json_integer_value(json_object_get(entry, "round")),
                                  .warmup = (uint64_t)json_integer_value(json_object_get(entry, "warmup")),
                                  .machine = (size_t)json_integer_value(json_object_get(entry, "machine")),
                                  .load = json_is_number(load) ? json_number_value(load) : -1,
                                  .status = (int)json_integer_value(json_object_get(entry, "status")),
                                  .wall_s = json_number_value(json_object_get(entry, "wall_s")),
                                  .bytes = (uint64_t)json_integer_value(json_object_get(entry, "bytes"))};
    return true;
}

/* A line that a kill has cut is left out: series.json has the run that it describes. */
static void state_load_starts(struct obstack *memory, struct state *state)
{
    char path[RECORD_PATH_MAX], *line = NULL;
    size_t capacity = 0;
    snprintf(path, sizeof path, "%s/starts.jsonl", state->data);
    FILE *file = fopen(path, "re");
    while (file && getline(&line, &capacity, file) > 0) {
        struct state_start start;
        json_t *entry = json_loads(line, 0, NULL);
        if (state_read_start(memory, entry, &start))
            *state_grow_starts(memory, state) = start;
        json_decref(entry);
    }
    free(line);
    if (file)
        fclose(file);
}

static int state_choose_seed(struct state *state, const struct spec *spec, struct error_text *message)
{
    const json_t *stored = json_object_get(state->root, "seed");
    uint64_t seed = (uint64_t)json_integer_value(stored);
    if (stored && spec->seed_given && spec->seed != seed)
        return error_set(message, STATUS_BAD,
                         "%.300s was recorded with seed %" PRIu64 ", and the file has seed %" PRIu64
                         "; restore it, or choose another data:",
                         state->data, seed, spec->seed);
    if (!stored && !spec->seed_given && getrandom(&seed, sizeof seed, 0) != sizeof seed)
        seed = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();
    state->seed = spec->seed_given ? spec->seed : stored ? seed : seed % 1000000000;
    json_object_set_new(state->root, "seed", json_integer((json_int_t)state->seed));
    return STATUS_GOOD;
}

/* 0 or an errno value. */
static int state_lock(struct state *state, struct launcher *waits)
{
    int error = directory_make(state->data);
    for (bool noted = false; !error; noted = true) {
        error = directory_lock(state->data, &state->lock);
        if (error != EWOULDBLOCK || !waits || launch_interrupted(waits))
            return error;
        if (!noted)
            log_note("%s: waits for another assay experiment that is at work there", state->data);
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        error = 0;
    }
    return error;
}

int state_open(struct state *state, const struct spec *spec, bool lock, struct launcher *waits,
               struct error_text *message)
{
    char here[PATH_MAX];
    *state = (struct state){.data = spec->data, .lock = -1};
    state->running =
        memory_print(spec->memory, "%s/%s/running.json", getcwd(here, sizeof here) ? here : ".", spec->data);
    int error = lock ? state_lock(state, waits) : 0;
    if (error)
        return error_set(message, STATUS_BAD, "%.300s: %s", spec->data,
                         error == EWOULDBLOCK ? "another assay experiment is at work there" : strerror(error));
    if (state_load_json(spec->data, "state.json", &state->root, message) != 0 ||
        state_load_json(spec->data, "results.json", &state->made, message) != 0)
        return STATUS_BAD;
    state_load_starts(spec->memory, state);
    return state_choose_seed(state, spec, message);
}

void state_close(struct state *state)
{
    json_decref(state->root);
    json_decref(state->made);
    if (state->lock >= 0)
        close(state->lock);
    *state = (struct state){.lock = -1};
}

static int state_save_file(const struct state *state, const char *name, const json_t *content,
                           struct error_text *message)
{
    int error = directory_put(state->data, name, content);
    return error ? error_set(message, STATUS_BAD, "%.300s/%s: %s", state->data, name, strerror(error)) : STATUS_GOOD;
}

int state_save_own(struct state *state, struct error_text *message)
{
    return state_save_file(state, "state.json", state->root, message);
}

int state_save_made(struct state *state, struct error_text *message)
{
    return state_save_file(state, "results.json", state->made, message);
}

int state_set_machine(struct state *state, json_t *machine, bool mix, struct error_text *message)
{
    json_t *machines = json_object_get(state->root, "machines");
    char differences[700] = "";
    if (!json_is_array(machines)) {
        machines = json_array();
        json_object_set_new(state->root, "machines", machines);
    }
    size_t count = json_array_size(machines);
    for (state->machine = 0; state->machine < count; state->machine++) {
        machine_compare(json_array_get(machines, state->machine), machine, differences, sizeof differences);
        if (!*differences)
            break;
    }
    if (state->machine == count && count > 0 && !mix) {
        json_decref(machine);
        return error_set(message, STATUS_BAD,
                         "%.200s was recorded on another machine: %.600s; continue there, or --mix-machines",
                         state->data, differences);
    }
    if (state->machine == count)
        json_array_append(machines, machine);
    json_decref(machine);
    json_object_set_new(state->root, "assay", json_string(ASSAY_VERSION));
    return state_save_own(state, message);
}

int state_add_start(struct obstack *memory, struct state *state, const struct state_start *start,
                    struct error_text *message)
{
    char path[RECORD_PATH_MAX];
    *state_grow_starts(memory, state) = *start;
    json_t *entry = json_pack("{s:s, s:I, s:I, s:o, s:o, s:i, s:f, s:I}", "cell", start->cell, "round",
                              (json_int_t)start->round, "machine", (json_int_t)start->machine, "ended",
                              series_file_time(), "load", start->load < 0 ? json_null() : json_real(start->load),
                              "status", start->status, "wall_s", start->wall_s, "bytes", (json_int_t)start->bytes);
    if (entry && start->warmup > 0)
        json_object_set_new(entry, "warmup", json_integer((json_int_t)start->warmup));
    char *text = entry ? json_dumps(entry, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    snprintf(path, sizeof path, "%s/starts.jsonl", state->data);
    int fd = replace_append(path, O_RDWR), error = fd < 0 ? errno : 0;
    /* The line goes after the end of one that a kill has cut. */
    char last = '\n';
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    bool cut = size > 0 && transfer_read_at(fd, &last, 1, size - 1) == 1 && last != '\n';
    char *line = text ? memory_print(memory, "%s%s\n", cut ? "\n" : "", text) : NULL;
    if (!error && (!line || !transfer_write(fd, line, strlen(line))))
        error = errno ? errno : ENOMEM;
    if (fd >= 0 && close(fd) != 0 && !error)
        error = errno;
    free(text);
    json_decref(entry);
    return error ? error_set(message, STATUS_BAD, "%.300s: %s", path, strerror(error)) : STATUS_GOOD;
}

int state_note_running(const struct state *state, const struct state_start *start, pid_t pid,
                       struct error_text *message)
{
    json_t *entry = json_pack("{s:s, s:I, s:I, s:o, s:I, s:{s:i, s:I}}", "cell", start->cell, "round",
                              (json_int_t)start->round, "machine", (json_int_t)start->machine, "load",
                              start->load < 0 ? json_null() : json_real(start->load), "bytes", (json_int_t)start->bytes,
                              "running", "pid", (int)pid, "start_ticks", series_file_process_start(pid));
    char *fresh = replace_name(state->running);
    int error = entry && fresh ? 0 : ENOMEM;
    int fd = error ? -1 : replace_create(fresh, 0666);
    if (!error)
        error = fd < 0 ? errno : json_file_write(fd, entry, JSON_COMPACT);
    if (fd >= 0 && close(fd) != 0 && !error)
        error = errno;
    if (fresh)
        error = replace_end(fresh, state->running, error);
    free(fresh);
    json_decref(entry);
    return error ? error_set(message, STATUS_BAD, "%.400s: %s", state->running, strerror(error)) : STATUS_GOOD;
}

bool state_load_running(struct obstack *memory, const struct state *state, struct state_start *start)
{
    json_t *entry = json_load_file(state->running, 0, NULL);
    bool found = state_read_start(memory, entry, start);
    json_decref(entry);
    return found;
}

bool state_is_running(const struct state *state)
{
    json_t *entry = json_load_file(state->running, 0, NULL);
    bool found = series_file_running(entry) > 0;
    json_decref(entry);
    return found;
}

void state_forget_running(const struct state *state)
{
    unlink(state->running);
}

bool state_is_last_start(const struct state *state, const struct state_start *start)
{
    const struct state_start *last = state->start_count ? &state->starts[state->start_count - 1] : NULL;
    return last && last->round == start->round && strcmp(last->cell, start->cell) == 0;
}

size_t state_count_failures(const struct state *state, const char *cell)
{
    size_t count = 0;
    for (size_t i = state->start_count; i-- > 0;)
        if (state->starts[i].warmup == 0 && strcmp(state->starts[i].cell, cell) == 0) {
            if (state->starts[i].status == 0)
                break;
            count++;
        }
    return count;
}

const struct state_start *state_find_start(const struct state *state, const char *cell, uint64_t round)
{
    for (size_t i = state->start_count; i-- > 0;)
        if (state->starts[i].round == round && strcmp(state->starts[i].cell, cell) == 0)
            return &state->starts[i];
    return NULL;
}
