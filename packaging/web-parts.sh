#!/bin/sh
# The libraries in the dashboard, which is part of becketd, as components of a bill of materials: one a line.
set -eu
awk -F'"' '
  function told() {
    ref = name; sub(/^@/, "%40", ref); ref = "pkg:npm/" ref "@" version
    printf "{\"type\": \"library\", \"bom-ref\": \"%s\", \"name\": \"%s\", \"version\": \"%s\", ", ref, name, version
    printf "\"scope\": \"required\", \"licenses\": [{\"expression\": \"%s\"}], \"purl\": \"%s\"}\n", license, ref
  }
  /^    "node_modules\// { name = $2; sub(/.*node_modules\//, "", name); is_shipped = 1 }
  /^      "version": / { version = $4 }
  /^      "license": / { license = $4 }
  /^      "(dev|devOptional|optional|peer)": true/ { is_shipped = 0 }
  /^    }/ { if (name != "" && is_shipped) told(); name = "" }
' "$(dirname "$0")/../web/package-lock.json"
