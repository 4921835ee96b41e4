/*
 * speedscope's own format: sampled and evented profiles over shared frames. Source: speedscope, file-format-spec.ts.
 *
 * Frames may come after the profiles, so the file is read twice. A profile is a thread here, as its exporters write
 * threads. For an evented profile the time at the top of the stack is used.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "trace/import/json.h"
#include "trace/import/net.h"
#include "trace/import/reading.h"
#include "trace/import/spooled.h"
#include "base/grow.h"

enum state { ROOT = JSON_ROOT, SHARED, FRAMES, FRAME, PROFILES, PROFILE, SAMPLES, SAMPLE, WEIGHTS, EVENTS, EVENT };

struct speedscope {
    struct reading *reading;
    bool second; /* reading profiles, not frames */
    uint32_t *frames;
    size_t frame_capacity, frame_count;
    char name[2048], file[1024], profile[256], unit[32];
    uint64_t line, profile_number;
    struct stack stack;
    struct spooled spooled;
    double event_at, last_at;
    int64_t event_frame;
    char event_type;
    bool evented;      /* the profile is a list of events, not of samples */
    bool counts_calls; /* the first profile is */
    bool has_events;   /* of this profile */
};

static int speedscope_enter(void *user, int state, const char *key, bool array)
{
    static const struct {
        int around;
        const char *key; /* NULL: an element of an array */
        int inside;
        bool second;
    } rules[] = {{ROOT, "shared", SHARED, false},   {SHARED, "frames", FRAMES, false},
                 {FRAMES, NULL, FRAME, false},      {ROOT, "profiles", PROFILES, true},
                 {PROFILES, NULL, PROFILE, true},   {PROFILE, "samples", SAMPLES, true},
                 {SAMPLES, NULL, SAMPLE, true},     {PROFILE, "weights", WEIGHTS, true},
                 {PROFILE, "events", EVENTS, true}, {EVENTS, NULL, EVENT, true}};
    struct speedscope *speedscope = user;
    (void)array;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].around != state || rules[i].second != speedscope->second || !rules[i].key != !key ||
            (key && strcmp(rules[i].key, key) != 0))
            continue;
        if (rules[i].inside == PROFILE) {
            spooled_free(&speedscope->spooled);
            speedscope->profile[0] = speedscope->unit[0] = '\0';
            speedscope->last_at = 0;
            speedscope->evented = false;
            speedscope->stack.depth = 0;
            speedscope->has_events = false;
        } else if (rules[i].inside ==
                   SAMPLES) { /* of a list that is given twice the last one counts, as in JavaScript */
            spooled_free_stacks(&speedscope->spooled);
        } else if (rules[i].inside == WEIGHTS) {
            spooled_free_numbers(&speedscope->spooled);
        } else if (rules[i].inside == FRAMES) {
            speedscope->frame_count = 0;
        } else if (rules[i].inside == EVENTS && speedscope->has_events) { /* whose samples were passed on */
            reading_report_bad(speedscope->reading, "byte %" PRIu64 ": a second list of events in profile '%s'",
                               source_offset(speedscope->reading->source), speedscope->profile);
            return JSON_OTHER;
        } else if (rules[i].inside == EVENTS) {
            speedscope->has_events = true;
        } else if (rules[i].inside == FRAME) {
            speedscope->name[0] = speedscope->file[0] = '\0';
            speedscope->line = 0;
        } else if (rules[i].inside == SAMPLE) {
            speedscope->stack.depth = 0;
        }
        return rules[i].inside;
    }
    return JSON_OTHER;
}

static void speedscope_copy_text(char *out, size_t size, const struct json_value *value)
{
    if (value->type == VALUE_TEXT)
        snprintf(out, size, "%s", value->text);
}

static uint32_t speedscope_find_frame(struct speedscope *speedscope, const struct json_value *value)
{
    if (value->type == VALUE_NUMBER && value->whole && value->integer >= 0 &&
        (uint64_t)value->integer < speedscope->frame_count)
        return speedscope->frames[value->integer];
    reading_report_bad(speedscope->reading, "byte %" PRIu64 ": a frame that is not defined",
                       source_offset(speedscope->reading->source));
    return sink_add_frame(speedscope->reading->sink, &(struct sink_frame){.method = "[unknown]", .position = -1});
}

static bool speedscope_value(void *user, int state, const char *key, uint64_t index, const struct json_value *value)
{
    struct speedscope *speedscope = user;
    (void)index;
    switch (state) {
    case FRAME:
        if (strcmp(key, "name") == 0)
            speedscope_copy_text(speedscope->name, sizeof speedscope->name, value);
        else if (strcmp(key, "file") == 0)
            speedscope_copy_text(speedscope->file, sizeof speedscope->file, value);
        else if (strcmp(key, "line") == 0 && value->type == VALUE_NUMBER && value->integer > 0)
            speedscope->line = (uint64_t)value->integer;
        return true;
    case PROFILE:
        if (strcmp(key, "name") == 0)
            speedscope_copy_text(speedscope->profile, sizeof speedscope->profile, value);
        else if (strcmp(key, "unit") == 0)
            speedscope_copy_text(speedscope->unit, sizeof speedscope->unit, value);
        return true;
    case SAMPLE:
        return stack_push(&speedscope->stack, speedscope_find_frame(speedscope, value));
    case WEIGHTS:
        return spooled_add_number(&speedscope->spooled,
                                  (struct spooled_number){value->integer, value->real, value->whole});
    case EVENT:
        if (strcmp(key, "type") == 0 && value->type == VALUE_TEXT)
            speedscope->event_type = value->text[0];
        else if (strcmp(key, "at") == 0 && value->type == VALUE_NUMBER)
            speedscope->event_at = value->real;
        else if (strcmp(key, "frame") == 0)
            speedscope->event_frame = speedscope_find_frame(speedscope, value);
        return true;
    default:
        return true;
    }
}

static bool speedscope_end_event(struct speedscope *speedscope)
{
    const double since = speedscope->event_at - speedscope->last_at;
    struct stack *stack = &speedscope->stack;
    const bool closes = speedscope->event_type == 'C' && stack->depth > 0 &&
                        stack->frames[stack->depth - 1] == (uint32_t)speedscope->event_frame;
    speedscope->evented = true;
    if (stack->depth > 0 && (since > 0 || closes)) {
        /* The innermost open frame gets the time since the previous event; if it is closed, that is a call of it. */
        struct spooled *spooled = &speedscope->spooled;
        const double lasted = since > 0 ? since : 0;
        const struct spooled_number time = {(int64_t)lasted, lasted, lasted == floor(lasted)};
        const struct spooled_number calls = {closes, closes, true};
        if (!spooled_add_stack(spooled, stack) || !spooled_add_number(spooled, time) ||
            !spooled_add_number(spooled, calls))
            return false;
    }
    if (since < 0)
        reading_report_bad(speedscope->reading,
                           "byte %" PRIu64 ": an event with an earlier time than the one before it",
                           source_offset(speedscope->reading->source));
    speedscope->last_at = speedscope->event_at;
    if (speedscope->event_type == 'O')
        return stack_push(stack, (uint32_t)speedscope->event_frame);
    if (speedscope->event_type == 'C' && stack->depth > 0)
        stack->depth--;
    if (!closes)
        reading_report_bad(speedscope->reading, "byte %" PRIu64 ": an event that closes a frame that is not open",
                           source_offset(speedscope->reading->source));
    return true;
}

/* Times become nanoseconds; values without a unit are unchanged. */
static double speedscope_unit_scale(const char *unit, const char **called)
{
    static const struct {
        const char *name, *called;
        double scale;
    } units[] = {{"nanoseconds", "ns", 1},
                 {"microseconds", "ns", 1e3},
                 {"milliseconds", "ns", 1e6},
                 {"seconds", "ns", 1e9},
                 {"bytes", "bytes", 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0) {
            *called = units[i].called;
            return units[i].scale;
        }
    *called = "samples";
    return 1;
}

/* Samples with a duration or bytes are counted, too, as are calls; where both have the same unit, only those that come
 * first. */
static unsigned speedscope_open_profile(const struct speedscope *speedscope, const char *unit)
{
    struct sink_profile profile = {.name = unit, .unit = unit, .unknown = UNKNOWN_TIMES | UNKNOWN_PERIOD};
    if (speedscope->evented || strcmp(unit, "samples") != 0) {
        profile.weight = strcmp(unit, "ns") == 0 ? "duration" : unit;
        profile.more[0] =
            speedscope->evented ? (struct sink_weight){"calls", "calls"} : (struct sink_weight){"samples", "samples"};
    }
    return sink_open_profile(speedscope->reading->sink, &profile);
}

static bool speedscope_end_profile(struct speedscope *speedscope)
{
    const char *unit;
    double scale = speedscope_unit_scale(speedscope->unit, &unit);
    struct spooled *spooled = &speedscope->spooled;
    struct sink *sink = speedscope->reading->sink;
    if (speedscope->profile_number == 0)
        speedscope->counts_calls = speedscope->evented;
    struct sink_sample sample = {.profile = speedscope_open_profile(speedscope, unit),
                                 .thread = sink_add_thread(sink, ++speedscope->profile_number, speedscope->profile)};
    bool weighted = spooled->number_count > 0;
    if (weighted && spooled->number_count != spooled->stack_count * (speedscope->evented ? 2 : 1))
        reading_report_bad(speedscope->reading, "profile '%s': %" PRIu64 " samples and %" PRIu64 " weights",
                           speedscope->profile, spooled->stack_count, spooled->number_count);
    if (!spooled_rewind(spooled))
        return false;
    struct net net = {0};
    bool good = true;
    for (uint64_t i = 0; good && i < spooled->stack_count; i++) {
        struct spooled_number number = {1, 1, true}, calls = {0};
        good = spooled_next_stack(spooled, &speedscope->stack);
        if (!good || (weighted && !spooled_next_number(spooled, &number)) ||
            (speedscope->evented && !spooled_next_number(spooled, &calls)))
            break;
        double scaled = number.real * scale;
        if (fabs(scaled) > 9e18) {
            reading_report_bad(speedscope->reading, "profile '%s': a weight of %g", speedscope->profile, number.real);
            continue;
        }
        int64_t weight = number.whole && scale == 1 ? number.integer : llround(scaled);
        stack_reverse(&speedscope->stack);
        sample.weight = (uint64_t)weight;
        sample.frames = speedscope->stack.frames;
        sample.depth = speedscope->stack.depth;
        const int64_t counted = speedscope->evented ? calls.integer : weight < 0 ? -1 : 1;
        sample.more[0] = speedscope->evented == speedscope->counts_calls ? (uint64_t)counted : 0;
        if (spooled->negative)
            good = net_add_sample(&net, &sample, weight);
        else
            sink_add_sample(sink, &sample);
    }
    if (spooled->negative)
        net_pass_sums(&net, speedscope->reading, speedscope->profile);
    net_free(&net);
    if (!good)
        return false;
    speedscope->stack.depth = 0;
    spooled_free(spooled); /* it is done */
    return true;
}

static bool speedscope_leave(void *user, int state)
{
    struct speedscope *speedscope = user;
    switch (state) {
    case FRAME: {
        uint32_t *frames =
            grow(speedscope->frames, &speedscope->frame_capacity, speedscope->frame_count, sizeof *frames);
        if (!frames)
            return false;
        speedscope->frames = frames;
        frames[speedscope->frame_count++] =
            sink_add_frame(speedscope->reading->sink,
                           &(struct sink_frame){.method = *speedscope->name ? speedscope->name : "[unknown]",
                                                .file = speedscope->file,
                                                .line = speedscope->line,
                                                .position = -1});
        return true;
    }
    case SAMPLE:
        return spooled_add_stack(&speedscope->spooled, &speedscope->stack);
    case EVENT:
        return speedscope_end_event(speedscope);
    case PROFILE:
        return speedscope_end_profile(speedscope);
    default:
        return true;
    }
}

static int read_speedscope(struct reading *reading, struct error_text *message)
{
    static const struct json_format format = {
        .on_enter = speedscope_enter, .on_value = speedscope_value, .on_leave = speedscope_leave};
    struct speedscope speedscope = {.reading = reading};
    struct error_text second = {""};
    sink_set_origin(reading->sink, "speedscope", NULL, NULL);
    int status = json_parse_stream(reading->source, &format, &speedscope, message);
    if (source_rewind(reading->source)) {
        speedscope.second = true;
        int again = json_parse_stream(reading->source, &format, &speedscope, &second);
        if (again && speedscope.spooled.stack_count > 0) /* the profile that was cut */
            speedscope_end_profile(&speedscope);
    }
    spooled_free(&speedscope.spooled);
    stack_free(&speedscope.stack);
    free(speedscope.frames);
    return status;
}

static bool speedscope_recognize(const unsigned char *head, size_t length)
{
    return json_recognize(head, length) &&
           (memmem(head, length, "speedscope.app/file-format-schema", 33) ||
            (memmem(head, length, "\"shared\"", 8) && memmem(head, length, "\"profiles\"", 10)));
}

const struct profile_format format_speedscope = {"speedscope", speedscope_recognize, read_speedscope};
