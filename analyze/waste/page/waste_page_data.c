/* The data of a page: everything that the tables of assay waste show, as arrays by column. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/waste/page/waste_page_parts.h"

/* --- the recording --- */

/* Distinct commands, then each distinct combination of the other labels. */
static bool waste_page_write_labels(FILE *out, const struct waste *waste)
{
    static const enum run_label labels[] = {RUN_LABEL_PROGRAM, RUN_LABEL_COMMAND, RUN_LABEL_ENGINE, RUN_LABEL_MODE};
    bool good = true;
    fputs("\"labels\":{", out);
    for (size_t l = 0; good && l < sizeof labels / sizeof *labels; l++) {
        size_t written = 0;
        good = fprintf(out, "%s\"%s\":[", l > 0 ? "," : "", run_label_name(labels[l])) > 0 || ferror(out);
        for (size_t i = 0; good && i < waste_count(waste, WASTE_SOURCE_ROWS); i++) {
            const struct waste_source *source = waste_row(waste, WASTE_SOURCE_ROWS, i);
            bool known = false;
            for (size_t earlier = 0; !known && earlier < i; earlier++)
                known =
                    ((const struct waste_source *)waste_row(waste, WASTE_SOURCE_ROWS, earlier))->labels[labels[l]] ==
                    source->labels[labels[l]];
            if (known)
                continue;
            fputs(written++ > 0 ? "," : "", out);
            good = waste_page_write_string(out, waste_text(waste, source->labels[labels[l]]));
        }
        fputs("]", out);
    }
    fputs("}", out);
    return good;
}

static bool waste_page_write_list(FILE *out, const char *name, const json_t *texts)
{
    size_t i;
    json_t *text;
    bool good = true;
    fprintf(out, "\"%s\":[", name);
    json_array_foreach(texts, i, text)
    {
        fputs(i > 0 ? "," : "", out);
        good = good && waste_page_write_string(out, json_string_value(text));
    }
    fputs("]", out);
    return good;
}

/* Rows as objects, with the values of machine formats. */
static bool waste_page_write_table(FILE *out, const char *name, const struct table *table)
{
    bool good = true;
    fprintf(out, "\"%s\":[", name);
    for (size_t row = 0; row < table_row_count(table); row++) {
        fputs(row > 0 ? ",{" : "{", out);
        for (size_t column = 0; column < table_column_count(table); column++) {
            double number;
            char digits[32];
            fprintf(out, "%s\"%s\":", column > 0 ? "," : "", table_column_name(table, column));
            const char *plain = table_plain(table, row, column, digits);
            if (!plain)
                fputs("null", out);
            else if (table_number(table, row, column, &number))
                fputs(isnan(number) ? "null" : plain, out);
            else
                good = good && waste_page_write_string(out, plain);
        }
        fputs("}", out);
    }
    fputs("]", out);
    return good;
}

/* --- frames and contexts --- */

static bool waste_page_write_frames(FILE *out, const struct waste *waste, const struct waste_page_frames *frames)
{
    bool good = true;
    fputs("\"files\":[", out);
    for (size_t i = 0; good && i < frames->files.count; i++) {
        const struct waste_page_file *file = keyed_at(&frames->files, i);
        fputs(i > 0 ? "," : "", out);
        good = waste_page_write_string(out, waste_text(waste, file->name));
    }
    fputs("],\"frames\":{\"text\":[", out);
    for (size_t i = 0; good && i < frames->count; i++) {
        fputs(i > 0 ? "," : "", out);
        good = waste_page_write_string(out, waste_text(waste, frames->texts[i]));
    }
    const struct {
        const char *name;
        const uint32_t *values;
    } numbers[] = {{"file", frames->file_of}, {"code", frames->code_of}};
    fputs("]", out);
    for (size_t n = 0; n < 2; n++) {
        fprintf(out, ",\"%s\":[", numbers[n].name);
        for (size_t i = 0; i < frames->count; i++)
            fprintf(out, "%s%" PRId64, i > 0 ? "," : "",
                    numbers[n].values[i] == FIELD_NONE ? -1 : (int64_t)numbers[n].values[i]);
        fputs("]", out);
    }
    fputs("}", out);
    return good;
}

static void waste_page_write_nodes(FILE *out, const struct waste *waste, const struct waste_page_frames *frames)
{
    size_t count = waste_count(waste, WASTE_NODE_ROWS);
    fputs("\"nodes\":{\"parent\":[", out);
    for (uint32_t node = 0; node < count; node++)
        fprintf(out, "%s%" PRIu32, node > 0 ? "," : "", node > 0 ? waste_node_at(waste, node)->parent : 0);
    fputs("],\"frame\":[", out);
    for (uint32_t node = 0; node < count; node++) {
        uint32_t text = waste_node_at(waste, node)->text;
        fprintf(out, "%s%" PRId64, node > 0 ? "," : "", text == FIELD_NONE ? -1 : (int64_t)frames->numbers[text]);
    }
    fputs("],\"runtime\":[", out);
    for (uint32_t node = 0; node < count; node++)
        fprintf(out, "%s%d", node > 0 ? "," : "", waste_node_at(waste, node)->is_runtime);
    fputs("]}", out);
}

/* --- pairs, objects, loops --- */

#define LOCATION(name, type, member)                                                                                   \
    {                                                                                                                  \
        name, PAGE_##type, offsetof(struct waste_location, member)                                                     \
    }
static const struct waste_page_column location_columns[] = {
    LOCATION("kind", NUMBER, waste),
    LOCATION("bytes", COUNT, bytes),
    LOCATION("wasted_bytes", COUNT, wasted_bytes),
    LOCATION("events", COUNT, events),
    LOCATION("wasted_events", COUNT, wasted_events),
    LOCATION("first", NUMBER, first),
    LOCATION("second", NUMBER, second),
    LOCATION("scope", NUMBER, scope),
    LOCATION("object", NUMBER, object),
    LOCATION("traffic_share", REAL, traffic_share),
    LOCATION("fraction", REAL, fraction.value),
    LOCATION("pair_fraction", REAL, pair_fraction),
    LOCATION("lo", REAL, fraction.interval.low),
    LOCATION("hi", REAL, fraction.interval.high),
    LOCATION("instruction_1", NUMBER, instructions[0]),
    LOCATION("instruction_2", NUMBER, instructions[1]),
};
enum { LOCATION_COLUMNS = sizeof location_columns / sizeof *location_columns, UNSAMPLED = 14, WITHOUT_MEANS = 9 };

static void waste_page_blank_intervals(struct waste_locations *locations)
{
    for (size_t i = 0; i < locations->rows.count; i++) {
        struct waste_location *row = keyed_at(&locations->rows, i);
        if (!row->fraction.has_interval)
            row->fraction.interval.low = row->fraction.interval.high = NAN;
    }
}

/* The texts that instructions of pairs refer to, by the number that this page gives them instead. */
static bool waste_page_write_instructions(FILE *out, const struct waste *waste, struct waste_locations *pairs)
{
    struct keyed texts = {.item_bytes = sizeof(uint32_t), .key_bytes = sizeof(uint32_t)};
    bool good = true;
    for (size_t i = 0; good && i < pairs->rows.count; i++) {
        struct waste_location *pair = keyed_at(&pairs->rows, i);
        for (size_t side = 0; side < WASTE_SIDES; side++)
            if (pair->instructions[side] != FIELD_NONE) {
                uint32_t number = keyed_add(&texts, &pair->instructions[side]);
                good = good && number != KEYED_FULL;
                pair->instructions[side] = number;
            }
    }
    fputs("\"sampled_instructions\":[", out);
    for (size_t i = 0; good && i < texts.count; i++) {
        fputs(i > 0 ? "," : "", out);
        good = waste_page_write_string(out, waste_text(waste, *(const uint32_t *)keyed_at(&texts, i)));
    }
    fputs("],", out);
    keyed_free(&texts);
    return good;
}

static int waste_page_write_locations(FILE *out, const struct waste_page_contents *contents, const char *name,
                                      enum waste_granularity granularity)
{
    const struct waste_wish wish = {.granularity = granularity, .kind = contents->asked->kind};
    struct waste_locations locations;
    int error = waste_locations(contents->waste, &contents->groups.items[0], &contents->kinds, &wish,
                                contents->report->options, &locations);
    /* The page itself divides the sums of one exact run, with the same result to the last digit. */
    bool sampled = waste_is_sampled(contents->waste), means = sampled || granularity != WASTE_PAIRS ||
                                                              contents->groups.items[0].run_count > 1 ||
                                                              waste_count(contents->waste, WASTE_BURST_ROWS) > 0;
    waste_page_blank_intervals(&locations);
    if (!error && sampled && granularity == WASTE_PAIRS &&
        !waste_page_write_instructions(out, contents->waste, &locations))
        error = ENOMEM;
    fprintf(out, "\"%s\":", name);
    waste_page_columns(out, &locations.rows, NULL, error ? 0 : locations.rows.count, location_columns,
                       sampled && granularity == WASTE_PAIRS ? LOCATION_COLUMNS
                       : means                               ? UNSAMPLED
                                                             : WITHOUT_MEANS);
    waste_locations_free(&locations);
    return error;
}

static void waste_page_write_objects(FILE *out, const struct waste *waste)
{
    fputs("\"object_list\":[", out);
    for (size_t i = 0; i < waste_count(waste, WASTE_OBJECT_ROWS); i++) {
        const struct waste_object *object = waste_row(waste, WASTE_OBJECT_ROWS, i);
        const char *storage = object->kind == WASTE_LOST_OBJECT ? "lost"
                              : object->kind == WASTE_NO_OBJECT ? "none"
                                                                : trace_object_kind_name(object->kind);
        fprintf(out, "%s[\"%s\",%" PRIu32 "]", i > 0 ? "," : "", storage, object->node);
    }
    fputs("]", out);
}

/* --- functions and lines --- */

#define SITE(name, type, member)                                                                                       \
    {                                                                                                                  \
        name, PAGE_##type, offsetof(struct waste_site, member)                                                         \
    }
#define KIND(kind, name)                                                                                               \
    [kind] = {SITE(name "_events", COUNT, events[kind]), SITE(name "_wasted_events", COUNT, wasted_events[kind]),      \
              SITE(name "_wasted_bytes", COUNT, wasted_bytes[kind])}
enum { KIND_COLUMNS = 3 };
static const struct waste_page_column site_columns[] = {
    SITE("text", NUMBER, text),
    SITE("function", NUMBER, function),
    SITE("node", NUMBER, node),
    SITE("accesses", COUNT, accesses),
    SITE("wasted_accesses", COUNT, wasted_accesses),
    SITE("wasted_bytes", COUNT, bytes),
    SITE("traffic_share", REAL, traffic_share),
};
static const struct waste_page_column kind_columns[WASTE_COUNT][KIND_COLUMNS] = {
    KIND(WASTE_DEAD_STORE, "dead-store"),       KIND(WASTE_SILENT_STORE, "silent-store"),
    KIND(WASTE_SILENT_LOAD, "silent-load"),     KIND(WASTE_SPATIAL_LOAD, "spatial-load"),
    KIND(WASTE_ADJACENT_LOAD, "adjacent-load"),
};
static const struct waste_page_column time_columns[] = {
    SITE("time", REAL, time.value),     SITE("gain", REAL, gain.value),   SITE("gain_lo", REAL, gain.low),
    SITE("gain_hi", REAL, gain.high),   SITE("bound", REAL, bound.value), SITE("bound_lo", REAL, bound.low),
    SITE("bound_hi", REAL, bound.high),
};
enum {
    SITE_COLUMNS = sizeof site_columns / sizeof *site_columns,
    TIME_COLUMNS = sizeof time_columns / sizeof *time_columns,
    SITE_COLUMNS_MOST = SITE_COLUMNS + WASTE_COUNT * KIND_COLUMNS + TIME_COLUMNS
};

/* The columns of functions and lines: of kinds those that were recorded. Returns their number. */
static size_t waste_page_choose_columns(const struct waste_page_contents *contents,
                                        struct waste_page_column columns[SITE_COLUMNS_MOST])
{
    size_t count = SITE_COLUMNS;
    memcpy(columns, site_columns, sizeof site_columns);
    for (unsigned kind = 0; kind < WASTE_COUNT; kind++) {
        if (!waste_records(contents->waste, kind))
            continue;
        memcpy(columns + count, kind_columns[kind], sizeof kind_columns[kind]);
        count += KIND_COLUMNS;
    }
    if (contents->ranking.run_count > 0) {
        memcpy(columns + count, time_columns, sizeof time_columns);
        count += TIME_COLUMNS;
    }
    return count;
}

/* Those that wasted anything, in their order, then those with time. `sites` change: texts of lines become numbers of
 * frames, functions those of their ranks. 0 or ENOMEM. */
static int waste_page_write_sites(FILE *out, const char *name, const struct waste_page_contents *contents,
                                  const struct keyed *sites, const uint32_t *by_rank, size_t ranked)
{
    struct waste_page_column columns[SITE_COLUMNS_MOST];
    size_t column_count = waste_page_choose_columns(contents, columns), run_count = contents->ranking.run_count;
    uint32_t *order = malloc((sites->count + 1) * sizeof *order);
    size_t count = ranked;
    if (!order)
        return ENOMEM;
    memcpy(order, by_rank, ranked * sizeof *order);
    for (uint32_t i = 0; i < sites->count; i++) {
        const struct waste_site *site = keyed_at(sites, i);
        bool sampled = false;
        for (size_t run = 0; run < run_count; run++)
            sampled |= site->samples[run] > 0;
        if (site->bytes == 0 && (sampled || site->accesses > 0))
            order[count++] = i;
    }
    fprintf(out, "\"%s\":", name);
    waste_page_columns(out, sites, order, count, columns, column_count);
    free(order);
    return 0;
}

static int waste_page_write_ranking(FILE *out, const struct waste_page_contents *contents)
{
    const struct waste_ranking *ranking = &contents->ranking;
    int error = waste_page_write_words(out, contents); /* while lines have their texts */
    bool good = !error;
    fputs(",\"function_names\":[", out);
    for (size_t i = 0; good && i < ranking->functions.count; i++) {
        const struct waste_site *site = keyed_at(&ranking->functions, i);
        fputs(i > 0 ? "," : "", out);
        good = waste_page_write_string(out, waste_text(contents->waste, site->text));
    }
    fputs("],", out);
    for (size_t i = 0; i < ranking->lines.count; i++) {
        struct waste_site *line = keyed_at(&ranking->lines, i);
        line->text = contents->frames.numbers[line->text];
    }
    error = good || error ? error : ENOMEM;
    if (!error)
        error = waste_page_write_sites(out, "functions", contents, &ranking->functions, ranking->functions_by_rank,
                                       ranking->function_count);
    fputs(",", out);
    return error ? error
                 : waste_page_write_sites(out, "lines", contents, &ranking->lines, ranking->lines_by_rank,
                                          ranking->line_count);
}

/* --- all of it --- */

int waste_page_write_data(FILE *out, const struct waste_page_contents *contents)
{
    const struct waste_traffic *traffic = &contents->ranking.traffic;
    long double bytes = 0;
    for (size_t run = 0; run < traffic->run_count; run++)
        bytes += traffic->bytes[run];
    double samples = 0;
    for (size_t run = 0; run < contents->ranking.run_count; run++)
        samples += contents->ranking.run_samples[run];
    const struct waste *waste = contents->waste;
    fprintf(out,
            "{\"version\":\"" ASSAY_VERSION
            "\",\"runs\":%zu,\"profile_runs\":%zu,\"profile_samples\":%.0f,\"traffic\":%.0Lf,\"confidence\":",
            contents->groups.items[0].run_count, contents->ranking.run_count, samples, bytes);
    waste_page_real(out, contents->report->options->confidence);
    fputs(",\"kind_names\":[", out);
    for (unsigned kind = 0; kind < WASTE_COUNT; kind++)
        fprintf(out, "%s\"%s\"", kind > 0 ? "," : "", trace_waste_name(kind));
    fputs("],", out);
    bool good = waste_page_write_labels(out, waste);
    fputs(",", out);
    good = good && waste_page_write_table(out, "kinds", contents->kinds_table);
    fputs(",", out);
    good = good && waste_page_write_frames(out, waste, &contents->frames);
    fputs(",", out);
    waste_page_write_nodes(out, waste, &contents->frames);
    fputs(",", out);
    waste_page_write_objects(out, waste);
    fputs(",", out);
    int error = good ? waste_page_write_locations(out, contents, "pairs", WASTE_PAIRS) : ENOMEM;
    fputs(",", out);
    error = error ? error : waste_page_write_locations(out, contents, "objects", WASTE_OBJECTS);
    fputs(",", out);
    error = error ? error : waste_page_write_locations(out, contents, "scopes", WASTE_SCOPES);
    fputs(",", out);
    error = error ? error : waste_page_write_ranking(out, contents);
    fputs(",", out);
    error =
        error ? error : waste_page_write_sources(out, contents->request, waste, &contents->frames, contents->report);
    fputs(",", out);
    error = error ? error : waste_page_write_code(out, waste, &contents->frames);
    fputs(",", out);
    good = !error && waste_page_write_list(out, "warnings", contents->report->warnings);
    fputs(",", out);
    good = good && waste_page_write_list(out, "notes", contents->report->notes);
    fputs("}", out);
    return good ? 0 : ENOMEM;
}
