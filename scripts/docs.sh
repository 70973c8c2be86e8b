#!/bin/sh
# Builds the documentation into target/book and checks that no page loads anything from another host.
set -eu
cd "$(dirname "$0")/.."
"$(./scripts/tool.sh mdbook)" build
if grep -rnE '<(script|link|img|iframe)[^>]*(src|href)="(https?:)?//|class="playground"' target/book --include='*.html' ||
  grep -rnE 'url\(["'\'']?(https?:)?//|@import' target/book --include='*.css'; then
  echo "docs.sh: a page loads a resource from another host" >&2
  exit 1
fi
echo "target/book/index.html"
