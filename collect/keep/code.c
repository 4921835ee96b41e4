#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect/keep/state.h"
#include "collect/agents/native/frame_text.h"

static void code_free_file(struct code_file *file)
{
    free(file->path);
    free(file->method);
}

static void code_add_file(struct process *process, const struct pool_module *module)
{
    struct code *code = &process->code;
    struct code_file file = {.bias = module->bias, .low = module->low, .high = module->high};
    struct code_file *grown = NULL;
    const struct code_file *before = NULL;
    if (module->low >= module->high)
        return;
    /* Without symbolic links, where this process sees the file; "" is the process's own program. */
    char *real = *module->path == '/' ? realpath(module->path, NULL) : NULL;
    file.path = real ? real : strdup(*module->path ? module->path : process->exe);
    if (file.path) {
        const char *slash = strrchr(file.path, '/'), *base = slash ? slash + 1 : file.path;
        if (asprintf(&file.method, base[0] == '[' ? "%s" : "[%s]", base) < 0)
            file.method = NULL;
    }
    assert(module->build_id_bytes <= POOL_BUILD_ID_MAX);
    for (uint32_t i = 0; i < module->build_id_bytes; i++)
        snprintf(file.build_id + 2 * i, 3, "%02x", module->build_id[i]);
    for (size_t i = code->count; file.method && !before && i-- > 0;)
        if (code->files[i].low < file.high && file.low < code->files[i].high)
            before = &code->files[i];
    bool known = before && before->low == file.low && before->high == file.high &&
                 strcmp(before->build_id, file.build_id) == 0 && strcmp(before->path, file.path) == 0;
    if (file.method && !known)
        grown = reallocarray(code->files, code->count + 1, sizeof *grown);
    if (!grown) {
        code_free_file(&file);
        return;
    }
    code->files = grown;
    code->files[code->count++] = file;
}

static enum pool_entry code_take_entry(struct process *process, bool *unfinished)
{
    struct pool_module module = {0};
    char path[POOL_PATH_MAX];
    enum pool_entry entry = pool_log_take(process->board, &module, path, unfinished);
    if (entry == POOL_LOG_MODULE)
        code_add_file(process, &module);
    else if (entry == POOL_LOG_NOTE)
        process_report(process, path);
    return entry;
}

void code_take_log(struct process *process)
{
    enum pool_entry entry;
    bool unfinished;
    while ((entry = code_take_entry(process, &unfinished)) != POOL_LOG_NONE || process->unloaded) {
        process->unloaded |= entry == POOL_LOG_UNLOADED;
        if (!process->unloaded)
            continue;
        /* Other code may be where some was: what has been recorded by now is taken while its meaning is known. */
        process->unloaded = false;
        if (process->writer) {
            trace_drain(process->writer, false);
            trace_forget_frames(process->writer);
        }
    }
    assert(!process->unloaded);
}

bool code_take_entries(struct process *process)
{
    bool unfinished, unloaded = process->unloaded;
    for (enum pool_entry entry; (entry = code_take_entry(process, &unfinished)) != POOL_LOG_NONE;)
        unloaded |= entry == POOL_LOG_UNLOADED;
    process->unloaded = false;
    return unloaded;
}

struct code_file *code_find_file(const struct code *code, uint64_t address)
{
    for (size_t i = code->count; i-- > 0;)
        if (address >= code->files[i].low && address < code->files[i].high)
            return &code->files[i];
    return NULL;
}

bool code_describe(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text)
{
    enum { TRIES = 20, PAUSE_NS = 500000 };
    struct process *process = user;
    bool unfinished = frame->code >= FRAME_CODES;
    struct code_file *file = unfinished ? code_find_file(&process->code, frame->code) : NULL;
    /* The thread that announces a file may not be the one that recorded this frame, and may not have come to the end.
     */
    for (unsigned i = 0; !file && unfinished && i < TRIES && process->waits < TRIES; i++) {
        if (i > 0)
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        process->waits += i > 0;
        for (enum pool_entry entry; (entry = code_take_entry(process, &unfinished)) != POOL_LOG_NONE;)
            process->unloaded |= entry == POOL_LOG_UNLOADED; /* later: frames are being described */
        file = code_find_file(&process->code, frame->code);
    }
    if (!file) {
        frame_text_of_code(frame->code, text);
        return true;
    }
    assert(frame->code >= file->low && frame->code < file->high);
    if (file->id == 0)
        file->id = trace_define_module(process->writer, file->path, file->build_id, file->bias, file->low, file->high);
    frame_text_of_module(frame->code, file->method, file->bias, file->id, text);
    return true;
}

void code_free(struct code *code)
{
    for (size_t i = 0; i < code->count; i++)
        code_free_file(&code->files[i]);
    free(code->files);
    *code = (struct code){0};
}
