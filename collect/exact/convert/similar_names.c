#include "collect/exact/convert/similar_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/suggest.h"
#include "collect/exact/convert/module_file.h"
#include "collect/symbols/demangle.h"

struct candidates {
    char **names;
    size_t count, capacity;
};

static void similar_names_add(const char *symbol, void *user)
{
    struct candidates *candidates = user;
    char *name, *parameters, **grown;
    if (demangle(symbol, &name, &parameters) != 0)
        return;
    free(parameters);
    grown = grow_unset(candidates->names, &candidates->capacity, candidates->count, sizeof *grown);
    if (grown) {
        candidates->names = grown;
        grown[candidates->count++] = name;
    } else {
        free(name);
    }
}

json_t *similar_names(const struct definitions *definitions)
{
    struct candidates candidates = {0};
    bool looked = false;
    json_t *similar = json_object();
    const char *name;
    const json_t *count;
    json_object_foreach(definitions->functions, name, count)
    {
        if (json_integer_value(count) > 0 || strpbrk(name, "*?"))
            continue;
        for (uint32_t id = 1; !looked && id <= definitions->modules.count; id++)
            module_file_functions(definitions_module(definitions, id)->path, similar_names_add, &candidates);
        looked = true;
        const char *near = suggest_name(name, (const char *const *)candidates.names, candidates.count);
        if (near)
            json_object_set_new(similar, name, json_string(near));
    }
    for (size_t i = 0; i < candidates.count; i++)
        free(candidates.names[i]);
    free(candidates.names);
    return similar;
}
