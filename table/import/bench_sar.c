/*
 * What sysstat's sar, mpstat and pidstat print, and sadf's JSON. Text: a line "Linux RELEASE (HOST) DATE _ARCH_ (N
 * CPU)", then tables whose lines begin with a time; a heading has no numbers; lines "Average:" repeat what is there.
 * JSON: `statistics`, each with a time stamp and activities, whose objects have names and numbers.
 */
#include "table/import/bench_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64, WORD_BYTES = 64, DEVICE_BYTES = 256 };

static const char *const own[] = {"name", "of", "time", "value", NULL};

static const char remark[] = "holds successive intervals of one recording, which may depend on each other (assay acf)";

static void sar_init(struct bench *bench)
{
    bench->own = own;
    bench->meaning.value = "value";
    bench->meaning.remark = remark;
    bench_label_columns(bench, NULL, NULL);
}

static void sar_group(struct bench *bench)
{
    bench_group_labels(bench);
    bench_group_varying(bench, "of");
}

static void sar_add_row(struct bench *bench, const char *name, const char *device, const char *time)
{
    bench_row(bench);
    bench_text(bench, "name", name);
    bench_text(bench, "of", device);
    bench_text(bench, "time", time);
}

/* ---------------------------------------------------------------------------- text -- */

struct words {
    char word[WORDS_MAX][WORD_BYTES];
    size_t count;
};

struct reading {
    struct words heading;
    bool has_heading; /* there is one */
};

static void sar_split_words(const struct rows_cell *line, struct words *words)
{
    const char *at = line->text, *stop = at + line->length;
    for (words->count = 0; words->count < WORDS_MAX; words->count++) {
        while (at < stop && isspace((unsigned char)*at))
            at++;
        const char *start = at;
        while (at < stop && !isspace((unsigned char)*at))
            at++;
        if (at == start)
            return;
        snprintf(words->word[words->count], WORD_BYTES, "%.*s", (int)(at - start), start);
    }
}

/* The number of words that hold the time: "23:59:59", "11:59:59 PM"; 0: the line begins with something else. */
static size_t sar_count_time_words(const struct words *words)
{
    unsigned hour, minute, second;
    int length = 0;
    if (words->count < 2 || sscanf(words->word[0], "%2u:%2u:%2u%n", &hour, &minute, &second, &length) != 3 ||
        words->word[0][length])
        return 0;
    return strcmp(words->word[1], "AM") == 0 || strcmp(words->word[1], "PM") == 0 ? 2 : 1;
}

/* Columns that say what a line is about. */
static bool sar_is_label(const char *heading)
{
    static const char *const labels[] = {"CPU",     "IFACE",      "DEV",        "TTY",    "INTR",   "FAN", "TEMP",
                                         "IN",      "BUS",        "UID",        "USER",   "PID",    "TID", "TGID",
                                         "Command", "FILESYSTEM", "MOUNTPOINT", "DEVICE", "FCHOST", "NODE"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(heading, labels[i]) == 0)
            return true;
    return false;
}

/* A heading has no numbers: in the column of values, a processor may be called 0. */
static bool sar_is_heading(const struct words *words, size_t from)
{
    for (size_t i = from; i < words->count; i++)
        if (bench_is_number(words->word[i]))
            return false;
    return words->count > from;
}

static void sar_read_line(struct bench *bench, struct reading *reading, const struct rows_cell *line)
{
    struct words words;
    char device[DEVICE_BYTES], time[2 * WORD_BYTES];
    sar_split_words(line, &words);
    size_t from = sar_count_time_words(&words), heading_from = sar_count_time_words(&reading->heading);
    /* A restart, and what an administrator noted (sar -C), between the lines of a table. */
    if (from == 0 || (words.count > from + 1 &&
                      ((strcmp(words.word[from], "LINUX") == 0 && strcmp(words.word[from + 1], "RESTART") == 0) ||
                       strcmp(words.word[from], "COM") == 0)))
        return;
    if (sar_is_heading(&words, from)) {
        reading->heading = words;
        reading->has_heading = true;
        return;
    }
    if (!reading->has_heading || words.count - from != reading->heading.count - heading_from) {
        bench_leave_out(bench, "did not fit the heading of its table");
        return;
    }
    size_t length = 0;
    bool processes = false;
    *device = '\0';
    for (size_t i = 0; i < reading->heading.count; i++)
        processes |= strcmp(reading->heading.word[i], "PID") == 0 || strcmp(reading->heading.word[i], "TGID") == 0;
    for (size_t i = 0; heading_from + i < reading->heading.count && length < DEVICE_BYTES - 1; i++) {
        const char *label = reading->heading.word[heading_from + i];
        /* The processor that a process was on when the interval ended distinguishes no groups. */
        if (sar_is_label(label) && !(processes && strcmp(label, "CPU") == 0))
            length += (size_t)snprintf(device + length, DEVICE_BYTES - length, "%s%s %s", length > 0 ? ", " : "", label,
                                       words.word[from + i]);
    }
    snprintf(time, sizeof time, "%s%s%s", words.word[0], from == 2 ? " " : "", from == 2 ? words.word[1] : "");
    for (size_t i = 0; from + i < words.count && !bench->status; i++) {
        const char *name = reading->heading.word[heading_from + i];
        if (sar_is_label(name) || !bench_is_number(words.word[from + i]))
            continue;
        sar_add_row(bench, name, device, time);
        bench_text(bench, "value", words.word[from + i]);
    }
}

void bench_read_sar(struct bench *bench, const char *text, size_t length)
{
    struct reading reading = {.has_heading = false};
    struct rows_cell line;
    sar_init(bench);
    for (const char *stop = text + length; !bench->status && rows_line(&text, stop, &line);)
        sar_read_line(bench, &reading, &line);
    sar_group(bench);
}

bool bench_is_sar(const char *text, size_t length)
{
    size_t size;
    struct rows_cell line;
    struct words words;
    const char *first = bench_first_line(text, length, &size), *stop = text + length;
    if (size < 6 || memcmp(first, "Linux ", 6) != 0 || !memmem(first, size, " CPU)", 5))
        return false;
    for (const char *at = first + size; rows_line(&at, stop, &line);) {
        sar_split_words(&line, &words);
        if (words.count > 0)
            return sar_count_time_words(&words) > 0;
    }
    return false;
}

/* ---------------------------------------------------------------------------- JSON -- */

/* The numbers below an activity, whose name begins with `path`. */
static void sadf_read_activity(struct bench *bench, const char *path, const json_t *value, const char *time,
                               unsigned depth)
{
    enum { DEPTH_MAX = 8 };
    char device[DEVICE_BYTES] = "", name[DEVICE_BYTES];
    const char *key;
    size_t i, length = 0;
    json_t *inner;
    if (depth > DEPTH_MAX)
        return;
    json_array_foreach(value, i, inner) sadf_read_activity(bench, path, inner, time, depth + 1);
    if (!json_is_object(value))
        return;
    json_object_foreach((json_t *)value, key, inner) if (json_is_string(inner) && length < DEVICE_BYTES - 1) length +=
        (size_t)snprintf(device + length, DEVICE_BYTES - length, "%s%s %s", length > 0 ? ", " : "", key,
                         json_string_value(inner));
    json_object_foreach((json_t *)value, key, inner)
    {
        snprintf(name, sizeof name, "%s%s%s", path, *path ? "." : "", key);
        if (json_is_number(inner)) {
            sar_add_row(bench, name, device, time);
            bench_json(bench, "value", inner);
        } else {
            sadf_read_activity(bench, name, inner, time, depth + 1);
        }
    }
}

void bench_read_sadf(struct bench *bench, const json_t *root)
{
    size_t h, s;
    json_t *host, *statistics, *activity;
    const char *key;
    sar_init(bench);
    json_array_foreach(json_object_get(json_object_get(root, "sysstat"), "hosts"), h, host)
        json_array_foreach(json_object_get(host, "statistics"), s, statistics)
    {
        char time[64];
        const json_t *stamp = json_object_get(statistics, "timestamp");
        const char *date = json_string_value(json_object_get(stamp, "date"));
        const char *clock = json_string_value(json_object_get(stamp, "time"));
        snprintf(time, sizeof time, "%s %s", date ? date : "", clock ? clock : "");
        json_object_foreach(statistics, key, activity) if (strcmp(key, "timestamp") != 0)
            sadf_read_activity(bench, key, activity, time, 0);
    }
    sar_group(bench);
}
