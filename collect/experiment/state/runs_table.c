#include "collect/experiment/state/runs_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/replace.h"
#include "collect/record/directory.h"

void runs_table_write_header(FILE *out, const struct experiment *experiment)
{
    fputs("recording", out);
    for (size_t v = 0; v <= experiment->spec.factor_count; v++)
        fprintf(out, ",%s", spec_variable_name(&experiment->spec, v));
    fputs(",clock,round,machine,load,wall_s,user_s,system_s,cpu_s,stolen_s,max_rss_bytes\n", out);
}

/* All texts are names, and need no quotes. */
void runs_table_write_row(FILE *out, const struct experiment *experiment, const struct plan_cell *cell,
                          const struct cell_run *run, const struct state_start *start)
{
    fputs(experiment->spec.recordings[cell->recording].name, out);
    for (size_t v = 0; v <= experiment->spec.factor_count; v++)
        fprintf(out, ",%s",
                cell->levels[v] == PLAN_NO_LEVEL ? "" : spec_level_name(&experiment->spec, v, cell->levels[v]));
    fprintf(out, ",%s,%" PRIu64, run->clock, run->number);
    if (start)
        fprintf(out, ",machine-%zu", start->machine + 1);
    else
        fputs(",", out);
    if (start && start->load >= 0)
        fprintf(out, ",%.2f", start->load);
    else
        fputs(",", out);
    fprintf(out, ",%.9f,%.6f,%.6f,%.6f,%.2f,%" PRIu64 "\n", run->wall_s, run->user_s, run->system_s,
            run->user_s + run->system_s, run->stolen_s, run->max_rss_bytes);
}

const char *runs_table_path(struct obstack *memory, const char *data, const char *folder, const char *name)
{
    size_t length = strlen(name);
    bool is_csv = length > 4 && strcmp(name + length - 4, ".csv") == 0;
    return is_csv ? memory_print(memory, "%s/runs/%s/%.*s.runs.csv", data, folder, (int)length - 4, name)
                  : memory_print(memory, "%s/runs/%s/%s.csv", data, folder, name);
}

int runs_table_write(struct experiment *experiment, const size_t *cells, size_t count, const char *path, size_t *failed,
                     struct error_text *message)
{
    int error = directory_make(memory_copy(&experiment->memory, path, (size_t)(strrchr(path, '/') - path)));
    char *fresh = error ? NULL : replace_name(path);
    FILE *out = fresh ? replace_create_stream(fresh) : NULL;
    if (!error && !out)
        error = fresh ? errno : ENOMEM;
    if (out)
        runs_table_write_header(out, experiment);
    for (size_t c = 0; c < count && out; c++) {
        const struct cell_runs *runs = &experiment->runs[cells[c]];
        for (size_t i = 0; i < runs->count; i++)
            if (!plan_has_run(&experiment->plan, cells[c], runs->runs[i].number))
                continue;
            else if (runs->runs[i].failed)
                ++*failed;
            else
                runs_table_write_row(
                    out, experiment, &experiment->plan.cells[cells[c]], &runs->runs[i],
                    state_find_start(&experiment->state, experiment->plan.cells[cells[c]].id, runs->runs[i].number));
    }
    if (out && ferror(out))
        error = EIO;
    if (out && fclose(out) != 0 && !error)
        error = errno;
    if (fresh)
        error = replace_end(fresh, path, error);
    free(fresh);
    return error ? error_set(message, STATUS_BAD, "%.400s: %s", path, strerror(error)) : STATUS_GOOD;
}
