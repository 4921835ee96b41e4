#include "analyze/audit/profiler/profilers.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/text.h"

/* A text as a JSON string; null for NULL, or without memory. */
static void profilers_write_quoted(FILE *out, const char *text)
{
    json_t *string = text ? text_json(text, strlen(text)) : NULL;
    if (!string || json_dumpf(string, out, JSON_ENCODE_ANY) != 0)
        fputs("null", out);
    json_decref(string);
}

/* "KEY":, after `before`, and a quoted text. */
static void profilers_write_member(FILE *out, const char *before, const char *key, const char *text)
{
    fprintf(out, "%s\"%s\":", before, key);
    profilers_write_quoted(out, text);
}

static const char *profilers_or_null(const char *cell)
{
    return *cell ? cell : "null";
}

static void profilers_write_json_profiler(FILE *out, const struct profilers *all, size_t p)
{
    const struct profiler *one = &all->each[p];
    char *evidence = profilers_evidence(all, p);
    profilers_write_member(out, "\n{", "profiler", one->name);
    profilers_write_member(out, ",", "verdict", profilers_verdict(all, p));
    profilers_write_member(out, ",", "evidence", evidence);
    fprintf(out, ",\"runs\":%zu", one->runs);
    profilers_write_member(out, ",", "hottest", one->hottest);
    if (profilers_sample_at_random(one) < 0)
        fputs(",\"threads_random\":null,\"threads_not_random\":null", out);
    else
        fprintf(out, ",\"threads_random\":%zu,\"threads_not_random\":%zu", one->random, one->not_random);
    fprintf(out, ",\"overhead\":%s,\"overhead_lo\":%s,\"overhead_hi\":%s,\"slope\":", profilers_or_null(one->cost),
            profilers_or_null(one->cost_lo), profilers_or_null(one->cost_hi));
    if (one->with_slope)
        fprintf(out, "%.6g", profilers_mean_slope(one));
    else
        fputs("null", out);
    const struct profilers_slope *single = one->slopes == 1 && one->with_slope
                                               ? &all->slopes[one->last_slope]
                                               : &(struct profilers_slope){.lo = "", .hi = ""};
    fprintf(out, ",\"slope_lo\":%s,\"slope_hi\":%s,\"invalid_points\":", profilers_or_null(single->lo),
            profilers_or_null(single->hi));
    if (one->slopes)
        fprintf(out, "%zu}", one->invalid_points);
    else
        fputs("null}", out);
    free(evidence);
}

static void profilers_write_json_pair(FILE *out, const struct profilers *all, const struct profilers_pair *pair)
{
    profilers_write_member(out, "\n{", "a", all->each[pair->a].name);
    profilers_write_member(out, ",", "b", all->each[pair->b].name);
    profilers_write_member(out, ",", "hottest_a", all->each[pair->a].hottest);
    profilers_write_member(out, ",", "hottest_b", all->each[pair->b].hottest);
    profilers_write_member(out, ",", "class", pair->class);
    fprintf(out, ",\"distance\":%s,\"lo\":%s,\"hi\":%s}", profilers_or_null(pair->distance),
            profilers_or_null(pair->lo), profilers_or_null(pair->hi));
}

static void profilers_write_json_slope(FILE *out, const struct profilers *all, const struct profilers_slope *slope)
{
    profilers_write_member(out, "\n{", "profiler", all->each[slope->profiler].name);
    profilers_write_member(out, ",", "method", slope->method);
    fprintf(out, ",\"slope\":%s,\"lo\":%s,\"hi\":%s,\"r2\":%s", profilers_or_null(slope->slope),
            profilers_or_null(slope->lo), profilers_or_null(slope->hi), profilers_or_null(slope->r2));
    fprintf(out, ",\"points\":%zu,\"runs\":%zu,\"look\":%s,\"invalid_points\":%zu", profilers_count(slope->points),
            profilers_count(slope->runs), profilers_or_null(slope->look), profilers_count(slope->invalid_points));
    profilers_write_member(out, ",", "verdict", slope->verdict);
    fputc('}', out);
}

static void profilers_write_json(const struct profilers *all, FILE *out)
{
    const struct profilers_request *request = all->request;
    double alone_s = profilers_alone_s(all);
    profilers_write_member(out, "{", "command", request->command);
    fprintf(out, ",\"runs\":%zu,\"alone_s\":", request->runs);
    if (isnan(alone_s))
        fputs("null", out);
    else
        fprintf(out, "%.6g", alone_s);
    fprintf(out, ",\"tolerance\":%s", request->tolerance);
    profilers_write_member(out, ",", "injected", *request->slowed ? request->slowed : NULL);
    fputs(",\"profilers\":[", out);
    for (size_t p = 0; p < all->names.count; p++) {
        fputs(p ? "," : "", out);
        profilers_write_json_profiler(out, all, p);
    }
    fputs("],\"pairs\":[", out);
    for (size_t i = 0; i < all->pair_count; i++) {
        fputs(i ? "," : "", out);
        profilers_write_json_pair(out, all, &all->pairs[i]);
    }
    fputs("],\"slopes\":[", out);
    for (size_t i = 0; i < all->slope_count; i++) {
        fputs(i ? "," : "", out);
        profilers_write_json_slope(out, all, &all->slopes[i]);
    }
    fputs("],\"notes\":[", out);
    for (size_t i = 0; i < all->notes.count; i++) {
        fputs(i ? "," : "", out);
        profilers_write_quoted(out, all->notes.line[i]);
    }
    fputs("]}\n", out);
}

static void profilers_write_text_pair(FILE *out, const struct profilers *all, const struct profilers_pair *pair,
                                      int width)
{
    const struct profiler *a = &all->each[pair->a], *b = &all->each[pair->b];
    fprintf(out, "  %-*s  %-*s  %.3f ", width, a->name, width, b->name, profilers_number(pair->distance));
    if (profilers_know_distance(all, pair->a, pair->b))
        fprintf(out, "[%.3f, %.3f]", profilers_number(pair->lo), profilers_number(pair->hi));
    else
        fputs("(no interval)", out);
    fprintf(out, "  %s | %s  %s\n", a->hottest, b->hottest, profilers_class_text(pair->class));
}

static void profilers_write_text_slope(FILE *out, const struct profilers *all, const struct profilers_slope *slope,
                                       int width)
{
    size_t look = profilers_count(slope->look), invalid = profilers_count(slope->invalid_points);
    fprintf(out, "  %-*s  ", width, all->each[slope->profiler].name);
    if (*slope->slope)
        fprintf(out, "%.2f", profilers_number(slope->slope));
    else
        fputc('-', out);
    profilers_write_interval(out, slope->lo, slope->hi);
    fprintf(out, "  %s", slope->verdict);
    if (look > 1)
        fprintf(out, " (look %zu, %zu runs)", look, profilers_count(slope->runs));
    if (invalid > 0)
        fprintf(out, " (%zu of %zu points invalid)", invalid, profilers_count(slope->points) + invalid);
    fprintf(out, "  %s\n", slope->method);
}

static void profilers_write_text(const struct profilers *all, FILE *out)
{
    const struct profilers_request *request = all->request;
    int width = 0;
    for (size_t p = 0; p < all->names.count; p++)
        if ((int)strlen(all->each[p].name) > width)
            width = (int)strlen(all->each[p].name);
    fprintf(out, "%zu runs with each profiler, and %zu without: %s\n\n", request->runs, request->runs,
            request->command);
    for (size_t p = 0; p < all->names.count; p++) {
        char *evidence = profilers_evidence(all, p);
        fprintf(out, "%-*s  %-14s  %s\n", width, all->each[p].name, profilers_verdict(all, p),
                evidence ? evidence : "");
        free(evidence);
    }
    if (all->pair_count)
        fputs("\nprofiles, by pairs: distance (total variation, 0-1) and the hottest methods\n", out);
    for (size_t i = 0; i < all->pair_count; i++)
        profilers_write_text_pair(out, all, &all->pairs[i], width);
    if (all->slope_count)
        fputs("\nslopes: reported over real change of the time, where a method was made slower (1: all of it is "
              "seen)\n",
              out);
    for (size_t i = 0; i < all->slope_count; i++)
        profilers_write_text_slope(out, all, &all->slopes[i], width);
    if (all->notes.count)
        fputs("\nnotes\n", out);
    for (size_t i = 0; i < all->notes.count; i++)
        fprintf(out, "  %s\n", all->notes.line[i]);
    fprintf(out,
            "\nprofiles differ if the interval of their distance is above %s, agree if it is below; intervals: 95 %%, "
            "over runs",
            request->tolerance);
    if (all->slope_count)
        fputs("; of slopes so wide that all looks at them, as runs were added, hold at 95 % together", out);
    if (all->slope_count > all->names.count)
        fputs("; verdicts on slopes allow for all methods of a profiler: any of them is wrong with a probability of "
              "5 % at most",
              out);
    fprintf(out, *request->slowed ? "; injected into %s\n" : "; nothing was injected%s\n", request->slowed);
}

/* Escapes TeX's special characters. */
static void profilers_write_tex(FILE *out, const char *text)
{
    static const char *const escapes[UCHAR_MAX + 1] = {['\\'] = "\\textbackslash{}",
                                                       ['&'] = "\\&",
                                                       ['%'] = "\\%",
                                                       ['$'] = "\\$",
                                                       ['#'] = "\\#",
                                                       ['_'] = "\\_",
                                                       ['{'] = "\\{",
                                                       ['}'] = "\\}",
                                                       ['~'] = "\\textasciitilde{}",
                                                       ['^'] = "\\textasciicircum{}",
                                                       ['<'] = "\\textless{}",
                                                       ['>'] = "\\textgreater{}"};
    for (; *text; text++) {
        const char *escape = escapes[(unsigned char)*text];
        if (escape)
            fputs(escape, out);
        else
            fputc(*text, out);
    }
}

/* \newcommand{\auditNAMEWHAT}{, where the name has letters only. */
static void profilers_begin_macro(FILE *out, const char *name, const char *what)
{
    static const char *const digits[] = {"Zero", "One", "Two",   "Three", "Four",
                                         "Five", "Six", "Seven", "Eight", "Nine"};
    bool inside = false;
    fputs("\\newcommand{\\audit", out);
    for (; *name; name++) {
        bool letter = isalpha((unsigned char)*name);
        if (letter)
            fputc(inside ? *name : toupper((unsigned char)*name), out);
        else if (*name >= '0' && *name <= '9')
            fputs(digits[*name - '0'], out);
        inside = letter;
    }
    fprintf(out, "%s}{", what);
}

static const char *profilers_random_word(const struct profiler *one)
{
    int random = profilers_sample_at_random(one);
    return random < 0 ? "--" : random ? "yes" : "no";
}

static void profilers_write_mean_slope(FILE *out, const struct profiler *one, int digits)
{
    if (one->with_slope)
        fprintf(out, "%.*f", digits, profilers_mean_slope(one));
    else
        fputs("--", out);
}

static void profilers_write_latex(const struct profilers *all, FILE *out)
{
    fprintf(out, "%% %s\n", all->request->command);
    for (size_t p = 0; p < all->names.count; p++) {
        const struct profiler *one = &all->each[p];
        profilers_begin_macro(out, one->name, "Verdict");
        fprintf(out, "%s}\n", profilers_verdict(all, p));
        if (one->with_slope) {
            profilers_begin_macro(out, one->name, "Slope");
            fprintf(out, "%.2f}\n", profilers_mean_slope(one));
        }
        if (*one->cost) {
            profilers_begin_macro(out, one->name, "Cost");
            fprintf(out, "%.1f}\n", 100 * profilers_number(one->cost));
        }
        if (*one->cost_lo && *one->cost_hi) {
            profilers_begin_macro(out, one->name, "CostLo");
            fprintf(out, "%.1f}\n", 100 * profilers_number(one->cost_lo));
            profilers_begin_macro(out, one->name, "CostHi");
            fprintf(out, "%.1f}\n", 100 * profilers_number(one->cost_hi));
        }
    }
    fputs("\\begin{tabular}{llllrrrr}\n\\toprule\n"
          "Profiler & Verdict & Random & Hottest method & Slope & Methods & Invalid points & Cost (\\%) \\\\\n"
          "\\midrule\n",
          out);
    for (size_t p = 0; p < all->names.count; p++) {
        const struct profiler *one = &all->each[p];
        profilers_write_tex(out, one->name);
        fprintf(out, " & %s & %s & ", profilers_verdict(all, p), profilers_random_word(one));
        profilers_write_tex(out, one->hottest ? one->hottest : "--");
        fputs(" & ", out);
        profilers_write_mean_slope(out, one, 2);
        fprintf(out, " & %zu & %zu & ", one->slopes, one->invalid_points);
        if (*one->cost && !(*one->cost_lo && *one->cost_hi))
            fprintf(out, "%.1f \\\\\n", 100 * profilers_number(one->cost));
        else if (*one->cost)
            fprintf(out, "%.1f [%.1f, %.1f] \\\\\n", 100 * profilers_number(one->cost),
                    100 * profilers_number(one->cost_lo), 100 * profilers_number(one->cost_hi));
        else
            fputs("-- \\\\\n", out);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", out);
}

void profilers_write_report(const struct profilers *all, FILE *out)
{
    static const struct {
        const char *name;
        void (*write)(const struct profilers *all, FILE *out);
    } formats[] = {{"json", profilers_write_json}, {"latex", profilers_write_latex}, {"html", profilers_write_page}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, all->request->format) == 0) {
            formats[i].write(all, out);
            return;
        }
    profilers_write_text(all, out);
}

static void profilers_write_cell(FILE *out, const char *cell)
{
    if (*cell)
        fprintf(out, "\t%.4f", profilers_number(cell));
    else
        fputs("\t--", out);
}

void profilers_write_verdicts(const struct profilers *all, FILE *out)
{
    fputs("profiler\tverdict\trandom\thottest\tslope\tmethods\tactionable\tnot_actionable\tinvalid_points\toverhead\tlo"
          "\thi\n",
          out);
    for (size_t p = 0; p < all->names.count; p++) {
        const struct profiler *one = &all->each[p];
        fprintf(out, "%s\t%s\t%s\t%s\t", one->name, profilers_verdict(all, p), profilers_random_word(one),
                one->hottest ? one->hottest : "-");
        profilers_write_mean_slope(out, one, 3);
        fprintf(out, "\t%zu\t%zu\t%zu\t%zu", one->slopes, one->actionable, one->not_actionable, one->invalid_points);
        profilers_write_cell(out, one->cost);
        profilers_write_cell(out, one->cost_lo);
        profilers_write_cell(out, one->cost_hi);
        fputc('\n', out);
    }
}
