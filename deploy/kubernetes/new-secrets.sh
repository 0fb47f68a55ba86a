#!/bin/sh
# Prints the Secrets of an installation with new passwords and a new key: deploy/kubernetes/new-secrets.sh … | kubectl create -f -
# Keep what it prints: the key cannot be made again.
set -eu
if [ $# -lt 2 ]; then
  echo "usage: $0 DATABASE_URL SMTP_URL [NATS_HOST:PORT]" >&2
  echo "DATABASE_URL is an account of Postgres with CREATEDB and CREATEROLE" >&2
  exit 64
fi
address="${1##*@}"
case "$1" in *\?*) OPTIONS="?${1#*\?}" ;; *) OPTIONS= ;; esac
export OPTIONS DATABASE_URL="$1" SMTP_URL="$2" NATS="${3:-nats:4222}" POSTGRES="${address%%[/?]*}"
# Begins with a letter, because nats-server would read some other texts as numbers.
secret() { printf 'p%s' "$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')"; }
template="$(dirname "$0")/secrets.yaml"
for name in POSTHORN_SECRET_KEY $(grep -o '@[A-Z]*_PASSWORD@' "$template" | tr -d @ | sort -u); do
  export "$name=$(secret)"
done
awk '{
  while (match($0, /@[A-Z_]+@/))
    $0 = substr($0, 1, RSTART - 1) ENVIRON[substr($0, RSTART + 1, RLENGTH - 2)] substr($0, RSTART + RLENGTH)
  print
}' "$template"
