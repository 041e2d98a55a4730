// The first program of the stand-in for PostgreSQL's image. It knows what our compose file uses of the official one, run
// as the user of PostgreSQL: the password file of the superuser, and scripts that run once.
export const postgresEntry = `#!/bin/bash
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --pgdata="$PGDATA" --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-host=scram-sha-256 --auth-local=trust --encoding=UTF8 --locale=C.UTF-8
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --pgdata="$PGDATA" --wait --options="-c listen_addresses=''" start
  export POSTGRES_USER=postgres
  for script in /docker-entrypoint-initdb.d/*.sh; do [ -e "$script" ] && . "$script"; done
  pg_ctl --pgdata="$PGDATA" --wait --mode=fast stop
fi
[ "\${1:-}" = postgres ] && shift
exec postgres -D "$PGDATA" -c listen_addresses='*' "$@"
`;
