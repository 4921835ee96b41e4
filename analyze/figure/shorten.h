/*
 * shorten.h - names of methods and functions as short as they stay distinct, for axes and legends.
 *
 * "org.apache.lucene.search.TermScorer.score(Collector,int):17" becomes "TermScorer.score:17". Where two names then
 * look the same, both get what tells them apart: packages from the right, or their parameters without packages
 * ("TermScorer.score(Collector, int)"). Takes names of Java ("a.b.C.m(int)", "a/b/C.m") and of C++
 * ("int a::b::C<T>::m(int)"); anything else stays what it is.
 */
#ifndef ASSAY_FIGURE_SHORTEN_H
#define ASSAY_FIGURE_SHORTEN_H

#include <stdbool.h>
#include <stddef.h>

/* labels[count] of names[count], each to free(). Labels longer than `longest` characters (UTF-8) lose their middle,
 * unless two would then be the same. Same names get same labels. False without memory (then labels are all NULL).
 * Cost: count² comparisons. */
bool shorten_names(const char *const *names, size_t count, size_t longest, char **labels);

/* shorten_names() for names of anything else, such as command lines: where they are too long, what all of them begin or
 * end with becomes "…", by whole words. */
bool shorten_texts(const char *const *names, size_t count, size_t longest, char **labels);

/* Labels that are the same for different names become the whole names. False without memory: a label may be NULL then.
 */
bool shorten_undo(const char *const *names, size_t count, char **labels);

/* Frees labels and leaves NULL; false, for a failure to return. */
bool shorten_drop(char **labels, size_t count);

/* A copy of text, at most `longest` (≥ 3) characters, with "…" in place of its middle. NULL without memory. */
char *shorten_middle(const char *text, size_t longest);

#endif
