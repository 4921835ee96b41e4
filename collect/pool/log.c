/*
 * The log of a process: what its code is. Several threads append to it, and the writing process takes from it.
 *
 * An entry is a head word, with its kind and its bytes, which is written last; then words of numbers; then a build id
 * and a path. It does not go over the end: what is left there is skipped.
 */
#include <string.h>

#include "collect/pool/pool.h"

enum { WORD = 8, FIXED_WORDS = 5, LOG_WORDS = POOL_LOG_BYTES / WORD };

/* Where the entry begins; −1 if there is no room. */
static long pool_log_claim_words(struct pool_process *process, uint64_t words)
{
    uint64_t head = atomic_load(&process->log_head);
    for (;;) {
        uint64_t at = head % LOG_WORDS, left = LOG_WORDS - at, skipped = left < words ? left : 0;
        if (head + skipped + words - atomic_load(&process->log_tail) > LOG_WORDS)
            return -1;
        if (!atomic_compare_exchange_weak(&process->log_head, &head, head + skipped + words))
            continue;
        if (skipped > 0)
            atomic_store(&process->log[at], POOL_LOG_SKIP | skipped << 8);
        return (long)(skipped > 0 ? 0 : at);
    }
}

static void pool_log_put_bytes(_Atomic uint64_t *words, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += WORD) {
        uint64_t word = 0;
        memcpy(&word, (const char *)bytes + i, size - i < WORD ? size - i : WORD);
        atomic_store_explicit(&words[i / WORD], word, memory_order_relaxed);
    }
}

static uint64_t pool_log_words_for(uint64_t bytes)
{
    return (bytes + WORD - 1) / WORD;
}

bool pool_log_module(struct pool_process *process, const struct pool_module *module)
{
    size_t path_bytes = strlen(module->path) + 1;
    if (module->build_id_bytes > POOL_BUILD_ID_MAX || path_bytes > POOL_PATH_MAX)
        return false;
    uint64_t words = FIXED_WORDS + pool_log_words_for(module->build_id_bytes) + pool_log_words_for(path_bytes);
    long at = pool_log_claim_words(process, words);
    if (at < 0)
        return false;
    _Atomic uint64_t *out = &process->log[at];
    atomic_store_explicit(&out[1], module->bias, memory_order_relaxed);
    atomic_store_explicit(&out[2], module->low, memory_order_relaxed);
    atomic_store_explicit(&out[3], module->high, memory_order_relaxed);
    atomic_store_explicit(&out[4], module->build_id_bytes, memory_order_relaxed);
    pool_log_put_bytes(out + FIXED_WORDS, module->build_id, module->build_id_bytes);
    pool_log_put_bytes(out + FIXED_WORDS + pool_log_words_for(module->build_id_bytes), module->path, path_bytes);
    atomic_store_explicit(out, POOL_LOG_MODULE | words << 8, memory_order_release);
    return true;
}

bool pool_log_note(struct pool_process *process, const char *text)
{
    size_t bytes = strlen(text) + 1;
    uint64_t words = 1 + pool_log_words_for(bytes);
    long at = bytes > POOL_PATH_MAX ? -1 : pool_log_claim_words(process, words);
    if (at < 0)
        return false;
    pool_log_put_bytes(&process->log[at + 1], text, bytes);
    atomic_store_explicit(&process->log[at], POOL_LOG_NOTE | words << 8, memory_order_release);
    return true;
}

bool pool_log_unloaded(struct pool_process *process)
{
    long at = pool_log_claim_words(process, 1);
    if (at >= 0)
        atomic_store_explicit(&process->log[at], POOL_LOG_UNLOADED | UINT64_C(1) << 8, memory_order_release);
    return at >= 0;
}

static void pool_log_get_bytes(const _Atomic uint64_t *words, void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += WORD) {
        uint64_t word = atomic_load_explicit(&words[i / WORD], memory_order_relaxed);
        memcpy((char *)bytes + i, &word, size - i < WORD ? size - i : WORD);
    }
}

static bool pool_log_get_note(const _Atomic uint64_t *in, uint64_t words, char text[POOL_PATH_MAX])
{
    uint64_t bytes = WORD * (words - 1);
    if (words < 2 || bytes > POOL_PATH_MAX)
        return false;
    pool_log_get_bytes(in + 1, text, bytes);
    text[bytes - 1] = '\0';
    return true;
}

static bool pool_log_get_module(const _Atomic uint64_t *in, uint64_t words, struct pool_module *module,
                                char text[POOL_PATH_MAX])
{
    if (words <= FIXED_WORDS)
        return false;
    module->bias = atomic_load(&in[1]);
    module->low = atomic_load(&in[2]);
    module->high = atomic_load(&in[3]);
    uint64_t id_bytes = atomic_load(&in[4]), id_words = (id_bytes + WORD - 1) / WORD;
    if (id_bytes > POOL_BUILD_ID_MAX || FIXED_WORDS + id_words >= words)
        return false;
    uint64_t path_bytes = WORD * (words - FIXED_WORDS - id_words);
    if (path_bytes > POOL_PATH_MAX)
        return false;
    module->build_id_bytes = (uint32_t)id_bytes;
    pool_log_get_bytes(in + FIXED_WORDS, module->build_id, id_bytes);
    pool_log_get_bytes(in + FIXED_WORDS + id_words, text, path_bytes);
    text[path_bytes - 1] = '\0';
    module->path = text;
    return true;
}

enum pool_entry pool_log_take(struct pool_process *process, struct pool_module *module, char text[POOL_PATH_MAX],
                              bool *unfinished)
{
    enum pool_entry result = POOL_LOG_NONE;
    *unfinished = false;
    while (result == POOL_LOG_NONE) {
        uint64_t tail = atomic_load(&process->log_tail), at = tail % LOG_WORDS;
        if (tail == atomic_load(&process->log_head))
            break;
        uint64_t first = atomic_load_explicit(&process->log[at], memory_order_acquire), words = first >> 8;
        if (first == 0) {
            *unfinished = true;
            break;
        }
        if (words == 0 || words > LOG_WORDS - at) /* damaged */
            words = LOG_WORDS - at;
        else if ((first & 0xff) == POOL_LOG_UNLOADED)
            result = POOL_LOG_UNLOADED;
        else if ((first & 0xff) == POOL_LOG_NOTE && pool_log_get_note(&process->log[at], words, text))
            result = POOL_LOG_NOTE;
        else if ((first & 0xff) == POOL_LOG_MODULE && pool_log_get_module(&process->log[at], words, module, text))
            result = POOL_LOG_MODULE;
        for (uint64_t i = 0; i < words; i++)
            atomic_store_explicit(&process->log[at + i], 0, memory_order_relaxed);
        atomic_store_explicit(&process->log_tail, tail + words, memory_order_release);
    }
    return result;
}
