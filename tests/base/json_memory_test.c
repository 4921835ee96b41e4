/* Want of memory for JSON is remembered, in whatever call it was. */
#include "base/json_memory.h"

#include <jansson.h>
#include <stdint.h>

#include "tests/tap.h"

/* No memory is a result, under AddressSanitizer too. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

int main(void)
{
    json_memory_watch();
    json_t *object = json_object();
    ok(json_object_set_new(object, "a", json_string("text")) == 0 && !json_memory_has_failed(),
       "with memory, nothing has failed");
    ok(json_stringn_nocheck("text", PTRDIFF_MAX) == NULL, "a text of 2^63 bytes has no memory");
    ok(json_memory_has_failed(), "that is remembered");
    ok(json_object_set_new(object, "b", json_string("text")) == 0 && json_memory_has_failed(),
       "even after another text has some");
    json_decref(object);
    return done_testing();
}
