# Run once, by the image of PostgreSQL, when its data folder is empty: the role of Pilothouse, which owns its database and
# nothing else. The password comes by a file and is never on a command line.
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<SQL
\set password \`cat /run/secrets/database-password\`
create role pilothouse login password :'password';
create database pilothouse owner pilothouse;
revoke connect on database pilothouse from public;
SQL
