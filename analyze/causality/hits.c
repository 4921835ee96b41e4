#include "analyze/causality/hits.h"

#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"

/* ---------------------------------------------------------------------------------------------- names -- */

static const char *hits_without_file(const char *name)
{
    size_t length = strcspn(name, "(<");
    for (const char *colon = name; (colon = strchr(colon, ':')) && colon < name + length; colon += 2)
        if (colon[1] != ':')
            return colon + 1;
    return name;
}

static size_t hits_bare_length(const char *name)
{
    return *name == '(' ? strlen(name) : strcspn(name, "(");
}

bool hits_same_method(const char *a, const char *b)
{
    a = hits_without_file(a);
    b = hits_without_file(b);
    size_t length = hits_bare_length(a);
    return length == hits_bare_length(b) && memcmp(a, b, length) == 0;
}

/* The compiler's hook, and that of assay inject, to which the hook of assay record goes on. */
static bool hits_is_hook(const struct trace_method *method)
{
    return !*method->class_name &&
           (strcmp(method->name, "__cyg_profile_func_enter") == 0 || strcmp(method->name, "assay_inject_enter") == 0);
}

/* ------------------------------------------------------------------------------------------- contexts -- */

enum { OTHER, HIT, HOOK }; /* of a method */

bool *hits_find(const struct trace_names *names, const char *method)
{
    unsigned char *kinds = calloc(names->method_count + 1, sizeof *kinds);
    bool *hooked = calloc(names->context_count + 1, sizeof *hooked);
    bool *hits = calloc(names->context_count + 1, sizeof *hits);
    for (size_t m = 0; kinds && m < names->method_count; m++) {
        char name[METHOD_NAME_MAX];
        method_name(&names->methods[m], name);
        kinds[m] = hits_is_hook(&names->methods[m]) ? HOOK : hits_same_method(name, method) ? HIT : OTHER;
    }
    if (kinds && hooked && hits) {
        /* Parents come first: what calls a hook is known before the hook, and what the hook calls follows it. */
        for (size_t c = 0; c < names->context_count; c++) {
            uint32_t parent = names->contexts[c].parent;
            unsigned char kind = kinds[names->frames[names->contexts[c].frame].method];
            hooked[c] = parent && (kind == HOOK || hooked[parent]);
            hits[c] = hooked[c] ? hits[parent] : kind == HIT;
        }
    } else {
        free(hits);
        hits = NULL;
    }
    free(kinds);
    free(hooked);
    return hits;
}
