/*
 * Mode calls with engine hooks: of the calls of functions with probes some are chosen at random
 * (collect/calls/chooser.h). The clocks run as in mode cpu.
 */
#include "collect/agents/native/chosen.h"

#include <string.h>

#include "base/system_call.h"
#include "collect/agents/native/native.h"
#include "collect/agents/native/patch.h"
#include "collect/agents/native/select.h"

bool chosen_active;

static bool has_patched; /* some functions have probes in their code: then the compiler's hooks are silent */
static bool by_hooks;    /* a call has been chosen by a hook of the compiler */

bool chosen_wanted(const json_t *configuration)
{
    const char *engine = json_string_value(json_object_get(json_object_get(configuration, "calls"), "engine"));
    return engine && strcmp(engine, "hooks") == 0;
}

/* chooser_host.walk: the functions that have called this one, from where the probe has been called; the innermost may
 * be the function itself, at the probe. */
static size_t chosen_walk_callers(const struct chooser_call *call, struct trace_raw_frame *frames, size_t max)
{
    struct announced last = {0};
    shadow_pause();
    size_t count = walk_callers(frames + 1, max - 1);
    shadow_resume();
    frames[0] = (struct trace_raw_frame){.code = call->function};
    if (sampler_is_outside())
        announce_code(call->function, &last);
    if (count == 0 || walk_function(frames[1].code) != call->function)
        return count + 1;
    memmove(frames + 1, frames + 2, (count - 1) * sizeof *frames);
    return count;
}

/* A chosen call that is open has another return address, which the walk of a tick must not find. */
static bool chosen_begin_sample(void)
{
    shadow_pause();
    return chooser_tick_begins();
}

static void chosen_end_sample(bool begun, uint64_t delivery_ns)
{
    chooser_tick_ends(begun, delivery_ns);
    shadow_resume();
}

void chosen_enter(uint64_t function, uint64_t location)
{
    if (has_patched)
        return;
    if (chooser_passes_by_time() ||
        chooser_enter(&(struct chooser_call){.function = function, .location = location}) == CHOOSER_PASSED)
        chooser_pass_at(function, location);
    else
        by_hooks = true;
}

void chosen_leave(uint64_t function, uint64_t location, bool above)
{
    if (!has_patched)
        chooser_leave_at(function, location, above);
}

void chosen_end(void)
{
    if (!chosen_active)
        return;
    if (!chooser_stop())
        sampler_keep_streams();
    if (by_hooks && select_wanted())
        sampler_report(
            "--engine hooks selects no functions of code that was compiled with -finstrument-functions: their "
            "calls are chosen from all; -fpatchable-function-entry has no such limit");
}

int chosen_start(const struct sampler_config *config, struct sampler_hooks *hooks, void (*pairs)(unsigned count))
{
    struct sampler_config own = *config;
    const json_t *calls = json_object_get(config->metadata, "calls");
    select_prepare(calls);
    if (!*config->pool)
        modules_look_again(NULL); /* while there is a main thread, since the program has no name without it */
    has_patched = patch_all() > 0;
    json_decref(meter_prepare(json_object_get(calls, "counters")));
    const struct chooser_host host = {.stream = sampler_thread_stream,
                                      .bounds = shadow_bounds,
                                      .walk = chosen_walk_callers,
                                      .pairs = has_patched ? patch_pairs : pairs,
                                      .seed = sampler_seed,
                                      .by_time = true};
    chosen_active = true;
    json_decref(chooser_prepare(&host));
    by_hooks = false;
    own.calls = false; /* those that debug registers find */
    hooks->tick_begins = chosen_begin_sample;
    hooks->tick_ends = chosen_end_sample;
    int error = sampler_start(&own, hooks, NULL);
    if (!error)
        chooser_begin();
    return error;
}
