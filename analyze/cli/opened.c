#include "analyze/cli/opened.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/transfer.h"

#include "trace/import/profile_import.h"
#include "analyze/cli/spool.h"

/* Whether a file is to be opened as a trace. One that can't be read, or is empty, is: trace_open() says what is wrong
 * with it. */
static bool opened_is_trace(const char *file)
{
    char head[TRACE_MAGIC_BYTES];
    struct stat status;
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool readable = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    ssize_t length = readable ? transfer_read_at(fd, head, sizeof head, 0) : 0;
    bool directory = fd >= 0 && !readable && S_ISDIR(status.st_mode);
    if (fd >= 0)
        close(fd);
    return length <= 0 ? !directory : trace_has_magic(head, (size_t)length);
}

/* ------------------------------------------------------------------------------------------ which profile -- */

/* Whether a trace has the weight and the states that are asked for. */
static bool opened_trace_suits(const struct sink_result *result, const struct selection_wish *wish)
{
    struct trace *trace;
    struct error_text unused;
    struct trace_selection selection;
    if (!result->path)
        return false;
    if (!wish || (!wish->weight && !wish->states))
        return true;
    if (trace_open(result->path, &trace, &unused) != STATUS_GOOD)
        return false;
    bool has = selection_find(wish, trace, &selection, &unused) == STATUS_GOOD;
    trace_close(trace);
    return has;
}

/* The first of the usual profiles that the file has is used, whatever else it has. A name is followed by ':', '/' or
 * nothing. */
static const char *opened_choose_suitable(const struct import_result *result, const struct selection_wish *wish)
{
    static const char *const names[] = {"jdk.ExecutionSample",
                                        "jdk.CPUTimeSample",
                                        "cpu",
                                        "cpu-clock",
                                        "cpu-cycles",
                                        "cycles",
                                        "task-clock",
                                        "samples"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t i = 0; i < result->trace_count; i++) {
            const char *group = result->traces[i].group;
            size_t length = strlen(names[n]);
            if (strncmp(group, names[n], length) == 0 && strchr(":/", group[length]) &&
                opened_trace_suits(&result->traces[i], wish))
                return group;
        }
    for (size_t i = 0; i < result->trace_count; i++)
        if (opened_trace_suits(&result->traces[i], wish))
            return result->traces[i].group;
    return NULL;
}

/* ------------------------------------------------------------------------------------------ opening -- */

static int opened_add_trace(struct opened *opened, const char *file, const char *name, struct error_text *message)
{
    struct trace **traces = realloc(opened->traces, (opened->count + 1) * sizeof *traces);
    if (!traces)
        return error_set(message, STATUS_BAD, "out of memory");
    opened->traces = traces;
    int status = trace_open_named(file, name, &traces[opened->count], message);
    opened->count += status == STATUS_GOOD;
    return status;
}

static bool opened_trace_is_in_group(const struct sink_result *trace, const char *group)
{
    return trace->path && strcmp(trace->group, group) == 0;
}

static int opened_add_group(struct opened *opened, const char *path, const struct import_result *result,
                            const char *group, struct error_text *message)
{
    size_t members = 0;
    int status = STATUS_GOOD;
    for (size_t i = 0; i < result->trace_count; i++)
        members += opened_trace_is_in_group(&result->traces[i], group);
    for (size_t i = 0; i < result->trace_count && status == STATUS_GOOD; i++) {
        const struct sink_result *trace = &result->traces[i];
        char *name = NULL;
        if (!opened_trace_is_in_group(trace, group))
            continue;
        if ((members > 1 ? asprintf(&name, "%s (%s)", path, trace->name) : asprintf(&name, "%s", path)) < 0)
            return error_set(message, STATUS_BAD, "out of memory");
        status = opened_add_trace(opened, trace->path, name, message);
        /* What is missing on purpose, as assay import prints it. */
        uint64_t zero = trace->zero - trace->aside; /* the others have another weight */
        if (zero > 0)
            error_append(&opened->note, "%" PRIu64 " sample%s of weight 0 %s left out", zero, zero == 1 ? "" : "s",
                         zero == 1 ? "is" : "are");
        if (trace->cut > 0)
            error_append(&opened->note, "%" PRIu64 " stack%s cut to the %d innermost frames", trace->cut,
                         trace->cut == 1 ? " is" : "s are", TRACE_STACK_MAX - 1);
        free(name);
    }
    return status;
}

static int opened_import(const char *file, const char *path, const struct opened_options *wanted, struct opened *opened,
                         struct error_text *message)
{
    const struct sink_options options = {
        .profile = wanted->profile, .source = path, .raw_names = wanted->raw_names, .unnamed = true};
    struct import_result result;
    struct error_text problem = {""};
    int status = profile_import(file, &options, &result, &problem);
    const char *group = opened_choose_suitable(&result, wanted->selection);
    if (!group) /* none has what is asked for; the usual one can say so */
        group = opened_choose_suitable(&result, NULL);
    opened->imported = true;
    if (group) {
        opened->note = result.note;
        char others[512] = "";
        for (size_t i = 0; i < result.trace_count; i++)
            if (result.traces[i].path && strcmp(result.traces[i].group, group) != 0)
                error_list(others, sizeof others, result.traces[i].name);
        if (*others)
            error_append(&opened->note, "holds several profiles; this is %s, and --profile chooses another: %s", group,
                         others);
        if (status != STATUS_GOOD)
            opened->damage = problem;
        status = opened_add_group(opened, path, &result, group, message);
    } else {
        *message = problem;
        if (result.unlike)
            error_set(message, STATUS_BAD, "is not an assay trace, and %s", problem.text);
        if (status == STATUS_GOOD)
            status = error_set(message, STATUS_BAD, "holds no sample");
    }
    sink_free(result.sink);
    return status;
}

int opened_open(const char *path, const struct opened_options *options, struct opened *opened,
                struct error_text *message)
{
    struct opened fresh = {.traces = NULL};
    const char *file = spool_path(path);
    if (!file)
        return error_set(message, STATUS_BAD, "%s", strerror(errno));
    int status = opened_is_trace(file) ? opened_add_trace(&fresh, file, path, message)
                                       : opened_import(file, path, options, &fresh, message);
    if (status == STATUS_GOOD)
        *opened = fresh;
    else
        opened_close(&fresh);
    return status;
}

void opened_close(struct opened *opened)
{
    for (size_t i = 0; i < opened->count; i++)
        trace_close(opened->traces[i]);
    free(opened->traces);
    *opened = (struct opened){.traces = NULL};
}
