/* What the waste of functions and lines looks like, and what usually mends it. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/waste/inefficiency/waste_evidence.h"
#include "analyze/waste/page/waste_page_parts.h"

enum { WORDED_MOST = 500 }; /* functions and lines, so that their texts do not dominate the page */

static bool waste_page_write_names(FILE *out)
{
    bool good = true;
    fputs("\"inefficiencies\":[", out);
    for (unsigned kind = 0; good && kind < WASTE_INEFFICIENCIES; kind++) {
        fputs(kind > 0 ? ",[" : "[", out);
        good = waste_page_write_string(out, waste_inefficiency_name(kind));
        fputs(",", out);
        good = good && waste_page_write_string(out, waste_inefficiency_remedy(kind));
        fputs("]", out);
    }
    fputs("]", out);
    return good;
}

/* [kind, evidence], of a function that has two kinds with the second one's text; 0: no known kind. */
static bool waste_page_write_finding(FILE *out, const struct waste_finding *finding)
{
    if (finding->kind == WASTE_INEFFICIENCIES) {
        fputs("0", out);
        return true;
    }
    fprintf(out, "[%u,", finding->kind);
    bool good = waste_page_write_string(out, finding->evidence);
    if (good && *finding->second) {
        fputs(",", out);
        good = waste_page_write_string(out, finding->second);
    }
    fputs("]", out);
    return good;
}

static bool waste_page_write_findings(FILE *out, const struct waste_page_contents *contents,
                                      const struct waste_line_facts *facts, bool of_lines)
{
    const struct waste_ranking *ranking = &contents->ranking;
    const struct keyed *sites = of_lines ? &ranking->lines : &ranking->functions;
    const uint32_t *by_rank = of_lines ? ranking->lines_by_rank : ranking->functions_by_rank;
    size_t count = of_lines ? ranking->line_count : ranking->function_count;
    bool good = true;
    fprintf(out, ",\"%s_words\":[", of_lines ? "line" : "function");
    for (size_t i = 0; good && i < count && i < WORDED_MOST; i++) {
        const struct waste_site *site = keyed_at(sites, by_rank[i]);
        struct waste_finding finding;
        if (of_lines)
            waste_find_in_line(contents->waste, site, &facts[site->index], &finding);
        else
            waste_find_in_function(contents->waste, ranking, site, facts, &finding);
        fputs(i > 0 ? "," : "", out);
        good = waste_page_write_finding(out, &finding);
    }
    fputs("]", out);
    return good;
}

int waste_page_write_words(FILE *out, const struct waste_page_contents *contents)
{
    struct waste_line_facts *facts = NULL;
    int error = waste_gather_facts(contents->waste, &contents->ranking, contents->asked->kind, &facts);
    if (!error && !(waste_page_write_names(out) && waste_page_write_findings(out, contents, facts, false) &&
                    waste_page_write_findings(out, contents, facts, true)))
        error = ENOMEM;
    free(facts);
    return error;
}
