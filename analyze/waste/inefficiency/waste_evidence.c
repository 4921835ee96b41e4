#include "analyze/waste/inefficiency/waste_evidence.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/names/method_name.h"

/* A kind whose lines have less of a function's gain, or of its wasted bytes, does not characterize it. A gain below
 * LEAST_GAIN does not tell lines apart. */
static const double LEAST_SHARE = 0.1, LEAST_GAIN = 0.01;

/* A text that grows; what does not fit is cut. */
struct waste_words {
    const struct waste *waste;
    const struct waste_site *line;
    const struct waste_line_facts *facts;
    char *text;
    size_t used, size;
};

__attribute__((format(printf, 2, 3))) static void waste_append(struct waste_words *words, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(words->text + words->used, words->size - words->used, format, args);
    va_end(args);
    size_t most = words->size - words->used - 1;
    words->used += length < 0 ? 0 : (size_t)length < most ? (size_t)length : most;
}

/* "99.5 % of its loads in pairs"; 100 % only if it is all of them. */
static void waste_write_share(struct waste_words *words, uint64_t part, uint64_t all, const char *what)
{
    double percent = all > 0 ? 100 * fmin((double)part / (double)all, 1) : 0;
    int digits = percent >= 10 && percent < 99.5 ? 0 : 1;
    if (part < all && percent > 99.9)
        percent = 99.9;
    waste_append(words, "%.*f %% of its %s in pairs", part >= all ? 0 : digits, percent, what);
}

static const struct waste_witness *waste_witness_of(const struct waste_words *words, enum waste_fact fact)
{
    return &words->facts->witnesses[fact];
}

/* The first of these facts with the largest count. */
static enum waste_fact waste_largest_fact(const struct waste_words *words, const enum waste_fact *list, size_t count)
{
    enum waste_fact best = list[0];
    for (size_t i = 1; i < count; i++)
        if (words->facts->facts.counts[list[i]] > words->facts->facts.counts[best])
            best = list[i];
    return best;
}

/* Accesses that any of these facts explains, and whether they have one loop, and one function of the library. */
struct waste_joint {
    enum waste_fact largest;
    const struct waste_witness *witness;
    uint64_t accesses;
    bool several;
};

static struct waste_joint waste_join_facts(const struct waste_words *words, const enum waste_fact *list, size_t count)
{
    enum waste_fact largest = waste_largest_fact(words, list, count);
    struct waste_joint joint = {.largest = largest, .witness = waste_witness_of(words, largest)};
    for (size_t i = 0; i < count; i++) {
        const struct waste_witness *witness = waste_witness_of(words, list[i]);
        if (words->facts->facts.counts[list[i]] == 0)
            continue;
        joint.accesses += words->facts->facts.counts[list[i]];
        joint.several |= witness->several || witness->called != joint.witness->called ||
                         waste_node_at(words->waste, witness->scope)->text !=
                             waste_node_at(words->waste, joint.witness->scope)->text;
    }
    return joint;
}

static const char *waste_node_name(const struct waste_words *words, uint32_t node, char brief[WASTE_BRIEF_MAX])
{
    if (node == 0)
        return "an unknown line";
    waste_brief_frame(waste_text(words->waste, waste_node_at(words->waste, node)->text), brief, WASTE_BRIEF_MAX);
    return brief;
}

/* The name of a function, without its line. */
static const char *waste_called_name(const struct waste_words *words, uint32_t node, char brief[WASTE_BRIEF_MAX])
{
    char name[METHOD_NAME_MAX + 32];
    uint64_t position, reach;
    const char *frame = waste_text(words->waste, waste_node_at(words->waste, node)->text);
    frame += strncmp(frame, "__GI_", 5) == 0 ? 5 : 0; /* glibc's name for its own use */
    frame += strspn(frame, "_");
    snprintf(name, sizeof name, "%.*s", (int)waste_frame_split(frame, &position, &reach), frame);
    waste_brief_frame(name, brief, WASTE_BRIEF_MAX);
    return brief;
}

/* ", in memset" */
static void waste_write_called(struct waste_words *words, const struct waste_witness *witness)
{
    char brief[WASTE_BRIEF_MAX];
    if (witness->called)
        waste_append(words, ", in %s,", waste_called_name(words, witness->called, brief));
}

/* "the loop at f:30" */
static void waste_write_loop(struct waste_words *words, const struct waste_witness *witness)
{
    char brief[WASTE_BRIEF_MAX];
    waste_append(words, "the loop at %s", waste_node_name(words, witness->scope, brief));
}

/* No loop around both accesses iterated between them, but one that is around neither may have run. */
static const char near[] = "without an iteration of a common loop between";

/* " repeat what an earlier iteration of the loop at f:30 loaded"; `several`: not all loads have this loop. */
static void waste_write_repeated(struct waste_words *words, const struct waste_witness *witness, bool several,
                                 const char *without_loop)
{
    if (several)
        waste_append(words, " repeat earlier ones%s", witness->scope || witness->called ? ", for instance" : "");
    waste_write_called(words, witness);
    waste_append(words, several ? "" : " repeat");
    if (witness->scope) {
        waste_append(words, " what an earlier iteration of ");
        waste_write_loop(words, witness);
        waste_append(words, " loaded");
    } else if (!several) {
        waste_append(words, " %s", without_loop);
    }
}

static void waste_write_times(struct waste_words *words, const struct waste_witness *witness)
{
    if (witness->times >= WASTE_MANY && !witness->called)
        waste_append(words, ", about %.0f accesses for each at the line that %s", witness->times,
                     witness->caller ? "calls it" : "begins the loop");
}

/* The line that overwrites or was before, if it is another one: ", mostly at f:31"; `of`: accesses of all. */
static void waste_write_partner(struct waste_words *words, const struct waste_witness *witness, uint64_t of,
                                const char *before)
{
    char brief[WASTE_BRIEF_MAX];
    uint32_t partner = witness->partner;
    if (partner != 0 && waste_node_at(words->waste, partner)->text != words->line->text)
        waste_append(words, ", %s %s %s", witness->accesses > of / 2 ? "mostly" : "for instance", before,
                     waste_node_name(words, partner, brief));
}

/* ------------------------------------------------------------------------------------------ kinds -- */

static void waste_write_zeroing(struct waste_words *words)
{
    const struct waste_facts *facts = &words->facts->facts;
    const uint64_t *counts = facts->counts;
    bool dead = counts[WASTE_FACT_FILL_DEAD] > 0;
    const struct waste_witness *witness = waste_witness_of(words, dead ? WASTE_FACT_FILL_DEAD : WASTE_FACT_FILL_SILENT);
    if (dead) {
        waste_write_share(words, counts[WASTE_FACT_FILL_DEAD], facts->dead_stores, "stores");
        waste_write_called(words, witness);
        waste_append(words, " are overwritten before anything reads them");
        waste_write_partner(words, witness, counts[WASTE_FACT_FILL_DEAD], "by");
    }
    if (counts[WASTE_FACT_FILL_SILENT] > 0) {
        waste_append(words, dead ? "; " : "");
        waste_write_share(words, counts[WASTE_FACT_FILL_SILENT], facts->silent_stores, "stores");
        if (!dead)
            waste_write_called(words, witness);
        waste_append(words, " store what is there already");
    }
    waste_append(words, ".");
}

static void waste_write_copy(struct waste_words *words)
{
    static const struct {
        enum waste_fact fact;
        const char *what, *how;
    } parts[] = {{WASTE_FACT_COPY_SILENT, "stores", "store what is there already"},
                 {WASTE_FACT_COPY_DEAD, "stores", "are overwritten before anything reads them"},
                 {WASTE_FACT_COPY_LOAD, "loads", "repeat earlier ones"}};
    const struct waste_facts *facts = &words->facts->facts;
    const uint64_t all[] = {facts->silent_stores, facts->dead_stores, facts->loads};
    bool any = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint64_t count = facts->counts[parts[i].fact];
        if (count == 0)
            continue;
        waste_append(words, any ? "; " : "");
        waste_write_share(words, count, all[i], parts[i].what);
        if (!any)
            waste_write_called(words, waste_witness_of(words, parts[i].fact));
        waste_append(words, " %s", parts[i].how);
        any = true;
    }
    waste_append(words, ".");
}

static void waste_write_inlining(struct waste_words *words)
{
    const struct waste_facts *facts = &words->facts->facts;
    waste_write_share(words, facts->counts[WASTE_FACT_STACK], facts->loads + facts->stores, "sampled accesses");
    waste_append(words, " are wasted ones of the stack: saved registers, arguments or spilled values.");
}

/* The calls where two paths part, the innermost that they share left out. */
static void waste_write_two_calls(struct waste_words *words, const struct waste_witness *witness)
{
    char brief[WASTE_BRIEF_MAX];
    uint32_t paths[2] = {witness->first, witness->second};
    uint32_t depths[2] = {0, 0};
    for (size_t p = 0; p < 2; p++)
        for (uint32_t at = paths[p]; at; at = waste_node_at(words->waste, at)->parent)
            depths[p]++;
    for (size_t p = 0; p < 2; p++)
        for (; depths[p] > depths[1 - p]; depths[p]--)
            paths[p] = waste_node_at(words->waste, paths[p])->parent;
    while (waste_node_at(words->waste, paths[0])->parent != waste_node_at(words->waste, paths[1])->parent)
        for (size_t p = 0; p < 2; p++)
            paths[p] = waste_node_at(words->waste, paths[p])->parent;
    bool all = witness->accesses == words->facts->facts.counts[WASTE_FACT_LOAD_CALL];
    waste_append(words, " repeat, %sin the call at %s,", all ? "" : "for instance ",
                 waste_node_name(words, paths[1], brief));
    waste_append(words, " what that at %s has loaded", waste_node_name(words, paths[0], brief));
}

static void waste_write_call(struct waste_words *words)
{
    const struct waste_facts *facts = &words->facts->facts;
    const enum waste_fact both[] = {WASTE_FACT_LOAD_CALL, WASTE_FACT_LOAD_RESULT};
    enum waste_fact fact = waste_largest_fact(words, both, 2);
    const struct waste_witness *witness = waste_witness_of(words, fact);
    char brief[WASTE_BRIEF_MAX];
    waste_write_share(words, facts->counts[fact], facts->loads, "loads");
    if (fact == WASTE_FACT_LOAD_CALL) {
        waste_write_two_calls(words, witness);
        waste_append(words, ", %s.", near);
        return;
    }
    waste_write_repeated(words, witness, witness->several, "earlier ones");
    waste_append(words, ", and at least 90 %% of what %s stores is as it was.",
                 witness->caller ? waste_node_name(words, witness->caller, brief) : "the line");
}

static void waste_write_search(struct waste_words *words, const struct waste_joint *joint)
{
    waste_write_share(words, joint->accesses, words->facts->facts.loads, "loads");
    waste_write_repeated(words, joint->witness, joint->several,
                         joint->largest == WASTE_FACT_LOAD_PASS ? "what the same call of the function loaded"
                                                                : "earlier ones");
    if (joint->witness->scope)
        waste_write_times(words, joint->witness);
    else
        waste_write_partner(words, joint->witness, joint->accesses, "at");
    waste_append(words, ".");
}

static void waste_write_either_search(struct waste_words *words)
{
    const enum waste_fact all[] = {WASTE_FACT_LOAD_AGAIN, WASTE_FACT_LOAD_PASS, WASTE_FACT_SCAN, WASTE_FACT_LOAD_LOOP};
    struct waste_joint joint = waste_join_facts(words, all, 4);
    joint.largest = waste_largest_fact(words, all, 3); /* what shows the traversal */
    joint.witness = waste_witness_of(words, joint.largest);
    waste_write_search(words, &joint);
}

static void waste_write_lookup(struct waste_words *words)
{
    const enum waste_fact lookup[] = {WASTE_FACT_LOOKUP};
    struct waste_joint joint = waste_join_facts(words, lookup, 1);
    waste_write_search(words, &joint);
}

static void waste_write_register(struct waste_words *words)
{
    const struct waste_facts *facts = &words->facts->facts;
    uint64_t count = facts->counts[WASTE_FACT_LOAD_SAME];
    waste_write_share(words, count, facts->loads, "loads");
    waste_append(words, " repeat what the same call of the function loaded, %s", near);
    waste_write_partner(words, waste_witness_of(words, WASTE_FACT_LOAD_SAME), count, "at");
    waste_append(words, ".");
}

static void waste_write_reload(struct waste_words *words)
{
    const enum waste_fact both[] = {WASTE_FACT_LOAD_LOOP, WASTE_FACT_LOAD_AGAIN};
    struct waste_joint joint = waste_join_facts(words, both, 2);
    waste_write_share(words, joint.accesses, words->facts->facts.loads, "loads");
    char otherwise[128];
    snprintf(otherwise, sizeof otherwise, "what was loaded before, %s", near);
    waste_write_repeated(words, joint.witness, joint.several, otherwise);
    waste_write_partner(words, joint.witness, joint.accesses, "at");
    waste_append(words, ".");
}

static void waste_write_silent(struct waste_words *words, enum waste_fact fact, const char *what)
{
    const struct waste_facts *facts = &words->facts->facts;
    const struct waste_witness *witness = waste_witness_of(words, fact);
    waste_write_share(words, facts->counts[fact], facts->silent_stores, "stores");
    waste_append(words, " store %s", what);
    if (witness->scope) {
        waste_append(words, ", %sfrom an earlier iteration of ", witness->several ? "for instance " : "");
        waste_write_loop(words, witness);
    }
    waste_write_partner(words, witness, facts->counts[fact], "of");
    waste_append(words, ".");
}

static void waste_write_recomputed(struct waste_words *words)
{
    waste_write_silent(words, WASTE_FACT_SILENT_EXACT, "the value that is there already");
}

static void waste_write_tolerance(struct waste_words *words)
{
    waste_write_silent(words, WASTE_FACT_SILENT_CLOSE, "a floating-point value that differs little from what is there");
}

static void waste_write_rewritten(struct waste_words *words)
{
    const struct waste_facts *facts = &words->facts->facts;
    uint64_t count = facts->counts[WASTE_FACT_DEAD_AGAIN];
    const struct waste_witness *witness = waste_witness_of(words, WASTE_FACT_DEAD_AGAIN);
    waste_write_share(words, count, facts->dead_stores, "stores");
    waste_append(words, " are overwritten by a later iteration of %s", witness->several ? "a loop, such as " : "");
    waste_write_loop(words, witness);
    waste_append(words, "%s before anything reads them", witness->several ? "," : "");
    waste_write_partner(words, witness, count, "at");
    waste_append(words, ".");
}

static void waste_write_overwritten(struct waste_words *words)
{
    const struct waste_facts *facts = &words->facts->facts;
    uint64_t count = facts->counts[WASTE_FACT_DEAD_SAME];
    waste_write_share(words, count, facts->dead_stores, "stores");
    waste_append(words, " are overwritten before anything reads them, %s", near);
    waste_write_partner(words, waste_witness_of(words, WASTE_FACT_DEAD_SAME), count, "by");
    waste_append(words, ".");
}

static void waste_write_neighbours(struct waste_words *words)
{
    const struct waste_facts *facts = &words->facts->facts;
    waste_write_share(words, facts->counts[WASTE_FACT_NEIGHBOUR], facts->loads, "loads");
    waste_append(words, " load the value that the load before loaded from the same data object.");
}

static void (*const writers[WASTE_INEFFICIENCIES])(struct waste_words *) = {
    [WASTE_ZEROING] = waste_write_zeroing,       [WASTE_COPY] = waste_write_copy,
    [WASTE_INLINING] = waste_write_inlining,     [WASTE_CALL] = waste_write_call,
    [WASTE_LOOKUP] = waste_write_lookup,         [WASTE_SEARCH] = waste_write_either_search,
    [WASTE_REGISTER] = waste_write_register,     [WASTE_RELOAD] = waste_write_reload,
    [WASTE_RECOMPUTED] = waste_write_recomputed, [WASTE_TOLERANCE] = waste_write_tolerance,
    [WASTE_REWRITTEN] = waste_write_rewritten,   [WASTE_OVERWRITTEN] = waste_write_overwritten,
    [WASTE_NEIGHBOURS] = waste_write_neighbours,
};

/* ------------------------------------------------------------------------------------------ sites -- */

/* Adds what shows this kind, and any other that the same line shows. */
static void waste_describe(const struct waste_words *before, enum waste_inefficiency claimed, char *text)
{
    struct waste_words words = *before;
    words.text = text;
    words.size = WASTE_EVIDENCE_MAX;
    words.used = strlen(text);
    writers[claimed](&words);
    for (enum waste_inefficiency kind = 0; kind < WASTE_INEFFICIENCIES; kind++)
        if (kind != claimed && !(claimed == WASTE_SEARCH && kind == WASTE_RELOAD) &&
            waste_inefficiency_explains(kind, &words.facts->facts) > 0) {
            waste_append(&words, " Also %s: ", waste_inefficiency_name(kind));
            writers[kind](&words);
        }
}

void waste_find_in_line(const struct waste *waste, const struct waste_site *line, const struct waste_line_facts *facts,
                        struct waste_finding *finding)
{
    *finding = (struct waste_finding){.kind = waste_inefficiency_of(&facts->facts)};
    if (finding->kind < WASTE_INEFFICIENCIES)
        waste_describe(&(struct waste_words){.waste = waste, .line = line, .facts = facts}, finding->kind,
                       finding->evidence);
}

/* "Line 15 (16 and 19 likewise): ", or likewise addresses. */
static void waste_write_lines(const struct waste *waste, const struct waste_ranking *ranking,
                              const struct waste_site *function, const struct waste_line_facts *lines,
                              enum waste_inefficiency kind, char *text)
{
    enum { LINES_MOST = 3 };
    size_t name = strlen(waste_text(waste, function->text)), count = 0;
    struct waste_words words = {.text = text, .used = strlen(text), .size = WASTE_EVIDENCE_MAX};
    for (size_t i = 0; i < ranking->line_count; i++) {
        const struct waste_site *line = keyed_at(&ranking->lines, ranking->lines_by_rank[i]);
        const char *frame = waste_text(waste, line->text);
        if (line->function != function->index || waste_inefficiency_of(&lines[line->index].facts) != kind)
            continue;
        if (count < LINES_MOST)
            waste_append(&words, "%s%s",
                         count == 0   ? "Line "
                         : count == 1 ? " (likewise "
                                      : ", ",
                         frame[name] ? frame + name + 1 : frame);
        count++;
    }
    waste_append(&words, "%s%s: ", count > LINES_MOST ? ", ..." : "", count > 1 ? ")" : "");
}

/* The shares of the kinds of a function's lines: in its gain if that is LEAST_GAIN or more, so that nothing is said of
 * lines that gain nothing; else in its wasted bytes. And the first lines. */
struct waste_shares_of_kinds {
    double shares[WASTE_INEFFICIENCIES + 1];
    const struct waste_site *first[WASTE_INEFFICIENCIES + 1];
};

static void waste_weigh_kinds(const struct waste_ranking *ranking, const struct waste_site *function,
                              const struct waste_line_facts *lines, struct waste_shares_of_kinds *kinds)
{
    double gains[WASTE_INEFFICIENCIES + 1] = {0}, bytes[WASTE_INEFFICIENCIES + 1] = {0}, gain = 0, all = 0;
    for (size_t i = 0; i < ranking->line_count; i++) {
        const struct waste_site *line = keyed_at(&ranking->lines, ranking->lines_by_rank[i]);
        if (line->function != function->index)
            continue;
        enum waste_inefficiency kind = waste_inefficiency_of(&lines[line->index].facts);
        kinds->first[kind] = kinds->first[kind] ? kinds->first[kind] : line;
        gains[kind] += isnan(line->gain.value) ? 0 : line->gain.value;
        bytes[kind] += (double)line->bytes;
    }
    for (size_t kind = 0; kind <= WASTE_INEFFICIENCIES; kind++) {
        gain += gains[kind];
        all += bytes[kind];
    }
    for (size_t kind = 0; kind <= WASTE_INEFFICIENCIES; kind++)
        kinds->shares[kind] = gain >= LEAST_GAIN ? gains[kind] / gain : all > 0 ? bytes[kind] / all : 0;
}

/* The kind with the largest share, other than `taken`; WASTE_INEFFICIENCIES: there is none with LEAST_SHARE. */
static enum waste_inefficiency waste_choose_kind(const struct waste_shares_of_kinds *kinds,
                                                 enum waste_inefficiency taken)
{
    enum waste_inefficiency best = WASTE_INEFFICIENCIES;
    for (enum waste_inefficiency kind = 0; kind < WASTE_INEFFICIENCIES; kind++)
        if (kind != taken && kinds->first[kind] && kinds->shares[kind] >= LEAST_SHARE &&
            (best == WASTE_INEFFICIENCIES || kinds->shares[kind] > kinds->shares[best]))
            best = kind;
    return best;
}

void waste_find_in_function(const struct waste *waste, const struct waste_ranking *ranking,
                            const struct waste_site *function, const struct waste_line_facts *lines,
                            struct waste_finding *finding)
{
    struct waste_shares_of_kinds kinds = {0};
    waste_weigh_kinds(ranking, function, lines, &kinds);
    *finding = (struct waste_finding){.kind = waste_choose_kind(&kinds, WASTE_INEFFICIENCIES)};
    if (finding->kind == WASTE_INEFFICIENCIES)
        return;
    const struct waste_site *line = kinds.first[finding->kind];
    waste_write_lines(waste, ranking, function, lines, finding->kind, finding->evidence);
    waste_describe(&(struct waste_words){.waste = waste, .line = line, .facts = &lines[line->index]}, finding->kind,
                   finding->evidence);

    enum waste_inefficiency next = waste_choose_kind(&kinds, finding->kind);
    if (next == WASTE_INEFFICIENCIES)
        return;
    line = kinds.first[next];
    struct waste_words words = {.waste = waste,
                                .line = line,
                                .facts = &lines[line->index],
                                .text = finding->second,
                                .size = sizeof finding->second};
    waste_append(&words, "Elsewhere %s. ", waste_inefficiency_name(next));
    waste_write_lines(waste, ranking, function, lines, next, finding->second);
    waste_describe(&words, next, finding->second);
    words.used = strlen(finding->second);
    waste_append(&words, " %s", waste_inefficiency_remedy(next));
}
