/* The table of functions or lines. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/tables/waste_columns.h"
#include "analyze/waste/inefficiency/waste_evidence.h"
#include "analyze/waste/sums/waste_traffic.h"
#include "stats/estimates/interval.h"

enum { LINES_MOST = 3, FEW_SAMPLES = 100 };
static const double LEAST_TIME = 0.01; /* of sites that are shown with their gain */

/* "1322 (66.1 %), 1320 (0.4 %)": numbers of lines, addresses, or frames that have neither; `brief`: those that fit. */
static void waste_set_lines(const struct waste *waste, const struct waste_ranking *ranking, uint32_t function,
                            size_t width, char *text, size_t size, char *brief)
{
    size_t count = 0;
    *text = *brief = '\0';
    uint32_t rank = ranking->first_ranks[function];
    for (; count < LINES_MOST && rank != FIELD_NONE; rank = ranking->next_ranks[rank]) {
        const struct waste_site *line = keyed_at(&ranking->lines, ranking->lines_by_rank[rank]);
        const struct waste_site *named = keyed_at(&ranking->functions, function);
        const char *frame = waste_text(waste, line->text);
        size_t name = strlen(waste_text(waste, named->text)), used = strlen(text);
        double value = isnan(line->gain.value) ? line->traffic_share : line->gain.value;
        snprintf(text + used, size - used, "%s%s (%.1f %%)", count++ > 0 ? ", " : "",
                 frame[name] ? frame + name + 1 : frame, 100 * value);
        if (count == 1 || strlen(text) <= width)
            waste_fit_text(text, width, brief, WASTE_BRIEF_MAX);
    }
}

/* The kind of most of the wasted bytes, the first of equal ones. */
static const char *waste_main_kind(const struct waste_site *site)
{
    unsigned most = 0;
    for (unsigned kind = 1; kind < WASTE_COUNT; kind++)
        if (site->wasted_bytes[kind] > site->wasted_bytes[most])
            most = kind;
    return trace_waste_name(most);
}

static int waste_print_site(const struct waste_request *request, const struct waste *waste,
                            const struct waste_ranking *ranking, const struct waste_site *site, size_t rank,
                            const struct waste_line_facts *facts, struct report *report)
{
    struct waste_finding finding;
    char evidence[2 * WASTE_EVIDENCE_MAX];
    if (request->view == WASTE_VIEW_LINES)
        waste_find_in_line(waste, site, &facts[site->index], &finding);
    else
        waste_find_in_function(waste, ranking, site, facts, &finding);
    snprintf(evidence, sizeof evidence, "%s%s%s", finding.evidence, *finding.second ? " " : "", finding.second);
    char lines[256], brief[WASTE_BRIEF_MAX], brief_lines[WASTE_BRIEF_MAX];
    size_t width;
    struct waste_ranking_row row = {.rank = rank,
                                    .accesses = site->accesses,
                                    .wasted_bytes = site->bytes,
                                    .gain = site->gain,
                                    .bound = site->bound,
                                    .time = site->time,
                                    .wasted = site->wasted,
                                    .traffic_share = site->traffic_share,
                                    .kind = waste_main_kind(site),
                                    .site = waste_text(waste, site->text),
                                    .brief_site = brief,
                                    .lines = lines,
                                    .brief_lines = brief_lines,
                                    .inefficiency = waste_inefficiency_name(finding.kind),
                                    .evidence = evidence,
                                    .remedy = waste_inefficiency_remedy(finding.kind)};
    for (size_t kind = 0; kind < WASTE_COUNT; kind++)
        row.kinds[kind] = waste_site_share(site, (enum trace_waste)kind);
    waste_layout(request, report->given, &width);
    /* Its context ends with the name of a line, so it needs more. */
    size_t site_width = request->view == WASTE_VIEW_FUNCTIONS ? width / 2 : width * 2 / 5;
    waste_fit_text(row.site, site_width, brief, sizeof brief);
    *lines = *brief_lines = '\0';
    if (request->view == WASTE_VIEW_FUNCTIONS)
        waste_set_lines(waste, ranking, site->function, width - site_width, lines, sizeof lines, brief_lines);
    if (report->human)
        waste_fit_context(waste, site->node, width - site_width, row.context.text);
    row.context.brief = row.context.text;
    row.context.full = waste_chain(waste, site->node);
    if (row.context.full)
        report_row(report, &row);
    free(row.context.full);
    bool takes_time = !request->times || site->bound.value >= LEAST_TIME;
    if (*row.inefficiency && takes_time && report->options->human_readable)
        report_note(report, "#%zu %s: %s. %s %s%s%s", rank, brief, row.inefficiency, finding.evidence, row.remedy,
                    *finding.second ? " " : "", finding.second);
    return row.context.full ? 0 : ENOMEM;
}

/* How far shares of the time can be trusted: those of few samples look as certain as others. */
static void waste_samples_note(const struct waste_ranking *ranking, struct report *report)
{
    double samples = 0, q;
    for (size_t run = 0; run < ranking->run_count; run++)
        samples += ranking->run_samples[run];
    if (samples == 0 || interval_quantile(INTERVAL_Z, INFINITY, report->options->confidence, &q) != STATS_OK)
        return;
    report_note(report,
                "time, gain and bound are of %.0f sample%s in %zu run%s%s: a share of 50 %% is known to within %.1f "
                "points (machine formats have all intervals)",
                samples, samples == 1 ? "" : "s", ranking->run_count, ranking->run_count == 1 ? "" : "s",
                samples < FEW_SAMPLES ? ", which are few" : "", 100 * q / (2 * sqrt(samples)));
}

int waste_print_ranking(const struct waste_request *request, struct waste *waste, struct report *report)
{
    bool lines = request->view == WASTE_VIEW_LINES;
    const char *what = lines ? "line" : "function";
    uint64_t top = request->tops[request->view], cold_bytes = 0, rest_bytes = 0, all_bytes = 0;
    size_t shown = 0, cold = 0, rest = 0;
    struct waste_ranking ranking;
    struct waste_line_facts *facts = NULL;
    int error = waste_rank(waste, request->kind, report->options, &ranking);
    if (!error)
        error = waste_gather_facts(waste, &ranking, request->kind, &facts);
    size_t count = lines ? ranking.line_count : ranking.function_count;
    for (size_t i = 0; !error && i < count; i++) {
        const struct waste_site *site = lines ? keyed_at(&ranking.lines, ranking.lines_by_rank[i])
                                              : keyed_at(&ranking.functions, ranking.functions_by_rank[i]);
        uint64_t bytes = site->bytes;
        all_bytes += bytes;
        if (request->times && top > 0 && site->time.value < LEAST_TIME) {
            cold++;
            cold_bytes += bytes;
        } else if (top > 0 && shown >= top) {
            rest++;
            rest_bytes += bytes;
        } else {
            error = waste_print_site(request, waste, &ranking, site, ++shown, facts, report);
        }
    }
    if (!error && cold > 0)
        report_note(
            report,
            "%zu %s%s with less than %g %% of the time each %s not shown, and %.1f %% of the wasted bytes there "
            "(--%ss 0 shows all)",
            cold, what, cold == 1 ? "" : "s", 100 * LEAST_TIME, cold == 1 ? "is" : "are",
            100 * (double)cold_bytes / (double)all_bytes, what);
    if (!error && rest > 0)
        report_note(report, "%zu more %s%s with %.1f %% of the wasted bytes %s not shown (--%ss 0 shows all)", rest,
                    what, rest == 1 ? "" : "s", 100 * (double)rest_bytes / (double)all_bytes, rest == 1 ? "is" : "are",
                    what);
    if (!error && request->times)
        waste_samples_note(&ranking, report);
    waste_traffic_note(&ranking.traffic, "", report);
    waste_ranking_free(&ranking);
    free(facts);
    return error;
}
