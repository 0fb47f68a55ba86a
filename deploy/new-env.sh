#!/bin/sh
# Writes .env for docker-compose.yml: a copy of .env.example with a new value for every secret that is empty there.
set -eu
cd "$(dirname "$0")/.."
if [ -e .env ]; then
  echo "there is a .env already: edit it, or move it away first" >&2
  exit 1
fi
umask 077
# Begins with a letter, because nats-server would read some other texts as numbers.
secret() { printf 'p%s' "$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')"; }
while IFS= read -r line || [ -n "$line" ]; do
  case "$line" in
    [A-Z]*=) printf '%s%s\n' "$line" "$(secret)" ;;
    *) printf '%s\n' "$line" ;;
  esac
done <.env.example >.env.new
mv .env.new .env
echo "wrote .env; keep it safe, and start with: docker compose up --build --detach --wait"
