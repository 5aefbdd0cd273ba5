#!/usr/bin/env bash
# One step of a migration: a rehearsal against a reference server, or one command. The inputs of action.yml are variables.
set -euo pipefail

flags=()
# `read` takes off spaces at both ends of a line.
while IFS=$' \t' read -r flag; do
  if [ -n "$flag" ]; then flags+=("$flag"); fi
done <<<"${INPUT_FLAGS//$'\r'/}"
accept=${INPUT_ACCEPT//[[:space:]]/}
first=0

output() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }

case $INPUT_REPORTS in
  *[$'\r\n']*)
    echo 'reports: the name of a folder has a line break, which would begin another output of the step' >&2
    output exit-code 2
    exit 2
    ;;
esac

# Runs idport; ends the step with a code that is not accepted.
step() {
  local code=0
  idport "$@" || code=$?
  if [ "$first" = 0 ]; then first=$code; fi
  case ",$accept," in
    *",$code,"*) ;;
    *)
      output exit-code "$code"
      exit "$code"
      ;;
  esac
}

rehearse() {
  work=$(mktemp -d)
  IDPORT_TOKEN=$(node -p 'require("node:crypto").randomBytes(24).toString("hex")')
  export IDPORT_TOKEN
  IDPORT_SERVE_TOKEN=$IDPORT_TOKEN idport serve --port=0 --org="$INPUT_ORG" --profile="$INPUT_TARGET_PROFILE" --json >"$work/server.json" &
  server=$!
  trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
  until [ -s "$work/server.json" ]; do
    kill -0 "$server" || exit 1
    sleep 0.2
  done
  IDPORT_URL=$(node -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).url' "$work/server.json")
  export IDPORT_URL
  mkdir -p "$INPUT_REPORTS"
  step migrate "$INPUT_SOURCE" --org="$INPUT_ORG" --target-profile="$INPUT_TARGET_PROFILE" --output=importBody.json \
    --report="$INPUT_REPORTS/migrate.json" ${flags[@]+"${flags[@]}"}
  output body importBody.json
  step check importBody.json --target-profile="$INPUT_TARGET_PROFILE" --max-emails="$INPUT_MAX_EMAILS" --report="$INPUT_REPORTS/check.json"
  step import-users importBody.json --org="$INPUT_ORG" --max-emails="$INPUT_MAX_EMAILS" --report="$INPUT_REPORTS/import.json"
  step verify importBody.json --report="$INPUT_REPORTS/verify.json"
  step report "$INPUT_REPORTS"/{migrate,check,import,verify}.json --output="$INPUT_REPORTS/rehearsal.html"
  output report "$INPUT_REPORTS/rehearsal.html"
}

if [ "$INPUT_COMMAND" = rehearsal ]; then
  rehearse
else
  if [ -n "$INPUT_URL" ]; then export IDPORT_URL=$INPUT_URL; fi
  if [ -n "$INPUT_TOKEN" ]; then export IDPORT_TOKEN=$INPUT_TOKEN; fi
  IFS=$' \t\n' read -rd '' -a words <<<"${INPUT_COMMAND//$'\r'/}" || true
  step "${words[@]}" ${flags[@]+"${flags[@]}"}
fi
output exit-code "$first"
