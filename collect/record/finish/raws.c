#include "collect/record/finish/raws.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/exact/convert/convert.h"
#include "collect/record/finish/leftover.h"
#include "collect/record/run_files.h"
#include "collect/sample/host.h"

/* The tool describes the processes; the machine is described here. */
json_t *raws_metadata(json_t *run)
{
    static const char *const OF_PROCESS[] = {"pid", "exe", "arguments", "start_monotonic_ns", "start_realtime"};
    json_t *host = run ? json_object() : NULL;
    if (!host)
        return run;
    host_describe(host);
    for (size_t i = 0; i < sizeof OF_PROCESS / sizeof *OF_PROCESS; i++)
        json_object_del(host, OF_PROCESS[i]);
    json_object_update(run, host);
    json_object_del(run, "source"); /* of samples */
    json_decref(host);
    return run;
}

static int raws_add_entry(json_t *entries, const char *name, const char *state, const char *problem)
{
    json_t *entry = json_pack("{s:s, s:s, s:i}", "file", name, "state", state, "sampled_cpu_ns", 0);
    if (entry && problem)
        json_object_set_new(entry, "problem", json_string(problem));
    return json_array_append_new(entries, entry) == 0 ? 0 : ENOMEM;
}

/* Whether the process left another file after this one, as it does when it executes a program. */
static bool raws_has_successor(const char *directory, const char *raw)
{
    char path[RECORD_PATH_MAX + 512];
    const char *dot = strchr(raw + run_files_prefix_length(raw), '.');
    long next = dot ? strtol(dot + 1, NULL, 10) + 1 : 1; /* after the dot: N, or "exact" */
    for (const char *const *end = (const char *const[]){"exact", "trace", NULL}; *end; end++) {
        snprintf(path, sizeof path, "%s/%.*s-%d.%ld.%s", directory, (int)run_files_prefix_length(raw), raw,
                 (int)run_files_pid(raw), next, *end);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

/* The functions that processes of a run have by the names that the user gave. */
struct named {
    json_t *functions, *similar;
    char trace[512]; /* the last one */
};

static int raws_convert_file(const char *directory, const char *raw, const json_t *base, json_t *entries,
                             json_t *problems, struct named *named)
{
    char from[RECORD_PATH_MAX + 512], to[RECORD_PATH_MAX + 1024], name[512];
    struct convert_report report = {0};
    struct error_text message;
    snprintf(name, sizeof name, "%.*s.trace", (int)run_files_stem_length(raw), raw);
    snprintf(from, sizeof from, "%s/%s", directory, raw);
    snprintf(to, sizeof to, "%s/%s", directory, name);
    if (leftover_has_open(run_files_pid(raw), from))
        return raws_add_entry(entries, name, "running", NULL);
    enum convert_status status = convert_raw(from, to, base, &report, &message);
    if (status == CONVERT_DONE) {
        const char *function;
        const json_t *count;
        json_object_foreach(report.functions, function, count)
        {
            json_int_t before = json_integer_value(json_object_get(named->functions, function));
            json_object_set_new(named->functions, function, json_integer(before + json_integer_value(count)));
        }
        json_object_update(named->similar, report.similar);
        snprintf(named->trace, sizeof named->trace, "%s", name);
    }
    json_decref(report.functions);
    json_decref(report.similar);
    if (status == CONVERT_FAILED)
        return raws_add_entry(entries, raw, "damaged", message.text);
    if (status == CONVERT_DONE && *report.missing.text)
        json_object_set_new(problems, name, json_string(report.missing.text));
    else if (report.ended && report.end.kind == RAW_EXEC && report.end.status != RAW_EXEC_NOTED &&
             !raws_has_successor(directory, raw))
        json_object_set_new(problems, name,
                            json_string("its process then executed a program that is not measured (a "
                                        "JVM, or one that Valgrind can't run)"));
    return 0;
}

int raws_convert(const char *directory, const char *prefix, const json_t *base, json_t *entries, json_t *problems)
{
    struct run_files_list raws;
    struct named named = {.functions = json_object(), .similar = json_object()};
    int error = run_files_list_of(directory, prefix, RUN_FILES_RAW, &raws);
    if (error)
        raws = (struct run_files_list){0};
    for (size_t i = 0; i < raws.count && !error; i++)
        error = raws_convert_file(directory, raws.names[i], base, entries, problems, &named);
    /* Names that no function of any of the processes has are a problem of the last trace. */
    enum { SHOWN = 5 };
    struct error_text missing = {""};
    const char *name, *known = json_string_value(json_object_get(problems, named.trace));
    const json_t *count;
    size_t missed = 0;
    json_object_foreach(named.functions, name, count)
    {
        const char *similar = json_string_value(json_object_get(named.similar, name));
        if (json_integer_value(count) > 0 || missed++ >= SHOWN)
            continue;
        error_append(&missing, "%.200s%s%.200s%s", name, similar ? " (did you mean " : "", similar ? similar : "",
                     similar ? "?)" : "");
    }
    if (missed > 0)
        json_object_set_new(
            problems, named.trace,
            json_sprintf("%s%s--functions: %zu of %zu names are not of any function in the files of the "
                         "program: %s%s",
                         known ? known : "", known ? "; " : "", missed, json_object_size(named.functions), missing.text,
                         missed > SHOWN ? "; ..." : ""));
    run_files_free(&raws);
    json_decref(named.functions);
    json_decref(named.similar);
    return error;
}
