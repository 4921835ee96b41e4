#include "analyze/audit/profiler/profilers_plan.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "stats/distributions/critical.h"

/* The tolerance and the confidence of assay causality. */
static const double PLAN_DECIDES = 0.15, PLAN_ALPHA = 0.05;

int profilers_plan_make(const struct profilers_plan_request *request, const double *times, const size_t *profiler,
                        size_t count, struct profilers_plan *plan, struct error_text *message)
{
    double sum = 0, squares = 0;
    size_t dof = 0, groups = 0;
    for (size_t i = 0, n; i < count; i += n) {
        double own = 0;
        for (n = 0; i + n < count && profiler[i + n] == profiler[i]; n++) {
            if (!(times[i + n] > 0))
                return error_set(message, STATUS_BAD, "a run without a time");
            own += times[i + n];
        }
        for (size_t r = i; r < i + n; r++)
            squares += (times[r] - own / (double)n) * (times[r] - own / (double)n);
        sum += own;
        dof += n - 1;
        groups++;
    }
    if (dof == 0)
        return error_set(message, STATUS_BAD, "no profiler has two runs");
    double time_s = sum / (double)count, sd_s = sqrt(squares / (double)dof);
    double sampled_s = sqrt(time_s * request->period_s / 4), noise_s = hypot(sd_s, sampled_s);
    double slowdown = fmax(PROFILERS_EFFECT_SD * noise_s / time_s, PROFILERS_SLOWDOWN_LEAST);
    *plan = (struct profilers_plan){.runs = count,
                                    .profilers = groups,
                                    .time_s = time_s,
                                    .sd_s = sd_s,
                                    .sampled_s = sampled_s,
                                    .noise_s = noise_s,
                                    .slowdown = request->slowdown > 0 ? request->slowdown
                                                                      : fmin(slowdown, PROFILERS_SLOWDOWN_MOST)};
    return STATUS_GOOD;
}

double profilers_plan_half_width(const struct profilers_plan_request *request, const struct profilers_plan *plan,
                                 size_t runs, size_t look)
{
    double steps = (double)request->steps, first = (double)(runs < request->runs ? runs : request->runs), t;
    double spread = sqrt(first * (steps + 1) * (steps + 2) / (12 * steps) + ((double)runs - first) / 2);
    double alpha = ldexp(PLAN_ALPHA, -(int)look) / (double)request->methods;
    assert(runs > 1 && look > 0);
    if (critical_t(1 - alpha, (double)(runs - 1), &t) != STATS_OK)
        return INFINITY;
    return t * plan->noise_s / (plan->slowdown * plan->time_s * spread);
}

void profilers_plan_write(const struct profilers_plan_request *request, const struct profilers_plan *plan, FILE *out)
{
    enum { RUNS_FAR = 1 << 20 };
    double effect_s = plan->slowdown * plan->time_s, half = INFINITY;
    size_t look = 1, runs = request->runs;
    fprintf(out, "%.3f\n", plan->slowdown);
    fprintf(
        out,
        "a run under a profiler takes %.3g s, with a standard deviation of %.2g s between runs (%zu runs) and of up to "
        "%.2g s by "
        "sampling; slowdowns go up to %.2g s, %.3g standard deviations; slopes that are seen get half-widths of about ",
        plan->time_s, plan->sd_s, plan->runs, plan->sampled_s, effect_s, effect_s / plan->noise_s);
    for (;; look++) { /* the runs are doubled */
        half = profilers_plan_half_width(request, plan, runs, look);
        fprintf(out, "%s%.2f after %zu runs", look > 1 ? ", " : "", half, runs);
        if (runs >= request->most_runs)
            break;
        runs = 2 * runs < request->most_runs ? 2 * runs : request->most_runs;
    }
    fprintf(out, "; %.2f or less decides", PLAN_DECIDES);
    while (half > PLAN_DECIDES && runs < RUNS_FAR)
        half = profilers_plan_half_width(request, plan, runs *= 2, ++look);
    if (runs > request->most_runs)
        fprintf(out, ": take --max-runs %zu, or a larger --slowdown", runs);
    fputc('\n', out);
}

int profilers_plan_main(char **argv)
{
    const struct profilers_plan_request request = {.slowdown = strtod(argv[0], NULL),
                                                   .period_s = strtod(argv[1], NULL) / 1e3,
                                                   .runs = strtoul(argv[2], NULL, 10),
                                                   .most_runs = strtoul(argv[3], NULL, 10),
                                                   .steps = strtoul(argv[4], NULL, 10),
                                                   .methods = strtoul(argv[5], NULL, 10)};
    double *times = NULL;
    size_t *profiler = NULL, times_capacity = 0, profiler_capacity = 0, count = 0, size = 0;
    char *line = NULL, *name = strdup("");
    struct profilers_plan plan;
    struct error_text message = {""};
    int status = name ? STATUS_GOOD : STATUS_BAD;
    while (!status && getline(&line, &size, stdin) > 0) {
        size_t length = strcspn(line, "\t");
        double *grown_times = grow(times, &times_capacity, count, sizeof *times);
        size_t *grown_profiler = grow(profiler, &profiler_capacity, count, sizeof *profiler);
        times = grown_times ? grown_times : times;
        profiler = grown_profiler ? grown_profiler : profiler;
        if (!grown_times || !grown_profiler || !line[length]) {
            status = error_set(&message, STATUS_BAD, "a line without a time, or no memory");
            break;
        }
        bool same = count > 0 && strlen(name) == length && strncmp(name, line, length) == 0;
        times[count] = strtod(line + length + 1, NULL);
        profiler[count] = count == 0 ? 0 : profiler[count - 1] + !same;
        count++;
        free(name);
        name = strndup(line, length);
        status = name ? STATUS_GOOD : error_set(&message, STATUS_BAD, "out of memory");
    }
    if (!status)
        status = profilers_plan_make(&request, times, profiler, count, &plan, &message);
    if (!status)
        profilers_plan_write(&request, &plan, stdout);
    if (status)
        fprintf(stderr, "assay-audit: %s\n", message.text);
    free(line);
    free(name);
    free(times);
    free(profiler);
    return status;
}
