#!/bin/sh
# Checks the dashboard: types, lints and tests of web/, and that what is committed is what is made from it, byte for byte: the
# types of the API, and dist/, which has to be small. Installs the packages of its lock file first, unless they are there.
set -eu
cd "$(dirname "$0")/../web"
leave() {
  echo "the dashboard is not checked: $1" >&2
  [ -z "${BECKET_REQUIRE_BROWSER:-}" ] && exit 0
  exit 1
}
new_enough='const [major, minor] = process.versions.node.split("."); process.exit(major > 20 || (major == 20 && minor >= 19) ? 0 : 1)'
command -v npm >/dev/null 2>&1 || leave "npm is not on the PATH"
node -e "$new_enough" || leave "node $(node --version) is older than 20.19"
installed=node_modules/.lock-of-becket
if ! cmp -s package-lock.json "$installed"; then
  npm ci --silent || leave "npm could not install its packages"
  cp package-lock.json "$installed"
fi
npm run --silent check
made=../target/web
rm -rf "$made" && mkdir -p "$made"
npx --no-install openapi-typescript ../docs/reference/openapi.json -o "$made/schema.d.ts" >/dev/null
cmp src/api/schema.d.ts "$made/schema.d.ts" || { echo "npm run api (in web/) makes src/api/schema.d.ts anew" >&2; exit 1; }
npx --no-install vite build --outDir "$made/dist" --emptyOutDir --logLevel warn
# What a browser loads, made small as the daemon sends it.
most=300000
size=$(gzip -9 -c "$made/dist/app.js" "$made/dist/app.css" | wc -c)
[ "$size" -lt "$most" ] || { echo "the dashboard has $size bytes, made small, and may have $most" >&2; exit 1; }
diff -rq dist "$made/dist" || { echo "npm run build (in web/) makes dist/ anew" >&2; exit 1; }
