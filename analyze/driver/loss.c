/* What a result comes from, and what its inputs lack. A saved state carries both for the traces that it was made from.
 */
#include "analyze/driver/conditions.h"
#include "analyze/driver/driver.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

/* Above this share of dropped records every report carries a warning. */
static const double LOSS_WORTH_A_WARNING = 0.05;

/* For the inputs of a state. */
static uint64_t loss_saved_count(const struct input *input, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(json_object_get(input->partial, "loss"), key));
}

static bool loss_is_state_damaged(const struct input *input)
{
    return loss_saved_count(input, "bytes") || loss_saved_count(input, "chunks") ||
           loss_saved_count(input, "unfinished_traces") || loss_saved_count(input, "unreadable_inputs");
}

bool loss_damaged(const struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct trace_loss *loss = &inputs->items[i].loss;
        if (loss->bytes > 0 || loss->chunks > 0 || loss->unfinished || loss_is_state_damaged(&inputs->items[i]))
            return true;
    }
    return false;
}

bool loss_doubtful(const struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (*inputs->items[i].ticks.doubt || loss_saved_count(&inputs->items[i], "doubtful_traces") > 0)
            return true;
    return false;
}

static uint64_t loss_sum_dropped(const struct trace_loss *loss)
{
    uint64_t dropped = 0;
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++)
        dropped += loss->dropped[cause];
    return dropped;
}

static double loss_share(uint64_t dropped, uint64_t records)
{
    return dropped ? (double)dropped / (double)(dropped + records) : 0;
}

static void loss_warn_of_dropped(const struct input *input, uint64_t dropped, uint64_t records, struct report *report)
{
    double share = loss_share(dropped, records);
    if (share > LOSS_WORTH_A_WARNING)
        report_warn(report, "%s: %" PRIu64 " records (%.1f %%) were lost while recording; see assay info", input->path,
                    dropped, 100 * share);
}

static void loss_warn_of_input(const struct input *input, struct report *report)
{
    const struct trace_loss *loss = &input->loss;
    if (*input->damage.text)
        report_warn(report, "%s: %s", input->path, input->damage.text);
    if (loss->unknown_chunks > 0)
        report_warn(report, "%s: %" PRIu64 " chunks of a newer version were skipped", input->path,
                    loss->unknown_chunks);
    if (*input->ticks.doubt)
        report_warn(report, "%s: DO NOT BELIEVE results from this recording: %s", input->path, input->ticks.doubt);
    if (*input->ticks.change)
        report_warn(report, "%s: %s; see assay info", input->path, input->ticks.change);
}

/* Reports the notes of imports, each one once if several profiles have the same. */
static void loss_note_imports(const struct inputs *inputs, struct report *report)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        size_t more = 0;
        bool reported = !*input->note.text;
        for (size_t j = 0; j < inputs->count && !reported; j++) {
            bool same = strcmp(inputs->items[j].note.text, input->note.text) == 0;
            reported = same && j < i;
            more += same && j > i;
        }
        if (!reported && more > 0)
            report_note(report, "%s and %zu more: %s", input->path, more, input->note.text);
        else if (!reported)
            report_note(report, "%s: %s", input->path, input->note.text);
    }
}

json_t *inputs_conditions(const struct inputs *inputs)
{
    json_t *all = json_array(), *known = json_object();
    for (size_t i = 0; all && i < inputs->count; i++)
        if (conditions_join(all, known, inputs->items[i].conditions) != 0) {
            json_decref(all);
            all = NULL;
        }
    json_decref(known);
    if (json_array_size(all) > 0)
        return all;
    json_decref(all);
    return NULL;
}

/* By run: all of a script's short processes lose their first sample, which is negligible for the run. If many short
 * runs all lose their beginnings, only the first few are named. */
static void loss_warn_of_runs(const struct inputs *inputs, struct report *report)
{
    enum { NAMED = 3 };
    size_t warnings = 0;
    double most = 0;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct input *first = &inputs->items[i];
        uint64_t dropped = 0, records = 0;
        bool reported = first->partial;
        for (size_t j = 0; j < inputs->count && !reported; j++) {
            const struct input *input = &inputs->items[j];
            if (input->partial || strcmp(input->run, first->run) != 0)
                continue;
            reported = j < i;
            dropped += *input->ticks.doubt ? 0 : loss_sum_dropped(&input->loss);
            records += input->recorded;
        }
        double share = reported ? 0 : loss_share(dropped, records);
        warnings += share > LOSS_WORTH_A_WARNING;
        if (share > LOSS_WORTH_A_WARNING && warnings > NAMED)
            most = fmax(most, share);
        else if (!reported)
            loss_warn_of_dropped(first, dropped, records, report);
    }
    bool one = warnings == NAMED + 1;
    if (warnings > NAMED)
        report_warn(report, "%zu more run%s lost %s%.1f %% of %s records while recording; see assay info",
                    warnings - NAMED, one ? "" : "s", one ? "" : "up to ", 100 * most, one ? "its" : "their");
}

static void loss_warn_of_state(const struct input *input, struct report *report)
{
    if (loss_is_state_damaged(input))
        report_warn(report,
                    "%s: was made from damaged or cut traces: %" PRIu64 " bytes and %" PRIu64 " records lost, %" PRIu64
                    " traces without an end, %" PRIu64 " unreadable",
                    input->path, loss_saved_count(input, "bytes"), loss_saved_count(input, "records"),
                    loss_saved_count(input, "unfinished_traces"), loss_saved_count(input, "unreadable_inputs"));
    if (loss_saved_count(input, "doubtful_traces") > 0)
        report_warn(report,
                    "%s: DO NOT BELIEVE results from this state: in %" PRIu64
                    " of its traces, ticks did not come at the requested rate",
                    input->path, loss_saved_count(input, "doubtful_traces"));
    const char *cause;
    json_t *count;
    uint64_t dropped = 0;
    json_object_foreach(json_object_get(json_object_get(input->partial, "loss"), "dropped"), cause, count) dropped +=
        (uint64_t)json_integer_value(count);
    loss_warn_of_dropped(input, dropped, loss_saved_count(input, "records_read"), report);
}

json_t *inputs_paths(const struct inputs *inputs)
{
    json_t *paths = json_array();
    for (size_t i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->items[i], *before = i > 0 ? &inputs->items[i - 1] : NULL;
        const json_t *inner = json_object_get(input->partial, "input");
        const char *path = input->is_member ? input->run : input->path;
        if (inner)
            json_array_extend(paths, (json_t *)(uintptr_t)inner);
        else if (!input->is_member || !before || !before->is_member || strcmp(before->run, path) != 0)
            json_array_append_new(paths, text_json(path, strlen(path)));
    }
    return paths;
}

/* The same trace in two states, or in a state and on its own, would count twice, and can't be removed again. */
static void loss_warn_of_repeats(const struct inputs *inputs, struct report *report)
{
    json_t *paths = inputs_paths(inputs), *seen = json_object(), *path;
    size_t i;
    json_array_foreach(paths, i, path)
    {
        const char *text = json_string_value(path);
        if (text && json_object_get(seen, text))
            report_warn(report, "%s: is in this result more than once, through saved states", text);
        if (text)
            json_object_set_new(seen, text, json_true());
    }
    json_decref(paths);
    json_decref(seen);
}

json_t *loss_sum(const struct inputs *inputs, struct report *report)
{
    struct trace_loss total = {0};
    uint64_t unfinished = 0, unreadable = inputs->unreadable, records = 0, doubtful = 0;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        trace_loss_add(&total, &input->loss);
        unfinished += input->loss.unfinished;
        doubtful += input->partial ? loss_saved_count(input, "doubtful_traces") : *input->ticks.doubt != '\0';
        records += input->partial ? loss_saved_count(input, "records_read") : input->records;
        if (input->partial) {
            const json_t *dropped = json_object_get(json_object_get(input->partial, "loss"), "dropped");
            total.bytes += loss_saved_count(input, "bytes");
            total.records += loss_saved_count(input, "records");
            total.chunks += loss_saved_count(input, "chunks");
            total.unknown_chunks += loss_saved_count(input, "unknown_chunks");
            unfinished += loss_saved_count(input, "unfinished_traces");
            unreadable += loss_saved_count(input, "unreadable_inputs");
            for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++)
                total.dropped[cause] += (uint64_t)json_integer_value(json_object_get(dropped, trace_cause_name(cause)));
            loss_warn_of_state(input, report);
        } else {
            loss_warn_of_input(input, report);
        }
    }
    uint64_t absent = loss_sum_dropped(&total);
    if (absent > 0)
        report_note(report, "%" PRIu64 " record%s lost while recording (assay info tells why)", absent,
                    absent == 1 ? " was" : "s were");
    loss_note_imports(inputs, report);
    loss_warn_of_runs(inputs, report);
    if (inputs->unreadable > 0)
        report_warn(report, "%zu inputs could not be read and are not in this result", inputs->unreadable);
    loss_warn_of_repeats(inputs, report);
    json_t *dropped = json_object();
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++)
        json_object_set_new(dropped, trace_cause_name(cause), json_integer((json_int_t)total.dropped[cause]));
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "records_read", (json_int_t)records, "bytes",
                     (json_int_t)total.bytes, "records", (json_int_t)total.records, "chunks", (json_int_t)total.chunks,
                     "unknown_chunks", (json_int_t)total.unknown_chunks, "unfinished_traces", (json_int_t)unfinished,
                     "unreadable_inputs", (json_int_t)unreadable, "doubtful_traces", (json_int_t)doubtful, "dropped",
                     dropped);
}
