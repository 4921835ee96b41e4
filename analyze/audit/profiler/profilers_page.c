/* The audit as a page. The figures are SVG files; the ids in them might clash in one page, so each gets ids of its own.
 */
#include "analyze/audit/profiler/profilers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char page_style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--ink:#1c1f24;--quiet:#5b6470;--paper:#fff;--line:#d8dce2;--band:#f5f6f8;"
    "--good:#0b6b3a;--good-bg:#dff3e6;--bad:#a11616;--bad-bg:#fbe3e3;--open:#6b5300;--open-bg:#f8efcf}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--quiet:#9aa3af;--paper:#14171b;--line:#333a43;"
    "--band:#1c2026;--good:#8fe0b0;--good-bg:#123a26;--bad:#ffb0b0;--bad-bg:#4a1919;--open:#f0da8c;--open-bg:#40360f}"
    "figure svg{filter:invert(1) hue-rotate(180deg);mix-blend-mode:screen}}\n"
    "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:72rem;margin:2rem "
    "auto;padding:0 1rem}\n"
    "h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}p,li{max-width:60rem}p.quiet,figcaption{"
    "color:var(--quiet);font-size:.9rem}\n"
    "code{font:.9em ui-monospace,monospace;overflow-wrap:anywhere}.scroll{overflow-x:auto;border:1px solid var(--line);"
    "border-radius:6px}\n"
    "table{border-collapse:collapse;width:100%;font-size:.9rem}td,th{text-align:left;vertical-align:top;padding:.45rem "
    ".7rem;border-bottom:1px solid var(--line)}tbody tr:last-child td{border-bottom:0}thead{background:var(--band)}\n"
    "th{padding:0}th button{all:unset;cursor:pointer;font-weight:600;padding:.45rem .7rem;display:block}th "
    "button:focus-visible{outline:2px solid}th[aria-sort=ascending] button::after{content:' ↑'}"
    "th[aria-sort=descending] button::after{content:' ↓'}\n"
    "td.number{font-variant-numeric:tabular-nums;white-space:nowrap}.verdict{display:inline-block;border-radius:4px;"
    "padding:0 .5rem;font-weight:600;white-space:nowrap}.good{color:var(--good);background:var(--good-bg)}"
    ".bad{color:var(--bad);background:var(--bad-bg)}.open{color:var(--open);background:var(--open-bg)}\n"
    ".figures{margin-top:1rem;display:flex;flex-wrap:wrap;gap:1.2rem;align-items:flex-end}figure{margin:0;"
    "max-width:100%}figure svg{max-width:100%;height:auto;display:block}\n"
    "</style>\n";

/* A click on the head of a column sorts its table. */
static const char page_script[] =
    "<script>\n"
    "for (const button of document.querySelectorAll('th button')) button.onclick = () => {\n"
    "  const th = button.parentNode, at = th.cellIndex, body = th.closest('table').tBodies[0];\n"
    "  const down = th.getAttribute('aria-sort') === 'ascending' ? -1 : 1;\n"
    "  for (const other of th.parentNode.cells) other.removeAttribute('aria-sort');\n"
    "  th.setAttribute('aria-sort', down > 0 ? 'ascending' : 'descending');\n"
    "  const key = row => { const cell = row.cells[at]; return 'key' in cell.dataset ? Number(cell.dataset.key) : "
    "cell.textContent; };\n"
    "  const order = (a, b) => {\n"
    "    const x = key(a), y = key(b);\n"
    "    if (typeof x === 'string') return down * x.localeCompare(y);\n"
    "    return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : down * (x - y); // what has no number comes last\n"
    "  };\n"
    "  body.append(...[...body.rows].sort(order));\n"
    "};\n"
    "</script>\n";

static void page_write_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
}

/* A figure from the current directory, if it is there; *count is the number of those before it. Ids and references to
 * them get a prefix. */
static void page_write_figure(FILE *out, const char *path, const char *caption, unsigned *count)
{
    static const char *const marks[] = {"id='", "id=\"", "href='#", "url(#"};
    FILE *in = fopen(path, "re");
    char *line = NULL, prefix[16] = "f-";
    size_t size = 0;
    bool begun = false;
    if (!in)
        return;
    if (*count)
        snprintf(prefix, sizeof prefix, "f%u-", *count);
    while (getline(&line, &size, in) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (!begun && !strstr(line, "<svg"))
            continue;
        fputs(begun ? "" : "<figure>", out);
        begun = true;
        for (const char *at = line; *at;) {
            size_t i = 0, mark_count = sizeof marks / sizeof *marks;
            while (i < mark_count && strncmp(at, marks[i], strlen(marks[i])) != 0)
                i++;
            if (i < mark_count)
                fprintf(out, "%s%s", marks[i], prefix);
            else
                fputc(*at, out);
            at += i < mark_count ? strlen(marks[i]) : 1;
        }
        fputc('\n', out);
    }
    if (begun) {
        ++*count;
        fputs("<figcaption>", out);
        page_write_text(out, caption);
        fputs("</figcaption></figure>\n", out);
    }
    free(line);
    fclose(in);
}

/* Column heads, with '|' between. */
static void page_begin_table(FILE *out, const char *heads)
{
    fputs("<div class=\"scroll\"><table>\n<thead><tr>", out);
    for (size_t length; *heads; heads += length + (heads[length] == '|')) {
        length = strcspn(heads, "|");
        fprintf(out, "<th><button type=\"button\">%.*s</button></th>", (int)length, heads);
    }
    fputs("</tr></thead><tbody>\n", out);
}

static void page_end_table(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}

static void page_write_cell(FILE *out, const char *text)
{
    fputs("<td>", out);
    page_write_text(out, text);
    fputs("</td>", out);
}

/* Cells that are sorted by a key, a number or "none". */

static void page_write_count(FILE *out, size_t count, bool known)
{
    fprintf(out, "<td class=\"number\" data-key=\"%zu\">", count);
    if (known)
        fprintf(out, "%zu</td>", count);
    else
        fputs("–</td>", out);
}

/* A number of a table and its interval, if it has one: a change in percent (1 digit), which says so, or as it is. */
static void page_write_estimate(FILE *out, const char *value, const char *lo, const char *hi, int digits)
{
    double factor = digits == 1 ? 100 : 1;
    fprintf(out, "<td class=\"number\" data-key=\"%s\">", *value ? value : "none");
    if (!*value)
        fputs("–", out);
    else if (!*lo)
        fprintf(out, digits == 1 ? "%+.*f (no interval)" : "%.*f", digits, factor * profilers_number(value));
    else
        fprintf(out, digits == 1 ? "%+.*f [%+.*f, %+.*f]" : "%.*f [%.*f, %.*f]", digits,
                factor * profilers_number(value), digits, factor * profilers_number(lo), digits,
                factor * profilers_number(hi));
    fputs("</td>", out);
}

static void page_write_verdict(FILE *out, const char *verdict)
{
    static const struct {
        const char *verdict, *class;
    } classes[] = {{"believe", "good"},
                   {"actionable", "good"},
                   {"do not believe", "bad"},
                   {"not actionable", "bad"},
                   {"failed", "bad"}};
    const char *class = "open";
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(classes[i].verdict, verdict) == 0)
            class = classes[i].class;
    fprintf(out, "<td><span class=\"verdict %s\">", class);
    page_write_text(out, verdict);
    fputs("</span></td>", out);
}

static void page_write_summary(FILE *out, const struct profilers *all)
{
    page_begin_table(out, "Profiler|Verdict|Evidence");
    for (size_t p = 0; p < all->names.count; p++) {
        char *evidence = profilers_evidence(all, p);
        fputs("<tr>", out);
        page_write_cell(out, all->each[p].name);
        page_write_verdict(out, profilers_verdict(all, p));
        page_write_cell(out, evidence ? evidence : "");
        fputs("</tr>\n", out);
        free(evidence);
    }
    page_end_table(out);
}

static void page_write_details(FILE *out, const struct profilers *all)
{
    page_begin_table(out, "Profiler|Runs|Samples at random|Threads random|Threads not random|Hottest method|Cost, "
                          "%|Mean slope|Invalid points");
    for (size_t p = 0; p < all->names.count; p++) {
        const struct profiler *one = &all->each[p];
        int random = profilers_sample_at_random(one);
        fputs("<tr>", out);
        page_write_cell(out, one->name);
        page_write_count(out, one->runs, true);
        page_write_cell(out, random < 0 ? "–" : random ? "yes" : "no");
        page_write_count(out, one->random, random >= 0);
        page_write_count(out, one->not_random, random >= 0);
        page_write_cell(out, one->hottest ? one->hottest : "–");
        page_write_estimate(out, one->cost, one->cost_lo, one->cost_hi, 1);
        if (one->with_slope)
            fprintf(out, "<td class=\"number\" data-key=\"%.6g\">%.2f</td>", profilers_mean_slope(one),
                    profilers_mean_slope(one));
        else
            fputs("<td class=\"number\" data-key=\"none\">–</td>", out);
        page_write_count(out, one->invalid_points, true);
        fputs("</tr>\n", out);
    }
    page_end_table(out);
}

static void page_write_pairs(FILE *out, const struct profilers *all)
{
    page_begin_table(out, "Profiler|Other|Distance|Hottest by the first|Hottest by the other|These two methods");
    for (size_t i = 0; i < all->pair_count; i++) {
        const struct profilers_pair *pair = &all->pairs[i];
        const struct profiler *a = &all->each[pair->a], *b = &all->each[pair->b];
        fputs("<tr>", out);
        page_write_cell(out, a->name);
        page_write_cell(out, b->name);
        page_write_estimate(out, pair->distance, profilers_know_distance(all, pair->a, pair->b) ? pair->lo : "",
                            pair->hi, 3);
        page_write_cell(out, a->hottest);
        page_write_cell(out, b->hottest);
        page_write_cell(out, profilers_class_text(pair->class));
        fputs("</tr>\n", out);
    }
    page_end_table(out);
}

static void page_write_slowdowns(FILE *out, const struct profilers *all, unsigned *figures)
{
    fputs("<h2>Does it see slowdowns?</h2>\n<p class=\"quiet\">Slope of the reported over the real change of the time, "
          "where a method was made slower: 1 if all of it is seen, 0 if nothing. Points where the JIT compiler decided "
          "otherwise about the method are invalid and left out.</p>\n",
          out);
    page_begin_table(out, "Profiler|Method|Slope|R²|Points|Invalid points|Verdict");
    for (size_t i = 0; i < all->slope_count; i++) {
        const struct profilers_slope *slope = &all->slopes[i];
        fputs("<tr>", out);
        page_write_cell(out, all->each[slope->profiler].name);
        page_write_cell(out, slope->method);
        page_write_estimate(out, slope->slope, slope->lo, slope->hi, 2);
        page_write_estimate(out, slope->r2, "", "", 3);
        page_write_count(out, profilers_count(slope->points), true);
        page_write_count(out, profilers_count(slope->invalid_points), true);
        page_write_verdict(out, slope->verdict);
        fputs("</tr>\n", out);
    }
    page_end_table(out);
    fputs("<div class=\"figures\">\n", out);
    for (size_t p = 0; p < all->names.count; p++) {
        char path[PATH_MAX], caption[PATH_MAX];
        snprintf(path, sizeof path, "slopes-%s.svg", all->each[p].name);
        snprintf(caption, sizeof caption, "%s: each point is a run; milliseconds", all->each[p].name);
        page_write_figure(out, path, caption, figures);
    }
    fputs("</div>\n", out);
}

static void page_write_begin(FILE *out, const struct profilers_request *request)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width\">\n<title>assay: can these profilers be believed?</title>\n",
          out);
    fputs(page_style, out);
    fputs("<h1>Can these profilers be believed?</h1>\n<p><code>", out);
    page_write_text(out, request->command);
    fprintf(
        out,
        "</code></p>\n<p class=\"quiet\">%zu runs with each profiler, and %zu without. Intervals: 95 %%, over runs. "
        "Click a column's head to sort.</p>\n",
        request->runs, request->runs);
}

void profilers_write_page(const struct profilers *all, FILE *out)
{
    unsigned figures = 0;
    page_write_begin(out, all->request);
    page_write_summary(out, all);
    if (all->slope_count)
        page_write_slowdowns(out, all, &figures);
    fputs("<h2>Does it sample at random? What does it cost?</h2>\n", out);
    page_write_details(out, all);
    fputs("<div class=\"figures\">\n", out);
    page_write_figure(out, "acf.svg", "Autocorrelation of the sampling intervals, first run, the thread with most",
                      &figures);
    page_write_figure(out, "cost.svg", "Wall time with the profiler over that without", &figures);
    fputs("</div>\n", out);
    if (all->pair_count) {
        fprintf(out,
                "<h2>Does it agree with the others?</h2>\n<p class=\"quiet\">Distance: total variation of the shares "
                "of methods, 0 to 1. Profiles differ if its interval is above %s, and agree if it is below.</p>\n",
                all->request->tolerance);
        page_write_pairs(out, all);
        fputs("<div class=\"figures\">\n", out);
        page_write_figure(out, "hotness.svg", "Share of the hottest methods by each profiler", &figures);
        fputs("</div>\n", out);
    }
    if (all->notes.count)
        fputs("<h2>Notes</h2>\n<ul>\n", out);
    for (size_t i = 0; i < all->notes.count; i++) {
        fputs("<li>", out);
        page_write_text(out, all->notes.line[i]);
        fputc('\n', out);
    }
    fputs(all->notes.count ? "</ul>\n" : "", out);
    fputs(page_script, out);
    fputs("</html>\n", out);
}
