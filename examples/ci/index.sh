#!/bin/sh
# Any runner that keeps a folder between jobs: KEEP is that folder. Exit code 3: finished, some lessons failed.
set -eu

KEEP=${KEEP:?set KEEP to a folder that the runner keeps between jobs}
export BOOKWISE_DIRECTORY="$KEEP/index"
export BOOKWISE_STATE="$KEEP/state.json"

# A lesson that cannot be read fails the job at its end; the others are indexed all the same.
code=0
bookwise ingest --report ingest.md || code=$?
[ "$code" = 0 ] || [ "$code" = 3 ] || exit "$code"
bookwise check || code=$?
bookwise verify || [ "$?" = 3 ]
exit "$code"
