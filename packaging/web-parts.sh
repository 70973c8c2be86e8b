#!/bin/sh
# Prints the dashboard's libraries as SBOM components, one per line. becketd contains the dashboard.
set -eu
awk -F'"' '
  function print_component() {
    ref = name; sub(/^@/, "%40", ref); ref = "pkg:npm/" ref "@" version
    printf "{\"type\": \"library\", \"bom-ref\": \"%s\", \"name\": \"%s\", \"version\": \"%s\", ", ref, name, version
    printf "\"scope\": \"required\", \"licenses\": [{\"expression\": \"%s\"}], \"purl\": \"%s\"}\n", license, ref
  }
  /^    "node_modules\// { name = $2; sub(/.*node_modules\//, "", name); is_shipped = 1 }
  /^      "version": / { version = $4 }
  /^      "license": / { license = $4 }
  /^      "(dev|devOptional|optional|peer)": true/ { is_shipped = 0 }
  /^    }/ { if (name != "" && is_shipped) print_component(); name = "" }
' "$(dirname "$0")/../web/package-lock.json"
