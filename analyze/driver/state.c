#include "analyze/driver/state.h"

#include <stdlib.h>

void *state_new(const struct analyzer *analyzer, const struct analysis_options *options)
{
    if (analyzer->init)
        return analyzer->init(options);
    struct relations *state = calloc(1, analyzer->state_bytes);
    if (state)
        relations_init(state, analyzer->relations, analyzer->relation_count);
    return state;
}

int state_merge(const struct analyzer *analyzer, void *state, void *other)
{
    return analyzer->merge ? analyzer->merge(state, other) : relations_merge(state, other);
}

json_t *state_save(const struct analyzer *analyzer, void *state)
{
    return analyzer->save ? analyzer->save(state) : relations_save(state);
}

int state_load(const struct analyzer *analyzer, void *state, const json_t *saved)
{
    return analyzer->load ? analyzer->load(state, saved) : relations_load(state, saved);
}

void state_free(const struct analyzer *analyzer, void *state)
{
    if (!state)
        return;
    if (analyzer->free) {
        analyzer->free(state);
        return;
    }
    relations_free(state);
    free(state);
}
