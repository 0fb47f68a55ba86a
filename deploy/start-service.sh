#!/bin/sh
# Starts one service of the image, as process 1, so that SIGTERM reaches it.
set -eu
service="${1:-gateway}"
main="dist/apps/$service/src/main.js"
if [ "$service" = all-in-one ] || [ ! -f "$main" ]; then
  echo "no service is called $service: gateway, sending, contacts or analytics" >&2
  exit 64
fi
exec node "$main"
