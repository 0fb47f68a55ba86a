#!/bin/sh
# Runs one service as process 1, so that SIGTERM reaches it: it drains and exits 0.
set -eu
service="${1-gateway}"
main="dist/apps/$service/src/main.js"
case "$service" in
  *[!a-z-]* | '') known=no ;;
  *) if [ -f "$main" ]; then known=yes; else known=no; fi ;;
esac
if [ "$known" = no ]; then
  echo "unknown service $service; use one of:" >&2
  for file in dist/apps/*/src/main.js; do
    name="${file#dist/apps/}"
    echo "  ${name%/src/main.js}" >&2
  done
  exit 64
fi
# A small young generation keeps memory low: with the default, draining and imports use a hundred MB more at the same speed.
# The heap may take 70 % of the memory that the container has: what lies outside of it needs the rest.
exec node --max-semi-space-size=8 --max-old-space-size-percentage=70 "$main"
