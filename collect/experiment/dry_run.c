/*
 * dry_run.c - what an experiment will take: starts, hours and disk.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include "collect/experiment/state/estimate.h"
#include "collect/experiment/command.h"

struct dry_run_sum {
    size_t cells, starts, done;
    double wall_s, bytes; /* of the starts that are missing; NaN: unknown */
};

static void dry_run_add(const struct experiment *experiment, size_t cell, struct dry_run_sum *sum)
{
    const struct spec_recording *recording = &experiment->spec.recordings[experiment->plan.cells[cell].recording];
    size_t missing = 0;
    for (uint64_t round = 1; round <= recording->rounds; round++)
        missing += !cell_runs_have(&experiment->runs[cell], round);
    struct estimate each = estimate_cell(&experiment->state, &experiment->plan, &experiment->plan.cells[cell]);
    size_t warmup = missing ? (size_t)recording->warmup : 0;
    sum->cells++;
    sum->starts += (size_t)recording->rounds + warmup;
    sum->done += (size_t)recording->rounds - missing;
    if (missing) {
        sum->wall_s += (double)(missing + warmup) * each.wall_s;
        sum->bytes += (double)missing * each.bytes;
    }
}

static void dry_run_print_row(const char *name, const struct dry_run_sum *sum)
{
    char wall[ESTIMATE_TEXT], bytes[ESTIMATE_TEXT];
    printf("%-20s %6zu %7zu %6zu %6zu  %10s  %9s\n", name, sum->cells, sum->starts, sum->done, sum->starts - sum->done,
           isnan(sum->wall_s) ? "unknown" : estimate_time_text(sum->wall_s, wall),
           isnan(sum->bytes) ? "unknown" : estimate_bytes_text(sum->bytes, bytes));
}

void command_print_plan(struct experiment *experiment)
{
    struct dry_run_sum all = {0};
    struct statvfs disk;
    char text[ESTIMATE_TEXT];
    printf("%-20s %6s %7s %6s %6s  %10s  %9s\n", "recording", "cells", "starts", "done", "left", "time left",
           "disk left");
    for (size_t r = 0; r < experiment->spec.recording_count; r++) {
        struct dry_run_sum sum = {0};
        for (size_t cell = 0; cell < experiment->plan.cell_count; cell++)
            if (experiment->plan.cells[cell].recording == r) {
                dry_run_add(experiment, cell, &sum);
                dry_run_add(experiment, cell, &all);
            }
        dry_run_print_row(experiment->spec.recordings[r].name, &sum);
    }
    if (experiment->spec.recording_count > 1)
        dry_run_print_row("all", &all);
    if (isnan(all.wall_s))
        puts("\ntimes and sizes are known once each recording has run");
    if (statvfs(".", &disk) == 0)
        printf("%s%s are free on this disk\n", isnan(all.wall_s) ? "" : "\n",
               estimate_bytes_text((double)disk.f_bavail * (double)disk.f_frsize, text));
}
