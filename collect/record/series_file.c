#include "collect/record/series_file.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "collect/record/directory.h"
#include "collect/record/run_files.h"

static const char STATE[] = "series.json";

json_t *series_file_time(void)
{
    char text[32];
    time_t now = time(NULL);
    struct tm parts;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    return json_string(text);
}

json_t *series_file_done(const struct series_file *series)
{
    return json_object_get(series->root, "done");
}

const char *series_file_id(const struct series_file *series)
{
    return json_string_value(json_object_get(series->root, "series"));
}

int series_file_save(const struct series_file *series, struct error_text *message)
{
    assert(series->root && *series->directory);
    int error = directory_put(series->directory, STATE, series->root);
    return error ? error_set(message, STATUS_BAD, "%.300s/%s: %s", series->directory, STATE, strerror(error))
                 : STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------- taking one up -- */

static int series_file_load(struct series_file *series, struct error_text *message)
{
    char path[RECORD_PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", series->directory, STATE);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return 0;
    json_error_t error;
    series->root = json_load_file(path, 0, &error);
    json_t *entry, *done = json_object_get(series->root, "done");
    size_t i;
    bool is_state = json_is_object(json_object_get(series->root, "configuration")) && json_is_array(done) &&
                    json_is_string(json_object_get(series->root, "series"));
    json_array_foreach(done, i, entry)
    {
        is_state = is_state && json_is_string(json_object_get(entry, "clock")) &&
                   json_is_integer(json_object_get(entry, "run")) && json_is_array(json_object_get(entry, "traces"));
    }
    if (!is_state)
        return error_set(message, STATUS_BAD, "%.300s: %.80s; choose another -o, or --overwrite", path,
                         series->root ? "it is not the state of a series" : error.text);

    /* A series that never got a trace (a misspelt command) is not worth keeping. */
    struct run_files_list traces;
    series->resumed = true;
    if (json_array_size(done) == 0 && run_files_list_of(series->directory, NULL, RUN_FILES_ALL, &traces) == 0) {
        series->resumed = traces.count > 0;
        run_files_free(&traces);
    }
    if (!series->resumed) {
        json_decref(series->root);
        series->root = NULL;
    }
    return 0;
}

bool series_file_peek_seed(const char *directory, uint64_t *seed, size_t *runs)
{
    char path[RECORD_PATH_MAX + 64];
    snprintf(path, sizeof path, "%.*s/%s", RECORD_PATH_MAX, directory, STATE);
    json_t *root = json_load_file(path, 0, NULL);
    const json_t *stored = json_object_get(json_object_get(root, "configuration"), "seed");
    bool found = json_is_integer(stored);
    *seed = (uint64_t)json_integer_value(stored);
    *runs = json_array_size(json_object_get(root, "done"));
    json_decref(root);
    return found;
}

/* "command" of the configuration, in readable form. */
static void series_file_describe_value(const json_t *value, char *text, size_t size)
{
    char *dump = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    size_t length = dump ? strlen(dump) : 0;
    snprintf(text, size, "%.*s%s", (int)(size - 4), dump ? dump : "not given", length > size - 4 ? "..." : "");
    free(dump);
}

/* Notes which variables were set, unset or changed. A series that does not know its environment is not compared. */
static int series_file_compare_environment(struct series_file *series, const json_t *was, const json_t *is)
{
    json_t *all = json_copy((json_t *)(uintptr_t)was), *changed = json_object(), *either;
    const char *name;
    int error = json_object_update_missing(all, (json_t *)(uintptr_t)is);
    json_object_foreach(all, name, either)
    {
        json_t *before = json_object_get(was, name), *now = json_object_get(is, name);
        if (!before || !now || !json_equal(before, now))
            error |= json_object_set_new(changed, name, now ? json_incref(now) : json_null());
    }
    json_decref(all);
    if (was && !error && json_object_size(changed) > 0)
        series->environment = json_incref(changed);
    json_decref(changed);
    return was && error ? ENOMEM : 0;
}

/* What a key of the configuration is called in messages. */
static const char *series_file_key_name(const char *key)
{
    return strcmp(key, "labels") == 0        ? "set of labels"
           : strcmp(key, "interleaved") == 0 ? "list of commands that take turns"
                                             : key;
}

static int series_file_compare(struct series_file *series, json_t *configuration, struct error_text *message)
{
    json_t *stored = json_object_get(series->root, "configuration"), *all = json_copy(stored), *either;
    const char *key;
    int status = all ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
    if (!json_object_get(configuration, "seed"))
        json_object_set(configuration, "seed", json_object_get(stored, "seed"));
    json_object_update_missing(all, configuration);
    json_object_foreach(all, key, either)
    {
        const json_t *was = json_object_get(stored, key), *is = json_object_get(configuration, key);
        if (status || (was && is && json_equal(was, is)))
            continue;
        if (strcmp(key, SERIES_FILE_ENVIRONMENT) == 0) {
            if (series_file_compare_environment(series, was, is) != 0)
                status = error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
            continue;
        }
        char old[140], new[140];
        series_file_describe_value(was, old, sizeof old);
        series_file_describe_value(is, new, sizeof new);
        status = error_set(message, STATUS_BAD,
                           "%.120s holds another series: its %s is %s, not %s; choose another -o, or --overwrite",
                           series->directory, series_file_key_name(key), old, new);
    }
    json_decref(all);
    return status;
}

json_int_t series_file_process_start(pid_t pid)
{
    char path[64], line[1024] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    const char *at = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL; /* the name may hold anything */
    fclose(file);
    if (!at || strncmp(at, ") Z", 3) == 0)
        return 0;
    for (int field = 2; field < 22 && at; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : 0;
}

pid_t series_file_running(const json_t *root)
{
    const json_t *running = json_object_get(root, "running");
    pid_t pid = (pid_t)json_integer_value(json_object_get(running, "pid"));
    json_int_t start = json_integer_value(json_object_get(running, "start_ticks"));
    return pid > 0 && start != 0 && series_file_process_start(pid) == start ? pid : 0;
}

/* ----------------------------------------------------------------------------------------------- a new one -- */

static int series_file_create(struct series_file *series, json_t *configuration, struct error_text *message)
{
    struct run_files_list traces;
    int error = run_files_list(series->directory, NULL, &traces);
    if (error)
        return error_set(message, STATUS_BAD, "%.300s: %s", series->directory, strerror(error));
    if (traces.count > 0) {
        error_set(message, STATUS_BAD, "%.300s holds traces (%.80s) but no %s; choose another -o, or --overwrite",
                  series->directory, traces.names[0], STATE);
        run_files_free(&traces);
        return STATUS_BAD;
    }
    run_files_free(&traces);
    uint64_t random[2] = {0};
    if (getrandom(random, sizeof random, 0) != sizeof random)
        random[0] = (uint64_t)time(NULL) << 24 ^ (uint64_t)getpid();
    char id[17];
    snprintf(id, sizeof id, "%016" PRIx64, random[0]);
    if (!json_object_get(configuration, "seed"))
        json_object_set_new(configuration, "seed", json_integer((json_int_t)(random[1] >> 1)));
    series->root = json_pack("{s:s, s:s, s:o, s:O, s:n, s:[]}", "assay", ASSAY_VERSION, "series", id, "started",
                             series_file_time(), "configuration", configuration, "running", "done");
    return series->root ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
}

static int series_file_lock_directory(struct series_file *series, const char *directory, struct error_text *message)
{
    int error = directory_make(directory);
    char *real = error ? NULL : realpath(directory, NULL);
    if (!error && !real)
        error = errno;
    if (!error && strlen(real) >= sizeof series->directory)
        error = ENAMETOOLONG;
    json_t *text = real ? json_string(real) : NULL; /* agents receive it in JSON */
    if (!error && !text)
        error = EILSEQ;
    json_decref(text);
    if (!error) {
        strcpy(series->directory, real);
        error = directory_lock(real, &series->lock);
    }
    free(real);
    if (error)
        return error_set(message, STATUS_BAD, "%.300s: %s", directory,
                         error == EWOULDBLOCK ? "another assay-record is at work there"
                         : error == EILSEQ    ? "a name that is not UTF-8 can't be used"
                                              : strerror(error));
    return STATUS_GOOD;
}

/* Removes the traces and the state. 0 or an errno value. */
static int series_file_empty(const struct series_file *series)
{
    struct run_files_list traces;
    int error = run_files_list_of(series->directory, NULL, RUN_FILES_ALL, &traces);
    if (error)
        return error;
    for (size_t i = 0; !error && i < traces.count; i++)
        if (unlinkat(series->lock, traces.names[i], 0) != 0)
            error = errno;
    run_files_free(&traces);
    if (!error && unlinkat(series->lock, STATE, 0) != 0 && errno != ENOENT)
        error = errno;
    return error;
}

int series_file_discard(struct series_file *series)
{
    int error = series_file_empty(series);
    if (!error && rmdir(series->directory) != 0 && errno != ENOTEMPTY && errno != EEXIST)
        error = errno;
    return error;
}

/* A new series has no use for the profile of an earlier one in its directory. One that the user recorded there stays,
 * unless mode waste is to overwrite it with the series of the same command. */
static void series_file_remove_old_profile(const struct series_file *series, const struct record_options *options)
{
    char path[RECORD_PATH_MAX + 32];
    struct series_file profile = {.lock = -1};
    int length = snprintf(profile.directory, sizeof profile.directory, "%.*s/" RUN_SERIES_PROFILE, RECORD_PATH_MAX - 16,
                          series->directory);
    if (length >= (int)sizeof profile.directory || directory_lock(profile.directory, &profile.lock) != 0)
        return;
    snprintf(path, sizeof path, "%s/%s", profile.directory, STATE);
    profile.root = json_load_file(path, 0, NULL);
    bool overwrite = options->overwrite && strcmp(options->mode, "waste") == 0;
    const json_t *command = json_object_get(json_object_get(profile.root, "configuration"), "command"),
                 *own = json_object_get(json_object_get(series->root, "configuration"), "command");
    if (json_object_get(profile.root, RUN_SERIES_PROFILE_OF) || (overwrite && command && json_equal(command, own)))
        series_file_discard(&profile);
    series_file_close(&profile);
}

int series_file_open(struct series_file *series, const char *directory, json_t *configuration,
                     const struct record_options *options, struct error_text *message)
{
    *series = (struct series_file){.lock = -1};
    if (series_file_lock_directory(series, directory, message) != 0)
        goto fail;
    int error = options->overwrite ? series_file_empty(series) : 0;
    if (error) {
        error_set(message, STATUS_BAD, "%.300s: can't remove what it holds: %s", series->directory, strerror(error));
        goto fail;
    }
    if (series_file_load(series, message) != 0)
        goto fail;
    int status = series->resumed ? series_file_compare(series, configuration, message)
                                 : series_file_create(series, configuration, message);
    if (status != 0)
        goto fail;
    if (!series->resumed)
        series_file_remove_old_profile(series, options);
    pid_t pid = series->resumed ? series_file_running(series->root) : 0;
    if (pid > 0) {
        error_set(
            message, STATUS_BAD,
            "%.300s: the command of its interrupted run is still running (process %d); wait for it or end it first",
            series->directory, (int)pid);
        goto fail;
    }
    json_object_set_new(series->root, "runs", json_integer((json_int_t)options->runs));
    if (series_file_save(series, message) != 0)
        goto fail;
    return 0;
fail:
    series_file_close(series);
    return STATUS_BAD;
}

void series_file_close(struct series_file *series)
{
    json_decref(series->root);
    json_decref(series->environment);
    if (series->lock >= 0)
        close(series->lock);
    *series = (struct series_file){.lock = -1};
}

/* ---------------------------------------------------------------------------------------------------- runs -- */

bool series_file_has(const struct series_file *series, const struct record_run *run)
{
    json_t *entry;
    size_t i;
    json_array_foreach(series_file_done(series), i, entry)
    {
        if (json_integer_value(json_object_get(entry, "run")) == (json_int_t)run->number &&
            strcmp(json_string_value(json_object_get(entry, "clock")), run->clock->name) == 0)
            return true;
    }
    return false;
}

json_int_t series_file_ending(const json_t *entry, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(entry, "exit"), key));
}

int series_file_clean(struct series_file *series, struct error_text *message)
{
    series_file_remove_warmup(series);
    for (size_t i = json_array_size(series_file_done(series)); i-- > 0;)
        if (json_is_true(json_object_get(json_array_get(series_file_done(series), i), "interrupted")))
            json_array_remove(series_file_done(series), i);
    struct run_files_list traces;
    int error = run_files_list_of(series->directory, NULL, RUN_FILES_ALL, &traces);
    if (error)
        return error_set(message, STATUS_BAD, "%.300s: %s", series->directory, strerror(error));
    for (size_t i = 0; i < traces.count && !error; i++) {
        const char *name = traces.names[i];
        bool kept = false;
        size_t run;
        json_t *entry;
        json_array_foreach(series_file_done(series), run, entry)
        {
            const char *prefix = json_string_value(json_object_get(entry, "prefix"));
            kept |=
                prefix && strlen(prefix) == run_files_prefix_length(name) && strncmp(prefix, name, strlen(prefix)) == 0;
        }
        if (kept)
            continue;
        /* Including the unfinished trace made from it (base/replace.h). */
        char unfinished[512];
        snprintf(unfinished, sizeof unfinished, ".%.*s.trace.tmp", (int)run_files_stem_length(name), name);
        unlinkat(series->lock, unfinished, 0);
        error = unlinkat(series->lock, name, 0) == 0 ? 0 : errno;
    }
    if (error)
        error_set(message, STATUS_BAD, "%.300s: can't remove the traces of an interrupted run: %s", series->directory,
                  strerror(error));
    run_files_free(&traces);
    return error ? STATUS_BAD : STATUS_GOOD;
}

int series_file_begin(struct series_file *series, const struct record_run *run, pid_t pid, struct error_text *message)
{
    assert(series->root && run->number > 0);
    json_t *running =
        json_pack("{s:I, s:s, s:b, s:i, s:I}", "run", (json_int_t)run->number, "clock", run->clock->name, "warmup",
                  (int)run->warmup, "pid", (int)pid, "start_ticks", series_file_process_start(pid));
    json_object_set_new(series->root, "running", running);
    return series_file_save(series, message);
}

int series_file_end(struct series_file *series, json_t *entry, struct error_text *message)
{
    assert(series->root);
    json_object_set_new(series->root, "running", json_null());
    if (entry && series->environment)
        json_object_set(entry, SERIES_FILE_ENVIRONMENT, series->environment);
    if (entry)
        json_array_append_new(series_file_done(series), entry);
    return series_file_save(series, message);
}

void series_file_remove_warmup(const struct series_file *series)
{
    char location[RECORD_PATH_MAX + 16], path[RECORD_PATH_MAX + 512];
    struct run_files_list traces;
    snprintf(location, sizeof location, "%s/" RUN_SERIES_WARMUP, series->directory);
    if (run_files_list_of(location, NULL, RUN_FILES_ALL, &traces) != 0)
        return;
    for (size_t i = 0; i < traces.count; i++) {
        snprintf(path, sizeof path, "%s/%s", location, traces.names[i]);
        unlink(path);
    }
    run_files_free(&traces);
    rmdir(location);
}

void series_file_remove(struct series_file *series)
{
    unlinkat(series->lock, STATE, 0);
    rmdir(series->directory);
}
