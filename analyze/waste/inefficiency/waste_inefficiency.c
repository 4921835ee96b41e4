#include "analyze/waste/inefficiency/waste_inefficiency.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ rules -- */

/* At least half of the line's loads (stores): one in a hundred that looks like a kind does not make the line one. */
static uint64_t waste_explain_half(uint64_t explained, uint64_t all)
{
    return explained >= (all + 1) / 2 ? explained : 0;
}

/* A store that is both dead and silent counts once. */
static uint64_t waste_larger_fact(const struct waste_facts *facts, enum waste_fact a, enum waste_fact b)
{
    return facts->counts[a] > facts->counts[b] ? facts->counts[a] : facts->counts[b];
}

/* Explains at least half of the dead stores, or of the silent ones, by the name of a function. */
static uint64_t waste_explain_named(const struct waste_facts *facts, enum waste_fact dead, enum waste_fact silent)
{
    uint64_t unread = waste_explain_half(facts->counts[dead], facts->dead_stores),
             equal = waste_explain_half(facts->counts[silent], facts->silent_stores);
    return unread > 0 || equal > 0 ? waste_larger_fact(facts, dead, silent) : 0;
}

static uint64_t waste_explain_zeroing(const struct waste_facts *facts)
{
    return waste_explain_named(facts, WASTE_FACT_FILL_DEAD, WASTE_FACT_FILL_SILENT);
}

/* A copy whose source has been loaded before is none too many; one that changes nothing, or that nothing reads, is. */
static uint64_t waste_explain_copy(const struct waste_facts *facts)
{
    uint64_t stores = waste_explain_named(facts, WASTE_FACT_COPY_DEAD, WASTE_FACT_COPY_SILENT);
    return stores > 0 ? stores + facts->counts[WASTE_FACT_COPY_LOAD] : 0;
}

static uint64_t waste_explain_inlining(const struct waste_facts *facts)
{
    return waste_explain_half(facts->counts[WASTE_FACT_STACK], facts->loads + facts->stores);
}

/* The first of two calls with the same loads does not repeat any, and not every call need have a second. */
static uint64_t waste_explain_call(const struct waste_facts *facts)
{
    uint64_t calls = facts->counts[WASTE_FACT_LOAD_CALL], results = facts->counts[WASTE_FACT_LOAD_RESULT];
    return (calls >= (facts->loads + 3) / 4 ? calls : 0) + waste_explain_half(results, facts->loads);
}

static uint64_t waste_explain_lookup(const struct waste_facts *facts)
{
    return waste_explain_half(facts->counts[WASTE_FACT_LOOKUP], facts->loads);
}

/* A line that a loop repeats in one calling context is in that loop in all. One that stores for each second load, or
 * more often, does not search: it changes data in their places. */
static uint64_t waste_explain_search(const struct waste_facts *facts)
{
    const uint64_t *counts = facts->counts;
    uint64_t loads = counts[WASTE_FACT_SCAN] + counts[WASTE_FACT_LOAD_AGAIN] + counts[WASTE_FACT_LOAD_PASS];
    if (loads < (facts->loads + 3) / 4 || facts->stores > facts->loads / 2)
        return 0;
    return waste_explain_half(loads + counts[WASTE_FACT_LOAD_LOOP], facts->loads);
}

static uint64_t waste_explain_register(const struct waste_facts *facts)
{
    return waste_explain_half(facts->counts[WASTE_FACT_LOAD_SAME], facts->loads);
}

static uint64_t waste_explain_reload(const struct waste_facts *facts)
{
    return waste_explain_half(facts->counts[WASTE_FACT_LOAD_LOOP] + facts->counts[WASTE_FACT_LOAD_AGAIN], facts->loads);
}

/* A line that changes data in their places loads in the next pass what it has stored in this one. */
static uint64_t waste_explain_silent(const struct waste_facts *facts, enum waste_fact silent)
{
    const uint64_t *counts = facts->counts;
    uint64_t loads = counts[WASTE_FACT_LOAD_AGAIN] + counts[WASTE_FACT_LOAD_LOOP],
             stores = waste_explain_half(counts[silent], facts->silent_stores);
    return stores > 0 && facts->stores > facts->loads / 2 ? stores + loads : stores;
}

static uint64_t waste_explain_recomputed(const struct waste_facts *facts)
{
    return waste_explain_silent(facts, WASTE_FACT_SILENT_EXACT);
}

static uint64_t waste_explain_tolerance(const struct waste_facts *facts)
{
    return waste_explain_silent(facts, WASTE_FACT_SILENT_CLOSE);
}

static uint64_t waste_explain_rewritten(const struct waste_facts *facts)
{
    return waste_explain_half(facts->counts[WASTE_FACT_DEAD_AGAIN], facts->dead_stores);
}

static uint64_t waste_explain_overwritten(const struct waste_facts *facts)
{
    return waste_explain_half(facts->counts[WASTE_FACT_DEAD_SAME], facts->dead_stores);
}

static uint64_t waste_explain_neighbours(const struct waste_facts *facts)
{
    return waste_explain_half(facts->counts[WASTE_FACT_NEIGHBOUR], facts->loads);
}

static const struct {
    const char *name;
    uint64_t (*explains)(const struct waste_facts *facts);
    const char *remedy;
} rules[WASTE_INEFFICIENCIES] = {
    [WASTE_ZEROING] = {"zeroing before overwriting", waste_explain_zeroing,
                       "Clear only what is read before it is overwritten, or nothing."},
    [WASTE_COPY] = {"redundant copy", waste_explain_copy,
                    "Copy only what has changed, or use the source itself in place of the copy."},
    [WASTE_INLINING] = {"missed inlining", waste_explain_inlining,
                        "Inline the function, so that registers and arguments need not pass through the stack."},
    [WASTE_CALL] =
        {"redundant call", waste_explain_call,
         "If its arguments are the same, too, keep the result of the first call and use it again, or join the two "
         "functions."},
    [WASTE_LOOKUP] = {"chained lookup", waste_explain_lookup,
                      "A hash that spreads keys better, a larger table, or a hash table in place of a tree shortens "
                      "the chains; the last result can be kept for equal keys."},
    [WASTE_SEARCH] = {"linear search or traversal", waste_explain_search,
                      "If the data stay the same, keep the result, such as the length that strlen returned. If it "
                      "searches, a hash table, a binary search in sorted data, or a start at the last position avoids "
                      "most loads. If several loops walk over the data, join them."},
    [WASTE_REGISTER] = {"register not used", waste_explain_register,
                        "Keep the value in a local variable (scalar replacement); restrict or inlining lets the "
                        "compiler do so. If it is one already, the compiler had no register left for it, or was not "
                        "told to optimize."},
    [WASTE_RELOAD] =
        {"repeated load", waste_explain_reload,
         "If it is one value, keep it in a local variable or pass it as an argument. If a loop searches or "
         "walks over data, search better, keep the result, or walk over them less often."},
    [WASTE_RECOMPUTED] = {"recomputed value", waste_explain_recomputed,
                          "Compute and store only what has changed: test the input first, or keep the result."},
    [WASTE_TOLERANCE] = {"value within tolerance", waste_explain_tolerance,
                         "If that accuracy suffices, leave out updates that change little. To see what stays exactly "
                         "equal, record with --fp-tolerance 0."},
    [WASTE_REWRITTEN] = {"rewritten unread", waste_explain_rewritten,
                         "Write only what is read later; if it is one value, once after the loop."},
    [WASTE_OVERWRITTEN] =
        {"overwritten value", waste_explain_overwritten,
         "Leave the earlier store out, or move it to where its value is needed. If the source has no such "
         "store, the compiler had no register left for the value, or was not told to optimize."},
    [WASTE_NEIGHBOURS] = {"equal neighbours", waste_explain_neighbours,
                          "Test for the common value and leave its computation out, or store the values once with a "
                          "count."}};

uint64_t waste_inefficiency_explains(enum waste_inefficiency kind, const struct waste_facts *facts)
{
    return kind < WASTE_INEFFICIENCIES ? rules[kind].explains(facts) : 0;
}

enum waste_inefficiency waste_inefficiency_of(const struct waste_facts *facts)
{
    enum waste_inefficiency best = WASTE_INEFFICIENCIES;
    uint64_t most = 0;
    for (enum waste_inefficiency kind = 0; kind < WASTE_INEFFICIENCIES; kind++) {
        uint64_t explained = waste_inefficiency_explains(kind, facts);
        if (explained > 0 && kind < WASTE_BY_NAME)
            return kind;
        if (explained > most && explained >= (facts->wasted + 1) / 2) {
            most = explained;
            best = kind;
        }
    }
    return best;
}

const char *waste_inefficiency_name(enum waste_inefficiency kind)
{
    return kind < WASTE_INEFFICIENCIES ? rules[kind].name : "";
}

const char *waste_inefficiency_remedy(enum waste_inefficiency kind)
{
    return kind < WASTE_INEFFICIENCIES ? rules[kind].remedy : "";
}

/* ------------------------------------------------------------------------------------------ names -- */

/* Names of functions by what they do. A name of Java is the end of "package.Class.method". */
static const struct {
    const char *name;
    enum waste_role role;
} roles[] = {{"memset", WASTE_ROLE_FILL},
             {"wmemset", WASTE_ROLE_FILL},
             {"bzero", WASTE_ROLE_FILL},
             {"explicit_bzero", WASTE_ROLE_FILL},
             {"calloc", WASTE_ROLE_FILL},
             {"libc_calloc", WASTE_ROLE_FILL},
             {"Arrays.fill", WASTE_ROLE_FILL},
             {"ArrayList.clear", WASTE_ROLE_FILL},
             {"HashMap.clear", WASTE_ROLE_FILL},
             {"ArrayDeque.clear", WASTE_ROLE_FILL},
             {"memcpy", WASTE_ROLE_COPY},
             {"memmove", WASTE_ROLE_COPY},
             {"mempcpy", WASTE_ROLE_COPY},
             {"memccpy", WASTE_ROLE_COPY},
             {"wmemcpy", WASTE_ROLE_COPY},
             {"wmemmove", WASTE_ROLE_COPY},
             {"bcopy", WASTE_ROLE_COPY},
             {"strcpy", WASTE_ROLE_COPY},
             {"strncpy", WASTE_ROLE_COPY},
             {"stpcpy", WASTE_ROLE_COPY},
             {"stpncpy", WASTE_ROLE_COPY},
             {"strcat", WASTE_ROLE_COPY},
             {"strncat", WASTE_ROLE_COPY},
             {"strdup", WASTE_ROLE_COPY},
             {"strndup", WASTE_ROLE_COPY},
             {"System.arraycopy", WASTE_ROLE_COPY},
             {"Arrays.copyOf", WASTE_ROLE_COPY},
             {"Arrays.copyOfRange", WASTE_ROLE_COPY},
             {"Object.clone", WASTE_ROLE_COPY},
             {"strlen", WASTE_ROLE_SCAN},
             {"strnlen", WASTE_ROLE_SCAN},
             {"wcslen", WASTE_ROLE_SCAN},
             {"strchr", WASTE_ROLE_SCAN},
             {"strchrnul", WASTE_ROLE_SCAN},
             {"strrchr", WASTE_ROLE_SCAN},
             {"strstr", WASTE_ROLE_SCAN},
             {"strcasestr", WASTE_ROLE_SCAN},
             {"strpbrk", WASTE_ROLE_SCAN},
             {"strspn", WASTE_ROLE_SCAN},
             {"strcspn", WASTE_ROLE_SCAN},
             {"memchr", WASTE_ROLE_SCAN},
             {"memrchr", WASTE_ROLE_SCAN},
             {"rawmemchr", WASTE_ROLE_SCAN},
             {"memmem", WASTE_ROLE_SCAN},
             {"lfind", WASTE_ROLE_SCAN},
             {"lsearch", WASTE_ROLE_SCAN},
             {"ArrayList.contains", WASTE_ROLE_SCAN},
             {"ArrayList.indexOf", WASTE_ROLE_SCAN},
             {"ArrayList.lastIndexOf", WASTE_ROLE_SCAN},
             {"ArrayList.remove", WASTE_ROLE_SCAN},
             {"LinkedList.contains", WASTE_ROLE_SCAN},
             {"LinkedList.indexOf", WASTE_ROLE_SCAN},
             {"LinkedList.get", WASTE_ROLE_SCAN},
             {"Vector.contains", WASTE_ROLE_SCAN},
             {"Vector.indexOf", WASTE_ROLE_SCAN},
             {"AbstractCollection.contains", WASTE_ROLE_SCAN},
             {"String.indexOf", WASTE_ROLE_SCAN},
             {"String.lastIndexOf", WASTE_ROLE_SCAN},
             {"String.contains", WASTE_ROLE_SCAN},
             {"hsearch", WASTE_ROLE_LOOKUP},
             {"hsearch_r", WASTE_ROLE_LOOKUP},
             {"tfind", WASTE_ROLE_LOOKUP},
             {"tsearch", WASTE_ROLE_LOOKUP},
             {"HashMap.get", WASTE_ROLE_LOOKUP},
             {"HashMap.put", WASTE_ROLE_LOOKUP},
             {"HashMap.containsKey", WASTE_ROLE_LOOKUP},
             {"HashSet.contains", WASTE_ROLE_LOOKUP},
             {"HashSet.add", WASTE_ROLE_LOOKUP},
             {"TreeMap.get", WASTE_ROLE_LOOKUP},
             {"TreeMap.put", WASTE_ROLE_LOOKUP},
             {"TreeMap.containsKey", WASTE_ROLE_LOOKUP},
             {"TreeSet.contains", WASTE_ROLE_LOOKUP},
             {"TreeSet.add", WASTE_ROLE_LOOKUP},
             {"ConcurrentHashMap.get", WASTE_ROLE_LOOKUP},
             {"ConcurrentHashMap.put", WASTE_ROLE_LOOKUP},
             {"Hashtable.get", WASTE_ROLE_LOOKUP},
             {"Hashtable.put", WASTE_ROLE_LOOKUP}};

/* "memset" is the whole name, or its variant for a processor ("__memset_avx2_unaligned_erms", "memset@plt"); a method
 * of Java ends with "Arrays.fill", before its parameters or line. */
static bool waste_is_named(const char *function, const char *name)
{
    size_t length = strlen(name);
    bool is_method = strchr(name, '.') != NULL;
    if (is_method) {
        const char *end = function + strcspn(function, "(:@");
        size_t all = (size_t)(end - function);
        return all > length && function[all - length - 1] == '.' && memcmp(end - length, name, length) == 0;
    }
    function += strncmp(function, "__GI_", 5) == 0 ? 5 : 0;
    while (*function == '_')
        function++;
    return strncmp(function, name, length) == 0 && (function[length] == '\0' || strchr("_@:", function[length]));
}

enum waste_role waste_role_of(const char *function)
{
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (waste_is_named(function, roles[i].name))
            return roles[i].role;
    return WASTE_ROLE_NONE;
}

bool waste_is_lookup_name(const char *function)
{
    static const char *const tables[] = {"hash", "htab", "bucket"}, *const actions[] = {
                                                                        "find", "search", "look",  "get", "insert",
                                                                        "add",  "put",    "table", "map", "htab"};
    char lower[512];
    size_t length = strcspn(function, "(:@");
    length = length < sizeof lower ? length : sizeof lower - 1;
    for (size_t i = 0; i < length; i++)
        lower[i] = (char)tolower((unsigned char)function[i]);
    lower[length] = '\0';
    bool is_table = false, is_action = false;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        is_table |= strstr(lower, tables[i]) != NULL;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        is_action |= strstr(lower, actions[i]) != NULL;
    return is_table && is_action;
}
