#!/bin/sh
# Starts one service of the image, as process 1, so that SIGTERM reaches it: it drains and exits 0.
set -eu
service="${1-gateway}"
main="dist/apps/$service/src/main.js"
case "$service" in
  *[!a-z-]* | '') known=no ;;
  *) if [ -f "$main" ]; then known=yes; else known=no; fi ;;
esac
if [ "$known" = no ]; then
  echo "no service is called $service; there are:" >&2
  for file in dist/apps/*/src/main.js; do
    name="${file#dist/apps/}"
    echo "  ${name%/src/main.js}" >&2
  done
  exit 64
fi
# Garbage is collected while it is little: by the default of Node a service that drains or imports grows by a hundred MB at the same speed.
exec node --max-semi-space-size=8 "$main"
