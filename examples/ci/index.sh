#!/bin/sh
# Any runner that keeps a folder between jobs: KEEP is that folder. Exit code 3: finished, some lessons failed.
set -eu

KEEP=${KEEP:?set KEEP to a folder that the runner keeps between jobs}
export BOOKWISE_DIRECTORY="$KEEP/index"
export BOOKWISE_STATE="$KEEP/state.json"

bookwise check
bookwise ingest --report ingest.md
bookwise verify
