/* The page without a script. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/waste/page/waste_page_parts.h"
#include "base/html.h"

enum { SHOWN = 20 };

static void waste_page_write_percent(FILE *out, double share)
{
    if (isnan(share))
        fputs("<td>-</td>", out);
    else
        fprintf(out, "<td>%.2f %%</td>", 100 * share);
}

static void waste_page_write_kinds(FILE *out, const struct waste_page_contents *contents)
{
    fputs("<h2>Wasted accesses</h2>\n<div class=\"scroll\"><table><thead><tr><th>kind</th><th>fraction</th>"
          "<th>wasted bytes</th><th>bytes</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < contents->kinds.rows.count; i++) {
        const struct waste_kind *kind = keyed_at(&contents->kinds.rows, i);
        if (contents->asked->kind != WASTE_COUNT && contents->asked->kind != kind->waste)
            continue;
        fprintf(out, "<tr><td>%s</td>", trace_waste_name(kind->waste));
        waste_page_write_percent(out, kind->fraction.value);
        fprintf(out, "<td>%" PRIu64 "</td><td>%" PRIu64 "</td></tr>\n", kind->wasted_bytes, kind->bytes);
    }
    fputs("</tbody></table></div>\n", out);
}

static bool waste_page_write_top(FILE *out, const char *title, const struct waste_page_contents *contents,
                                 const struct keyed *sites, const uint32_t *by_rank, size_t count)
{
    bool times = contents->ranking.run_count > 0, good = true;
    fprintf(out,
            "<h2>%s</h2>\n<div class=\"scroll\"><table><thead><tr><th>name</th>%s<th>wasted</th><th>wasted bytes</th>"
            "<th>of all bytes</th></tr></thead><tbody>\n",
            title, times ? "<th>gain</th><th>bound</th><th>time</th>" : "");
    for (size_t i = 0; good && i < count && i < SHOWN; i++) {
        const struct waste_site *site = keyed_at(sites, by_rank[i]);
        fputs("<tr><td><code>", out);
        good = html_write_text(out, waste_text(contents->waste, site->text));
        fputs("</code></td>", out);
        if (times) {
            waste_page_write_percent(out, site->gain.value);
            waste_page_write_percent(out, site->bound.value);
            waste_page_write_percent(out, site->time.value);
        }
        waste_page_write_percent(out, site->wasted);
        fprintf(out, "<td>%" PRIu64 "</td>", site->bytes);
        waste_page_write_percent(out, site->traffic_share);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    if (count > SHOWN)
        fprintf(out, "<p>%zu more are not shown without JavaScript.</p>\n", count - SHOWN);
    return good;
}

static bool waste_page_write_remarks(FILE *out, const char *title, const json_t *texts)
{
    size_t i;
    json_t *text;
    bool good = true;
    if (json_array_size(texts) > 0)
        fprintf(out, "<h2>%s</h2>\n<ul>\n", title);
    json_array_foreach(texts, i, text)
    {
        fputs("<li>", out);
        good = good && html_write_text(out, json_string_value(text));
        fputs("</li>\n", out);
    }
    fputs(json_array_size(texts) > 0 ? "</ul>\n" : "", out);
    return good;
}

bool waste_page_write_static(FILE *out, const struct waste_page_contents *contents)
{
    const struct waste_ranking *ranking = &contents->ranking;
    waste_page_write_kinds(out, contents);
    bool good = waste_page_write_top(out, "Functions", contents, &ranking->functions, ranking->functions_by_rank,
                                     ranking->function_count);
    good = good &&
           waste_page_write_top(out, "Lines", contents, &ranking->lines, ranking->lines_by_rank, ranking->line_count);
    good = good && waste_page_write_remarks(out, "Warnings", contents->report->warnings);
    return good && waste_page_write_remarks(out, "Notes", contents->report->notes);
}
