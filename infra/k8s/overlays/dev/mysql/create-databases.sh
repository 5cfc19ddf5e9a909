# Sourced by the entrypoint of the MySQL image when the data directory is new: a database and a user for each service,
# as the service's own DATABASE_URL (mysql://user:password@host:port/name) has them.
for url_file in /run/secrets/*-database-url; do
  [[ $(<"$url_file") =~ ^mysql://([a-z]+):([A-Za-z0-9-]+)@[^/]+/([a-z]+)$ ]] || { echo "unusable: $url_file" >&2; exit 1; }
  MYSQL_PWD=$MYSQL_ROOT_PASSWORD mysql --user=root --execute="
    CREATE DATABASE ${BASH_REMATCH[3]} CHARACTER SET utf8mb4;
    CREATE USER '${BASH_REMATCH[1]}'@'%' IDENTIFIED BY '${BASH_REMATCH[2]}';
    GRANT ALL ON ${BASH_REMATCH[3]}.* TO '${BASH_REMATCH[1]}'@'%';"
done
