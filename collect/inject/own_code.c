#include "collect/inject/own_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/trace/trace.h"

static bool is_agent(const char *path)
{
    static const char prefix[] = "libassay-";
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, prefix, strlen(prefix)) == 0;
}

static bool add(struct own_code *code, const struct trace_names *names, const struct trace_frame *frame)
{
    const struct trace_method *method = &names->methods[frame->method];
    bool own = is_agent(names->modules[frame->module].path);
    char *name;
    if (asprintf(&name, "%s%s", method->name, method->signature) < 0)
        return false;
    bool good = text_set_add(own ? &code->own : &code->others, name) != TEXT_SET_FULL;
    free(name);
    return good;
}

static bool read_trace(const char *path, struct own_code *code)
{
    struct trace *trace;
    struct trace_names names;
    struct trace_problem problem;
    struct trace_loss loss = {0};
    bool good = true;
    if (trace_open(path, &trace, &problem) != 0)
        return true;
    if (trace_names_load(trace, &names, &loss) != 0) {
        trace_close(trace);
        return false;
    }
    for (size_t i = 1; good && i < names.frame_count; i++)
        good = add(code, &names, &names.frames[i]);
    trace_names_free(&names);
    trace_close(trace);
    return good;
}

bool own_code_read(const char *const *traces, size_t count, struct own_code *code)
{
    bool good = true;
    *code = (struct own_code){0};
    for (size_t i = 0; good && i < count; i++)
        good = read_trace(traces[i], code);
    return good;
}

void own_code_free(struct own_code *code)
{
    text_set_free(&code->own);
    text_set_free(&code->others);
}

bool own_code_has(const struct own_code *code, const char *name)
{
    return text_set_has(&code->own, name) && !text_set_has(&code->others, name);
}
