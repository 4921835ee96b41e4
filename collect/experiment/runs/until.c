#include "collect/experiment/runs/until.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"
#include "collect/experiment/state/runs_table.h"
#include "collect/experiment/state/start.h"
#include "collect/record/log.h"

void until_restore(struct experiment *experiment)
{
    const json_t *rounds = json_object_get(experiment->state.root, "rounds");
    for (size_t r = 0; r < experiment->spec.recording_count; r++) {
        struct spec_recording *recording = &experiment->spec.recordings[r];
        uint64_t added = (uint64_t)json_integer_value(json_object_get(rounds, recording->name));
        if (recording->until > 0 && added > recording->rounds)
            recording->rounds = added < recording->until_most ? added : recording->until_most;
    }
}

/* The widest half-width over its mean in the rows that assay ci printed; infinite if a cell is missing or has none. */
static double until_widest(FILE *file, size_t cells)
{
    double widest = 0;
    json_t *root = json_loadf(file, 0, NULL), *rows = json_object_get(root, "results"), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const json_t *mean = json_object_get(row, "mean"), *half_width = json_object_get(row, "half_width");
        double share = json_is_number(half_width) && json_number_value(mean) > 0
                           ? json_number_value(half_width) / json_number_value(mean)
                           : INFINITY;
        widest = fmax(widest, share);
    }
    if (json_array_size(rows) < cells)
        widest = INFINITY;
    json_decref(root);
    return widest;
}

/* Runs assay ci on the recording's table of runs. */
static int until_measure(struct experiment *experiment, const struct spec_recording *recording, const size_t *cells,
                         size_t count, double *widest, struct error_text *message)
{
    struct obstack *memory = &experiment->memory;
    const char *by = "--by=program";
    const char *path = runs_table_path(memory, experiment->spec.data, "until", recording->name);
    struct launch_result result;
    struct words words = {0};
    size_t failed = 0;
    if (runs_table_write(experiment, cells, count, path, &failed, message) != 0)
        return STATUS_BAD;
    for (size_t f = 0; f < experiment->spec.factor_count; f++)
        by = memory_print(memory, "%s,%s", by, experiment->spec.factors[f].name);
    words_add(memory, &words, start_program(memory, "ci"));
    words_add(memory, &words, "--quiet");
    words_add(memory, &words, "--format=json");
    words_add(memory, &words, by);
    words_add(memory, &words, memory_print(memory, "--value=%s", recording->until_of));
    words_add(memory, &words, path);
    FILE *file = tmpfile();
    if (!file)
        return error_set(message, STATUS_BAD, "a temporary file can't be made");
    const struct start_job job = {.command = &words, .output = fileno(file)};
    int status = start_run(memory, &experiment->launcher, &job, &result, message);
    rewind(file);
    *widest = status || start_status(&result) != 0 ? INFINITY : until_widest(file, count);
    fclose(file);
    return status;
}

/* Notes by which rule a round is added, so that the report says what was done, whatever the description says later. */
static void until_note_rule(struct experiment *experiment, const struct spec_recording *recording)
{
    json_t *all = json_object_get(experiment->state.root, "until"), *rule, *other;
    size_t i;
    if (!all)
        json_object_set_new(experiment->state.root, "until", all = json_object());
    json_t *rules = json_object_get(all, recording->name);
    if (!rules)
        json_object_set_new(all, recording->name, rules = json_array());
    rule = json_pack("{s:f, s:s, s:I}", "half_width", recording->until, "of", recording->until_of, "most",
                     (json_int_t)recording->until_most);
    bool known = false;
    json_array_foreach(rules, i, other) known |= json_equal(rule, other);
    if (!known)
        json_array_append(rules, rule);
    json_decref(rule);
}

bool until_add_round(struct experiment *experiment, size_t number, int *status)
{
    struct spec_recording *recording = &experiment->spec.recordings[number];
    struct error_text message;
    size_t *cells = memory_allocate(&experiment->memory, experiment->plan.cell_count, sizeof *cells), count = 0;
    double widest = INFINITY;
    if (recording->until <= 0)
        return false;
    for (size_t cell = 0; cell < experiment->plan.cell_count; cell++)
        if (experiment->plan.cells[cell].recording == number)
            cells[count++] = cell;
    if (until_measure(experiment, recording, cells, count, &widest, &message) != 0) {
        log_error("%s: %s", recording->name, message.text);
        *status = STATUS_BAD;
        return false;
    }
    if (widest <= recording->until)
        return false;
    if (recording->rounds >= recording->until_most) {
        log_note("%s: %" PRIu64 " rounds: the widest interval is %.2g %% of its mean, and %.2g %% were wanted",
                 recording->name, recording->rounds, 100 * widest, 100 * recording->until);
        return false;
    }
    recording->rounds++;
    json_t *rounds = json_object_get(experiment->state.root, "rounds");
    if (!rounds)
        json_object_set_new(experiment->state.root, "rounds", rounds = json_object());
    json_object_set_new(rounds, recording->name, json_integer((json_int_t)recording->rounds));
    until_note_rule(experiment, recording);
    if (state_save_own(&experiment->state, &message) != 0) {
        log_error("%s", message.text);
        *status = STATUS_BAD;
        return false;
    }
    return true;
}
