/*
 * callgrind: costs of functions and lines, and of calls. Source: Valgrind, docs/html/cl-format.html.
 *
 * Events are the weights of one profile, the first one (or the one that --profile names) its default; each that exceeds
 * their number is a profile of its own. Only a function's own cost is used: the format has no stacks, but sums over
 * calls, so inclusive shares are unknown. Names are compressed: "(7) name" the first time, "(7)" then. The sum of all
 * costs must equal the file's totals; its summary may be larger, since lines need not hold all cost. Both are optional,
 * but Valgrind ends every file with its totals, so one of its files without them is cut.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/import/idmap.h"
#include "trace/import/reading.h"
#include "base/grow.h"

enum { EVENTS_MAX = 32, POSITIONS_MAX = 2 };

struct names {
    struct idmap ids;
    char **texts; /* [index of its id] */
    size_t capacity;
};

struct callgrind {
    struct reading *reading;
    struct names files, functions;
    char file[1024], function[4096]; /* at hand */
    char *events[EVENTS_MAX];
    unsigned profiles[EVENTS_MAX]; /* of those in order[] */
    size_t order[EVENTS_MAX];      /* events: the weights of the first profile, then the others */
    size_t event_count, position_count, line_position;
    uint64_t positions[POSITIONS_MAX]; /* of the previous line */
    uint64_t sums[EVENTS_MAX], declared[EVENTS_MAX];
    bool has_totals, has_summary;
    bool is_missing;  /* the event that --profile names is none of them */
    bool by_valgrind; /* its creator is callgrind itself */
    bool call;        /* the next costs are those of a call */
    uint32_t thread;
    uint64_t number; /* of the line */
};

/* ------------------------------------------------------------------------------------------ names -- */

/* "(7) name", "(7)" or "name" into out. */
static bool callgrind_parse_name(struct names *names, char *text, char *out, size_t size)
{
    char *end;
    if (text[0] != '(' || text[1] < '0' || text[1] > '9') {
        snprintf(out, size, "%s", text);
        return true;
    }
    uint64_t id = strtoull(text + 1, &end, 10);
    if (*end != ')') {
        snprintf(out, size, "%s", text);
        return true;
    }
    end += end[1] == ' ' ? 2 : 1;
    uint32_t index = idmap_add(&names->ids, id);
    char **texts = grow(names->texts, &names->capacity, index, sizeof *texts);
    if (!index || !texts)
        return false;
    names->texts = texts;
    if (*end) {
        free(texts[index]);
        texts[index] = strdup(end);
    }
    snprintf(out, size, "%s", texts[index] ? texts[index] : "");
    return *end == '\0' || texts[index];
}

static void callgrind_free_names(struct names *names)
{
    for (uint32_t i = 1; i <= names->ids.count && i < names->capacity; i++)
        free(names->texts[i]);
    free(names->texts);
    idmap_free(&names->ids);
}

/* ------------------------------------------------------------------------------------------ head -- */

/* Events that are weights of the first profile. If one is asked for that there is not, each is a profile, so that the
 * message lists them. */
static size_t callgrind_weight_count(const struct callgrind *callgrind)
{
    assert(callgrind->event_count <= EVENTS_MAX);
    if (callgrind->is_missing)
        return 1;
    return callgrind->event_count < SAMPLE_WEIGHTS_MAX ? callgrind->event_count : SAMPLE_WEIGHTS_MAX;
}

static void callgrind_open_profiles(struct callgrind *callgrind)
{
    const char *wanted = callgrind->reading->profile;
    size_t first = 0, count = 0;
    callgrind->is_missing = wanted != NULL;
    for (size_t i = 0; wanted && i < callgrind->event_count; i++)
        if (strcmp(callgrind->events[i], wanted) == 0) {
            first = i;
            callgrind->is_missing = false;
        }
    callgrind->order[count++] = first;
    for (size_t i = 0; i < callgrind->event_count; i++)
        if (i != first)
            callgrind->order[count++] = i;
    assert(count == callgrind->event_count);
    for (size_t i = 0; i < callgrind->event_count; i++) {
        const char *name = callgrind->events[callgrind->order[i]];
        struct sink_profile profile = {
            .name = name, .unit = name, .unknown = UNKNOWN_TIMES | UNKNOWN_THREADS | UNKNOWN_PERIOD | UNKNOWN_STACKS};
        for (size_t w = 1; i == 0 && w < callgrind_weight_count(callgrind); w++) {
            const char *event = callgrind->events[callgrind->order[w]];
            profile.more[w - 1] = (struct sink_weight){event, event};
        }
        callgrind->profiles[i] = i > 0 && i < callgrind_weight_count(callgrind)
                                     ? callgrind->profiles[0]
                                     : sink_open_profile(callgrind->reading->sink, &profile);
    }
}

/* The sums that the file gives, several if it has several parts. */
static void callgrind_add_declared(struct callgrind *callgrind, const char *list)
{
    char *end;
    for (size_t i = 0; i < callgrind->event_count; i++, list = end) {
        callgrind->declared[i] += strtoull(list, &end, 10);
        if (end == list)
            break;
    }
}

/* "key: value" */
static bool callgrind_read_key(struct callgrind *callgrind, char *line)
{
    size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (length == 0 || line[length] != ':')
        return false;
    char *value = line + length + 1 + strspn(line + length + 1, " ");
    line[length] = '\0';
    if (strcmp(line, "events") == 0) {
        char *rest;
        if (callgrind->event_count == 0) {
            for (char *word = strtok_r(value, " \t", &rest); word && callgrind->event_count < EVENTS_MAX;
                 word = strtok_r(NULL, " \t", &rest)) {
                char *event = strdup(word);
                if (event)
                    callgrind->events[callgrind->event_count++] = event;
            }
            if (callgrind->event_count > 0)
                callgrind_open_profiles(callgrind);
        }
    } else if (strcmp(line, "positions") == 0) {
        const bool instruction = strstr(value, "instr") != NULL, has_line = strstr(value, "line") != NULL;
        callgrind->line_position = has_line ? instruction : SIZE_MAX;
        callgrind->position_count = (size_t)instruction + has_line;
    } else if (strcmp(line, "creator") == 0) {
        callgrind->by_valgrind = strncmp(value, "callgrind-", 10) == 0;
    } else if (strcmp(line, "totals") == 0) {
        if (!callgrind->has_totals)
            memset(callgrind->declared, 0, sizeof callgrind->declared);
        callgrind->has_totals = true;
        callgrind_add_declared(callgrind, value);
    } else if (strcmp(line, "summary") == 0 && !callgrind->has_totals) {
        callgrind->has_summary = true;
        callgrind_add_declared(callgrind, value);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ body -- */

/* "fn=(7) name": 1; 0: no such line; -1 without memory. */
static int callgrind_read_assignment(struct callgrind *callgrind, char *line)
{
    char ignored[8];
    char *equals = strchr(line, '=');
    if (!equals || equals == line || strspn(line, "abcdefghijklmnopqrstuvwxyz") != (size_t)(equals - line))
        return 0;
    *equals++ = '\0';
    if (strcmp(line, "fl") == 0 || strcmp(line, "fi") == 0 || strcmp(line, "fe") == 0)
        return callgrind_parse_name(&callgrind->files, equals, callgrind->file, sizeof callgrind->file) ? 1 : -1;
    if (strcmp(line, "fn") == 0)
        return callgrind_parse_name(&callgrind->functions, equals, callgrind->function, sizeof callgrind->function)
                   ? 1
                   : -1;
    if (strcmp(line, "cfn") == 0)
        return callgrind_parse_name(&callgrind->functions, equals, ignored, sizeof ignored) ? 1 : -1;
    if (strcmp(line, "cfi") == 0 || strcmp(line, "cfl") == 0)
        return callgrind_parse_name(&callgrind->files, equals, ignored, sizeof ignored) ? 1 : -1;
    if (strcmp(line, "calls") == 0)
        callgrind->call = true;
    return 1;
}

/* "12", "0x1a", "+3", "-2" or "*": the previous position. */
static bool callgrind_parse_position(char **at, uint64_t *position)
{
    char *start = *at + strspn(*at, " \t"), sign = *start;
    if (sign == '*') {
        *at = start + 1;
        return true;
    }
    if (sign == '+' || sign == '-')
        start++;
    if (*start < '0' || *start > '9')
        return false;
    uint64_t value = strtoull(start, at, 0);
    *position = sign == '+' ? *position + value : sign == '-' ? *position - value : value;
    return **at == '\0' || **at == ' ' || **at == '\t';
}

static bool callgrind_read_costs(struct callgrind *callgrind, char *line)
{
    uint64_t costs[EVENTS_MAX] = {0};
    for (size_t i = 0; i < callgrind->position_count; i++)
        if (!callgrind_parse_position(&line, &callgrind->positions[i]))
            return false;
    errno = 0;
    for (size_t i = 0; i < callgrind->event_count && line[strspn(line, " \t")]; i++) {
        char *start = line + strspn(line, " \t");
        if (*start < '0' || *start > '9')
            return false;
        costs[i] = strtoull(start, &line, 10);
    }
    if (line[strspn(line, " \t")] || errno)
        return false;
    bool call = callgrind->call;
    callgrind->call = false;
    if (call)
        return true;
    uint32_t frame = sink_add_frame(
        callgrind->reading->sink,
        &(struct sink_frame){
            .method = *callgrind->function ? callgrind->function : "[unknown]",
            .file = strcmp(callgrind->file, "???") == 0 ? "" : callgrind->file,
            .line = callgrind->line_position < POSITIONS_MAX ? callgrind->positions[callgrind->line_position] : 0,
            .position = -1});
    struct sink_sample sample = {.thread = callgrind->thread, .frames = &frame, .depth = 1};
    const size_t weights = callgrind_weight_count(callgrind);
    bool any = false;
    for (size_t i = 0; i < callgrind->event_count; i++)
        callgrind->sums[i] += costs[i];
    for (size_t w = 1; w < weights; w++)
        sample.more[w - 1] = costs[callgrind->order[w]];
    for (size_t w = 0; w < weights; w++)
        any |= costs[callgrind->order[w]] > 0;
    for (size_t i = 0; i < callgrind->event_count; i = i == 0 ? weights : i + 1) {
        sample.profile = callgrind->profiles[i];
        sample.weight = costs[callgrind->order[i]];
        if (sample.weight > 0 || (i == 0 && any))
            sink_add_sample(callgrind->reading->sink, &sample);
        memset(sample.more, 0, sizeof sample.more);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ the whole -- */

static int callgrind_check_sums(const struct callgrind *callgrind, struct error_text *message)
{
    if (callgrind->event_count == 0)
        return error_set(message, STATUS_BAD, "line %" PRIu64 ": the file ends before its events are named",
                         callgrind->number);
    if (!callgrind->has_totals && callgrind->by_valgrind)
        return error_set(message, STATUS_BAD, "line %" PRIu64 ": the file ends without totals: it may be cut",
                         callgrind->number);
    if (!callgrind->has_totals && !callgrind->has_summary) {
        error_append(&callgrind->reading->note, "it gives no totals, so whether it is whole is not known");
        return STATUS_GOOD;
    }
    for (size_t i = 0; i < callgrind->event_count; i++) {
        const uint64_t sum = callgrind->sums[i], declared = callgrind->declared[i];
        if (callgrind->has_totals ? sum != declared : sum > declared)
            return error_set(message, STATUS_BAD,
                             "the costs of %s add up to %" PRIu64 ", but its totals say %" PRIu64
                             ": it is cut or damaged",
                             callgrind->events[i], sum, declared);
        if (sum < declared)
            error_append(&callgrind->reading->note,
                         "its lines hold %" PRIu64 " of the %" PRIu64 " %.40s of its summary", sum, declared,
                         callgrind->events[i]);
    }
    return STATUS_GOOD;
}

static int read_callgrind(struct reading *reading, struct error_text *message)
{
    struct callgrind callgrind = {
        .reading = reading, .position_count = 1, .thread = sink_add_thread(reading->sink, 0, "")};
    char *line;
    size_t length;
    bool good = true;
    sink_set_origin(reading->sink, "callgrind", "valgrind", NULL);
    while (good && !sink_has_failed(reading->sink) &&
           (line = source_read_line(reading->source, &length, &callgrind.number))) {
        char shown[64];
        int assignment = 0;
        snprintf(shown, sizeof shown, "%s", line);
        if (memchr(line, '\0', length))
            reading_report_bad(reading, "line %" PRIu64 ": a NUL in a line", callgrind.number);
        else if (line[0] == '#' || line[strspn(line, " \t")] == '\0' ||
                 (assignment = callgrind_read_assignment(&callgrind, line)) != 0)
            good = assignment >= 0;
        else if (!callgrind_read_key(&callgrind, line) &&
                 !(callgrind.event_count > 0 && callgrind_read_costs(&callgrind, line)))
            reading_report_bad(reading, "line %" PRIu64 ": not a line of callgrind: '%s'", callgrind.number, shown);
    }
    int status = good ? callgrind_check_sums(&callgrind, message) : error_set(message, STATUS_BAD, "out of memory");
    callgrind_free_names(&callgrind.files);
    callgrind_free_names(&callgrind.functions);
    for (size_t i = 0; i < callgrind.event_count; i++)
        free(callgrind.events[i]);
    return status;
}

/* A line that names the events, and the mark of the format or a function. */
static bool callgrind_recognize(const unsigned char *head, size_t length)
{
    if (memchr(head, '\0', length))
        return false;
    bool events = memmem(head, length, "\nevents:", 8) || (length > 7 && memcmp(head, "events:", 7) == 0);
    return events && (memmem(head, length, "# callgrind format", 18) || memmem(head, length, "\nfn=", 4));
}

const struct profile_format format_callgrind = {"callgrind", callgrind_recognize, read_callgrind};
