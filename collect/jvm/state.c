/* state.c - what the agent's files share. */
#include "collect/jvm/agent.h"

#include <stdio.h>

struct agent agent;
_Thread_local bool agent_own_thread;

void agent_complain(const char *text)
{
    fprintf(stderr, "assay: %s\n", text);
}
