/* A stream into memory has all bytes that were written, or says that it has not. */
#include "base/text_stream.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

int main(void)
{
    char *text;
    size_t size;
    FILE *stream = text_stream_open(&text, &size);
    ok(stream && text_stream_close(stream, &text) && size == 0 && strcmp(text, "") == 0, "nothing written is a text");
    free(text);

    stream = text_stream_open(&text, &size);
    for (int i = 0; i < 100000; i++)
        fprintf(stream, "%05d", i);
    ok(ftell(stream) == 500000, "ftell() counts them while they are written");
    bool whole = text_stream_close(stream, &text) && size == 500000 && strlen(text) == size;
    for (int i = 0; whole && i < 100000; i++)
        whole = strtol((char[]){text[5 * i], text[5 * i + 1], text[5 * i + 2], text[5 * i + 3], text[5 * i + 4], '\0'},
                       NULL, 10) == i;
    ok(whole, "half a million bytes are all there, with an end");
    free(text);

    stream = text_stream_open(&text, &size);
    fwrite("a\0b", 1, 3, stream);
    ok(text_stream_close(stream, &text) && size == 3 && memcmp(text, "a\0b", 4) == 0, "any bytes can be in it");
    free(text);

    text = (char[]){"unset"};
    ok(!text_stream_close(NULL, &text) && !text, "no stream: no text");
    return done_testing();
}
