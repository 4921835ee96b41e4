/*
 * The reader of traces: every chunk with all its columns, and the names. Mutated files get right checksums again, or
 * nothing behind them would ever be reached.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "trace/format/chunk.h"
#include "tests/fuzz/target.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static void repair_number(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* The checksums of a chunk's columns, its directory and its header, as far as it lies in the file. Returns its bytes.
 */
static size_t repair_chunk(uint8_t *at, size_t available)
{
    const size_t columns = at[5];
    const size_t directory = columns * DIRECTORY_ENTRY_BYTES;
    if (directory <= available - CHUNK_HEADER_BYTES) {
        size_t payload = CHUNK_HEADER_BYTES + directory;
        for (size_t c = 0; c < columns; c++) {
            uint8_t *entry = at + CHUNK_HEADER_BYTES + c * DIRECTORY_ENTRY_BYTES;
            const size_t stored = bytes_get(entry + 8, 4);
            if (stored > available - payload)
                break;
            repair_number(entry + 12, checksum_crc32c(at + payload, stored));
            payload += stored;
        }
        repair_number(at + 36, checksum_crc32c(at + CHUNK_HEADER_BYTES, directory));
    }
    repair_number(at + 40, checksum_crc32c(at, 40));
    return CHUNK_HEADER_BYTES + bytes_get(at + 32, 4);
}

static void repair(uint8_t *data, size_t size)
{
    if (size < FILE_HEADER_BYTES)
        return;
    const size_t metadata = bytes_get(data + 12, 4);
    if (metadata > size - FILE_HEADER_BYTES)
        return;
    repair_number(data + 16, checksum_crc32c(data + FILE_HEADER_BYTES, metadata));
    repair_number(data + 20, checksum_crc32c(data, 20));
    size_t at = FILE_HEADER_BYTES + metadata;
    while (size - at >= CHUNK_HEADER_BYTES && bytes_get(data + at, 4) == CHUNK_MAGIC) {
        const size_t bytes = repair_chunk(data + at, size - at);
        if (bytes > size - at)
            return;
        at += bytes;
    }
    if (size - at == TRAILER_BYTES)
        repair_number(data + at + 20, checksum_crc32c(data + at, 20));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 8 != 0)
        repair(data, size);
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace *trace;
    struct trace_batch batch = {0};
    struct trace_names names = {0};
    struct error_text message = {""}, problem = {""};
    if (trace_open(target_file(data, size), &trace, &message) != 0) {
        TARGET_PROMISES(message.text[0]);
        return 0;
    }
    struct trace_loss loss = *trace_loss(trace);
    if (trace_names_load(trace, &names, &loss) == 0)
        for (uint64_t id = 0; id <= names.context_count; id++)
            TARGET_PROMISES(trace_names_method(&names, id));
    trace_names_free(&names);
    for (size_t i = 0; i < trace_chunk_count(trace); i++) {
        const int status = trace_read(trace, i, TRACE_ALL_COLUMNS, &batch, &problem);
        TARGET_PROMISES(status == 0 || status == TRACE_NEWER || problem.text[0]);
        TARGET_PROMISES(status != 0 || batch.count == trace_chunk_at(trace, i)->count);
        trace_loss_read(&loss, trace_chunk_at(trace, i), status, &problem);
    }
    trace_loss_text(trace, &loss, &message);
    trace_batch_free(&batch);
    trace_close(trace);
    return 0;
}
