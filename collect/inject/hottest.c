#include "collect/inject/inject.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "base/text_set.h"
#include "collect/inject/native_side.h"
#include "trace/trace.h"

/* ------------------------------------------------------------------------------------------- assay hot -- */

static pid_t hottest_start_program(const char *path, const char *const *traces, size_t count, FILE **out)
{
    static char *const first[] = {"assay-hot", "--format=json", "--quiet", "--keep-going", "--"};
    enum { FIRST = sizeof first / sizeof *first };
    int ends[2];
    char **words = calloc(FIRST + count + 1, sizeof *words);
    if (!words || pipe(ends) != 0) {
        free(words);
        return -1;
    }
    memcpy(words, first, sizeof first);
    for (size_t i = 0; i < count; i++)
        words[FIRST + i] = (char *)(uintptr_t)traces[i];
    pid_t pid = fork();
    if (pid == 0) {
        if (dup2(ends[1], STDOUT_FILENO) >= 0)
            execv(path, words);
        _exit(1);
    }
    close(ends[1]);
    free(words);
    *out = fdopen(ends[0], "r");
    return pid;
}

/* ------------------------------------------------------------------------------------------ own code -- */

/* Functions of traces that are assay's own: an agent's hooks take samples, too, and nothing can be made slower in them.
 */
struct own_code {
    struct text_set own, others; /* names of functions in assay's agents, and in all other files */
};

static const char AGENT_PREFIX[] = "libassay-";

/* Reads the names of a trace's functions; one that can't be read has none. False without memory. */
static bool own_code_read_trace(const char *path, struct own_code *code)
{
    struct trace *trace;
    struct trace_names names;
    struct error_text message;
    struct trace_loss loss = {0};
    bool good = true;
    if (trace_open(path, &trace, &message) != 0)
        return true;
    if (trace_names_load(trace, &names, &loss) != 0) {
        trace_close(trace);
        return false;
    }
    for (size_t i = 1; good && i < names.frame_count; i++) {
        const struct trace_method *method = &names.methods[names.frames[i].method];
        const char *module = basename(names.modules[names.frames[i].module].path);
        bool own = strncmp(module, AGENT_PREFIX, strlen(AGENT_PREFIX)) == 0;
        char *name;
        good = asprintf(&name, "%s%s", method->name, method->signature) >= 0;
        if (!good)
            break;
        good = text_set_add(own ? &code->own : &code->others, name) != TEXT_SET_FULL;
        free(name);
    }
    trace_names_free(&names);
    trace_close(trace);
    return good;
}

/* ---------------------------------------------------------------------------------------------- names -- */

/* The names of `rows`, without repetitions. Native functions count only if there is no Java method. */
static bool hottest_read_rows(const json_t *rows, const struct own_code *own, struct hottest *found)
{
    size_t i;
    const json_t *row;
    bool native = true;
    json_array_foreach(rows, i, row)
    {
        const char *method = json_string_value(json_object_get(row, "method"));
        if (method && *method != '[' && !native_is_name(method))
            native = false;
    }

    found->names = calloc(json_array_size(rows) + 1, sizeof *found->names);
    bool good = found->names || json_array_size(rows) == 0;
    json_array_foreach(rows, i, row)
    {
        const char *method = json_string_value(json_object_get(row, "method"));
        if (!good || !method || native_is_name(method) != native || *method == '[' ||
            (text_set_has(&own->own, method) && !text_set_has(&own->others, method)))
            continue;
        /* "app.Engine.step(int,Object)": --method would take (…) for a descriptor. */
        char *name = native ? strdup(method) : strndup(method, strcspn(method, "("));
        size_t same = 0;
        while (name && same < found->count && strcmp(found->names[same], name) != 0)
            same++;
        good = name != NULL;
        if (name && same == found->count)
            found->names[found->count++] = name;
        else
            free(name);
    }
    return good;
}

int hottest_read(const char *const *traces, size_t count, struct hottest *found, struct error_text *message)
{
    char path[PATH_MAX + 16];
    FILE *out = NULL;
    int status = -1;
    *found = (struct hottest){0};
    /* assay-hot is in the directory of this program. */
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, "assay-hot");
    if (access(path, X_OK) != 0)
        return error_set(message, STATUS_BAD, "%.300s: %s", path, strerror(errno));
    pid_t pid = hottest_start_program(path, traces, count, &out);
    json_t *all = out ? json_loadf(out, 0, NULL) : NULL;
    if (out)
        fclose(out);
    if (pid > 0)
        waitpid(pid, &status, 0);
    struct own_code own = {0};
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = own_code_read_trace(traces[i], &own);
    good = good && all && status == 0 && hottest_read_rows(json_object_get(all, "results"), &own, found) &&
           found->count > 0;
    text_set_free(&own.own);
    text_set_free(&own.others);
    json_decref(all);
    if (good)
        return STATUS_GOOD;
    return error_set(message, STATUS_BAD, "assay hot finds no method in the traces of --from, %.300s%s", traces[0],
                     count > 1 ? " and others" : "");
}

void hottest_free(struct hottest *found)
{
    for (size_t i = 0; i < found->count; i++)
        free(found->names[i]);
    free(found->names);
    *found = (struct hottest){0};
}
