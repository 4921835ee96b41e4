#include "collect/exact/convert/describe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"

/* The date and time of a monotonic time of this boot, as text; NULL for an impossible one. */
static json_t *realtime_of(uint64_t monotonic_ns)
{
    int64_t ns = (int64_t)clock_ns(CLOCK_REALTIME) - ((int64_t)clock_ns(CLOCK_MONOTONIC) - (int64_t)monotonic_ns);
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm parts;
    char text[64];
    if (ns < 0 || !gmtime_r(&seconds, &parts) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts))
        return NULL;
    return json_sprintf("%s.%06dZ", text, (int)(ns % 1000000000 / 1000));
}

json_t *describe_process(const json_t *base, const struct raw_hello *hello, const char *json)
{
    json_t *metadata = base ? json_copy((json_t *)(uintptr_t)base) : json_object();
    json_t *said = json_loadb(json, hello->json_bytes, 0, NULL);
    if (json_is_object(said))
        json_object_update(metadata, said);
    json_decref(said);
    json_object_set_new(metadata, "pid", json_integer(hello->pid));
    json_object_set_new(metadata, "start_monotonic_ns", json_integer((json_int_t)hello->start_monotonic_ns));
    json_object_set_new(metadata, "start_realtime", realtime_of(hello->start_monotonic_ns)); /* NULL: not set */
    return metadata;
}

static void describe_lost(json_t *object, const uint64_t lost[CONVERT_CAUSES])
{
    static const char *const NAMES[CONVERT_CAUSES] = {
        [RAW_LOST_NODES] = "lost_nodes",   [RAW_LOST_DEPTH] = "lost_depth",           [RAW_LOST_SCOPES] = "lost_scopes",
        [RAW_LOST_WRITES] = "lost_writes", [RAW_OTHER_THREAD] = "other_thread_bytes", [RAW_LOST_MEMORY] = "lost_memory",
        [RAW_LOST_RING] = "lost_ring"};
    for (size_t cause = 1; cause < CONVERT_CAUSES; cause++)
        json_object_set_new(object, NAMES[cause], json_integer((json_int_t)lost[cause]));
}

int describe_end(json_t *metadata, const struct convert_report *report)
{
    static const char *const ENDS[] = {[RAW_EXITED] = "exited", [RAW_SIGNALLED] = "signalled", [RAW_EXEC] = "exec"};
    json_t *exact =
        json_pack("{s:I, s:o, s:o, s:I, s:b}", "instructions", (json_int_t)report->instructions, "ended",
                  report->ended ? json_string(ENDS[report->end.kind]) : json_null(), "status",
                  report->ended ? json_integer(report->end.status) : json_null(), "unread_bytes",
                  (json_int_t)report->unread_bytes, "damaged", (int)(report->damaged || report->ring_damaged));
    if (exact && json_object_get(metadata, "values"))
        json_object_set_new(exact, "accesses", json_integer((json_int_t)report->accesses));
    if (!exact || json_object_set_new(metadata, "exact", exact) != 0)
        return ENOMEM;
    describe_lost(exact, report->lost);
    return 0;
}

void describe_loss(const struct convert_report *report, struct complaint *missing)
{
    static const struct {
        enum raw_cause cause;
        const char *text;
    } LINES[] = {{RAW_LOST_WRITES, "records could not be written"},
                 {RAW_LOST_MEMORY, "accesses were not seen for lack of memory"},
                 {RAW_LOST_NODES, "calls were lumped together because there were too many contexts"}};
    *missing = (struct complaint){""};
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++)
        if (report->lost[LINES[i].cause])
            complain_too(missing, "%" PRIu64 " %s", report->lost[LINES[i].cause], LINES[i].text);
    if (report->cut)
        complain_too(missing, "its last accesses are missing: it was killed");
    if (report->lost[RAW_LOST_RING])
        complain_too(missing, "its accesses are missing from the point where the ring had no room or no reader");
    if (report->ring_damaged)
        complain_too(missing, "the ring is damaged: its accesses end before that");
    if (report->damaged)
        complain_too(missing, "the tool's file is damaged: %" PRIu64 " bytes of it were not used",
                     report->unread_bytes);
}
