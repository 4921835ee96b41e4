#include "analyze/cli/selection.h"

#include <stdio.h>
#include <string.h>

/* Adds the states of a list. The first that there is not, or NULL. */
static const char *selection_parse_states(const char *arg, uint64_t *states, char *word, size_t size)
{
    for (size_t length; *arg; arg += length + (arg[length] == ',')) {
        length = strcspn(arg, ",");
        snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), arg);
        unsigned state =
            trace_thread_state_named(strcmp(word, "runnable") == 0 ? "running" : word); /* the JVM's word */
        if (state == THREAD_STATE_COUNT)
            return word;
        *states |= UINT64_C(1) << state;
    }
    return *states ? NULL : "";
}

error_t selection_option(struct selection_wish *wish, int key, const char *arg, struct argp_state *state)
{
    char word[64], list[256] = "";
    if (key == SELECTION_WEIGHT) {
        wish->weight = arg;
        return 0;
    }
    if (key != SELECTION_STATE)
        return ARGP_ERR_UNKNOWN;
    const char *problem = selection_parse_states(arg, &wish->states, word, sizeof word);
    for (unsigned i = 0; i < THREAD_STATE_COUNT; i++)
        error_list(list, sizeof list, trace_thread_state_name(i));
    if (problem)
        argp_error(state, "--state '%s': no such state; there are %s", problem, list);
    return 0;
}

void selection_states_text(const struct selection_wish *wish, char text[SELECTION_STATES_MAX])
{
    size_t length = 0;
    *text = '\0';
    for (unsigned i = 0; i < THREAD_STATE_COUNT; i++)
        if (wish->states >> i & 1)
            length += (size_t)snprintf(text + length, SELECTION_STATES_MAX - length, "%s%s", length ? "," : "",
                                       trace_thread_state_name(i));
}

int selection_find(const struct selection_wish *wish, const struct trace *trace, struct trace_selection *selection,
                   struct error_text *message)
{
    struct trace_weight weight = {.column = 0};
    int status = wish->weight ? trace_weight_find(trace, wish->weight, &weight, message) : STATUS_GOOD;
    if (!status && wish->states && !json_is_true(json_object_get(trace_metadata(trace), "thread_states")))
        status = error_set(message, STATUS_BAD, "whether its threads ran is not known, so --state can't be used");
    if (!status)
        *selection = (struct trace_selection){weight.column, wish->states};
    return status;
}
