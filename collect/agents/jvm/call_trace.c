/* call_trace.c - AsyncGetCallTrace, which walks from any program counter, not only from safepoints. */
#include "collect/agents/jvm/agent.h"

#include <dlfcn.h>
#include <string.h>

/* The interface of AsyncGetCallTrace, which no header of the JDK declares. */
struct java_frame {
    jint bci; /* −3: native method; −1: unknown */
    jmethodID method;
};
struct java_trace {
    JNIEnv *env;
    jint count; /* or an error code ≤ 0 */
    struct java_frame *frames;
};
static void (*async_get_call_trace)(struct java_trace *trace, jint depth, void *ucontext);

/* AsyncGetCallTrace writes its frames their position converted in place. */
_Static_assert(sizeof(struct java_frame) == sizeof(struct trace_raw_frame), "frames have the same size");

const char *call_trace_init(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
    if (!symbol)
        return "this JVM has no AsyncGetCallTrace";
    memcpy(&async_get_call_trace, &symbol, sizeof symbol);
    return codemap_init(symbol) ? NULL : "no loaded library has AsyncGetCallTrace";
}

int call_trace_walk(JNIEnv *env, void *ucontext, struct trace_raw_frame *frames, size_t max)
{
    struct java_trace trace = {env, 0, (struct java_frame *)(void *)frames};
    sigjmp_buf jump;
    if (sigsetjmp(jump, 0)) {
        guard_caught();
        return WALK_FAULT;
    }
    guard_jump = &jump;
    async_get_call_trace(&trace, (jint)max, ucontext);
    guard_jump = NULL;
    return trace.count;
}

bool call_trace_top(JNIEnv *env, void *ucontext, struct trace_raw_frame *top)
{
    struct java_frame java;
    if (call_trace_walk(env, ucontext, top, 1) <= 0)
        return false;
    memcpy(&java, top, sizeof java);
    walk_set_frame(top, (uint64_t)(uintptr_t)java.method, java.bci);
    return true;
}

size_t call_trace_convert(struct trace_raw_frame *frames, size_t count, size_t max)
{
    for (size_t i = 0; i < count; i++) {
        struct java_frame java;
        memcpy(&java, &frames[i], sizeof java);
        walk_set_frame(&frames[i], (uint64_t)(uintptr_t)java.method, java.bci);
    }
    if (count == max) /* there may have been more frames: the outermost is replaced by a mark */
        walk_set_frame(&frames[count - 1], PSEUDO_CUT, 0);
    return count;
}
