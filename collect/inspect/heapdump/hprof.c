#include "collect/inspect/heapdump/hprof.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/temporary.h"
#include "base/transfer.h"

/* ------------------------------------------------------------------------------------------ the file -- */

static int hprof_map_file(struct hprof *dump, int fd, struct error_text *message)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return error_set(message, STATUS_BAD, "%s", strerror(errno));
    if (!S_ISREG(about.st_mode))
        return error_set(message, STATUS_BAD, "is not a regular file; a heap dump has to be one, to be mapped");
    if (about.st_size == 0)
        return error_set(message, STATUS_BAD, "is empty; take the dump again (jcmd PID GC.heap_dump FILE)");
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return error_set(message, STATUS_BAD, "%s", strerror(errno));
    dump->bytes = bytes;
    dump->size = (uint64_t)about.st_size;
    return STATUS_GOOD;
}

enum { UNPACK_BYTES = 1 << 20 };

/* Unpacks gzip files that follow each other. A damaged or cut one leaves what was before, and dump->cut. */
static int hprof_unpack(struct hprof *dump, int to, const struct hprof_progress *progress, struct error_text *message)
{
    uint8_t *buffer = malloc(UNPACK_BYTES);
    z_stream stream = {.next_in = NULL};
    if (!buffer || inflateInit2(&stream, 15 + 16) != Z_OK) {
        free(buffer);
        return error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
    }
    int state = Z_OK, error = 0;
    uint64_t done = 0;
    while (!error && state == Z_OK && (done < dump->size || stream.avail_out == 0)) {
        uint64_t left = dump->size - done;
        stream.next_in = (Bytef *)(uintptr_t)(dump->bytes + done);
        stream.avail_in = (uInt)(left < UNPACK_BYTES ? left : UNPACK_BYTES);
        stream.next_out = buffer;
        stream.avail_out = UNPACK_BYTES;
        state = inflate(&stream, Z_NO_FLUSH);
        done = (uint64_t)(stream.next_in - dump->bytes);
        error = transfer_write(to, buffer, UNPACK_BYTES - stream.avail_out) ? 0 : errno;
        if (state == Z_STREAM_END && done < dump->size)
            state = inflateReset(&stream);
        if (progress->report)
            progress->report(progress->user, "unpacking", done, dump->size);
    }
    inflateEnd(&stream);
    free(buffer);
    if (error)
        return error_set(message, STATUS_BAD, "can't be unpacked into %s: %s; set TMPDIR to a folder with more room",
                         temporary_folder(), strerror(error));
    if (state != Z_STREAM_END)
        error_set(&dump->cut, STATUS_BAD, "the gzip data are %s at byte %" PRIu64,
                  state == Z_OK || state == Z_BUF_ERROR ? "cut" : "damaged", done);
    return STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------ the header -- */

/* "JAVA PROFILE 1.0.2", terminated; the size of ids; the time. */
static int hprof_read_header(struct hprof *dump, struct error_text *message)
{
    static const char NAME[] = "JAVA PROFILE 1.0.";
    enum { NAME_BYTES = sizeof NAME - 1, VERSION = NAME_BYTES, IDS = VERSION + 2, TIME = IDS + 4, BEGIN = TIME + 8 };
    if (dump->size < BEGIN || memcmp(dump->bytes, NAME, NAME_BYTES) != 0)
        return error_set(message, STATUS_BAD,
                         "is not a heap dump of a JVM (HPROF); jcmd PID GC.heap_dump FILE writes one");
    if (dump->bytes[VERSION] == '3')
        return error_set(message, STATUS_BAD, "is a heap dump of Android; hprof-conv converts it to version 1.0.2");
    dump->id_bytes = (uint32_t)cursor_number(dump->bytes + IDS, 4);
    dump->time_ms = cursor_number(dump->bytes + TIME, 8);
    dump->begin = BEGIN;
    if (dump->bytes[VERSION + 1] || (dump->id_bytes != 4 && dump->id_bytes != 8))
        return error_set(message, STATUS_BAD, "damaged at byte %d: its header is not valid; take the dump again",
                         (int)VERSION);
    return STATUS_GOOD;
}

int hprof_open(struct hprof *dump, const char *path, const struct hprof_progress *progress, struct error_text *message)
{
    *dump = (struct hprof){.bytes = NULL};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(message, STATUS_BAD, "%s", strerror(errno));
    int status = hprof_map_file(dump, fd, message);
    close(fd);
    if (status == STATUS_GOOD && dump->size > 2 && dump->bytes[0] == 0x1f && dump->bytes[1] == 0x8b) {
        struct hprof packed = *dump;
        int to = temporary_file();
        if (to < 0)
            status = error_set(message, STATUS_BAD, "can't be unpacked into %s: %s; set TMPDIR to another folder",
                               temporary_folder(), strerror(errno));
        else {
            status = hprof_unpack(dump, to, progress, message);
            packed.cut = dump->cut;
            if (status == STATUS_GOOD)
                status = hprof_map_file(dump, to, message);
            if (status == STATUS_GOOD)
                munmap((void *)(uintptr_t)packed.bytes, packed.size);
            close(to);
        }
    }
    if (status == STATUS_GOOD)
        status = hprof_read_header(dump, message);
    if (status != STATUS_GOOD)
        hprof_close(dump);
    return status;
}

void hprof_close(struct hprof *dump)
{
    if (dump->bytes)
        munmap((void *)(uintptr_t)dump->bytes, dump->size);
    *dump = (struct hprof){.bytes = NULL};
}

/* ------------------------------------------------------------------------------------------ records -- */

bool hprof_record_at(const struct hprof *dump, uint64_t at, struct hprof_record *record)
{
    enum { HEADER = 1 + 4 + 4 };
    if (at > dump->size || dump->size - at < HEADER)
        return false;
    *record = (struct hprof_record){.tag = dump->bytes[at], .body = at + HEADER};
    record->next = record->body + cursor_number(dump->bytes + at + 5, 4);
    return true;
}

char hprof_type(uint8_t number)
{
    static const char TYPES[] = {
        [2] = 'L', [4] = 'Z', [5] = 'C', [6] = 'F', [7] = 'D', [8] = 'B', [9] = 'S', [10] = 'I', [11] = 'J'};
    return number < sizeof TYPES ? TYPES[number] : '\0';
}

uint32_t hprof_type_bytes(const struct hprof *dump, char type)
{
    switch (type) {
    case 'L':
        return dump->id_bytes;
    case 'J':
    case 'D':
        return 8;
    case 'I':
    case 'F':
        return 4;
    case 'C':
    case 'S':
        return 2;
    case 'B':
    case 'Z':
        return 1;
    default:
        return 0;
    }
}

/* ------------------------------------------------------------------------------------------ items -- */

static uint64_t hprof_read_id(const struct hprof *dump, struct cursor *cursor)
{
    return cursor_read(cursor, dump->id_bytes);
}

/* A type and a value; a type that does not exist is damage. */
static void hprof_skip_value(const struct hprof *dump, struct cursor *cursor)
{
    uint32_t bytes = hprof_type_bytes(dump, hprof_type((uint8_t)cursor_read(cursor, 1)));
    cursor->cut |= bytes == 0;
    cursor_skip(cursor, bytes);
}

static void hprof_read_class(const struct hprof *dump, struct cursor *cursor, struct hprof_item *item)
{
    cursor_skip(cursor, 4); /* a stack trace */
    item->class_id = hprof_read_id(dump, cursor);
    item->loader = hprof_read_id(dump, cursor);
    cursor_skip(cursor, UINT64_C(4) * dump->id_bytes + 4); /* signers, domain, reserved; the size of instances */
    for (uint64_t constants = cursor_read(cursor, 2); constants > 0 && !cursor->cut; constants--) {
        cursor_skip(cursor, 2);
        hprof_skip_value(dump, cursor);
    }
    item->static_count = (uint32_t)cursor_read(cursor, 2);
    item->statics = cursor->at;
    for (uint32_t i = 0; i < item->static_count && !cursor->cut; i++) {
        hprof_read_id(dump, cursor);
        hprof_skip_value(dump, cursor);
    }
    item->count = (uint32_t)cursor_read(cursor, 2);
    item->values = cursor_skip(cursor, (uint64_t)item->count * (dump->id_bytes + 1));
    for (uint32_t i = 0; i < item->count && !cursor->cut; i++)
        cursor->cut = !hprof_type(item->values[(i + UINT64_C(1)) * (dump->id_bytes + 1) - 1]);
}

static void hprof_read_object(const struct hprof *dump, struct cursor *cursor, struct hprof_item *item)
{
    cursor_skip(cursor, 4); /* a stack trace */
    if (item->tag == HPROF_INSTANCE)
        item->class_id = hprof_read_id(dump, cursor);
    item->count = (uint32_t)cursor_read(cursor, 4);
    uint32_t bytes = 1;
    if (item->tag == HPROF_OBJECT_ARRAY) {
        item->class_id = hprof_read_id(dump, cursor);
        item->type = 'L';
    } else if (item->tag == HPROF_PRIMITIVE_ARRAY) {
        item->type = hprof_type((uint8_t)cursor_read(cursor, 1));
        cursor->cut |= item->type == 'L' || !item->type;
    }
    if (item->type)
        bytes = hprof_type_bytes(dump, item->type);
    item->values = cursor_skip(cursor, (uint64_t)item->count * bytes);
}

/* What follows the id of a root; −1: there is no root with this tag. */
static int hprof_root_bytes(uint8_t tag, uint32_t id_bytes)
{
    static const int8_t BYTES[] = {[0x02] = 8, [0x03] = 8, [0x04] = 4, [0x05] = 0, [0x06] = 4, [0x07] = 0, [0x08] = 8};
    if (tag == 0x01) /* JNI global: its own id, too */
        return (int)id_bytes;
    if (tag == 0xff)
        return 0;
    return tag >= 0x02 && tag < sizeof BYTES ? BYTES[tag] : -1;
}

enum hprof_status hprof_item_at(const struct hprof *dump, uint64_t at, uint64_t end, struct hprof_item *item)
{
    assert(at <= end && end <= dump->size);
    struct cursor cursor = {.at = dump->bytes + at, .end = dump->bytes + end};
    *item = (struct hprof_item){.tag = (uint8_t)cursor_read(&cursor, 1)};
    item->id = hprof_read_id(dump, &cursor);
    if (item->tag == HPROF_CLASS) {
        hprof_read_class(dump, &cursor, item);
    } else if (item->tag >= HPROF_INSTANCE && item->tag <= HPROF_PRIMITIVE_ARRAY) {
        hprof_read_object(dump, &cursor, item);
    } else {
        int more = hprof_root_bytes(item->tag, dump->id_bytes);
        if (more < 0)
            return cursor.cut ? HPROF_CUT : HPROF_UNKNOWN;
        const uint8_t *numbers = cursor_skip(&cursor, (uint64_t)more);
        if (numbers && (item->tag == HPROF_ROOT_JAVA_FRAME || item->tag == HPROF_ROOT_THREAD)) {
            item->thread = (uint32_t)cursor_number(numbers, 4);
            item->frame = (uint32_t)cursor_number(numbers + 4, 4);
        }
    }
    item->next = (uint64_t)(cursor.at - dump->bytes);
    return cursor.cut ? HPROF_CUT : HPROF_GOOD;
}
