#!/bin/sh
# Processes whose own threads write the traces, as they do where no other process can: the same as process.t shows.
INSIDE=yes
export INSIDE
. "$(dirname "$0")/process.t"
