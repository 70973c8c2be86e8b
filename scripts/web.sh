#!/bin/sh
# Checks the dashboard: types, lints and tests of web/, that the committed API types and dist/ match a new build byte for byte,
# and that dist/ stays small. Installs the packages of the lock file first if they are missing.
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
cmp src/api/schema.d.ts "$made/schema.d.ts" || { echo "src/api/schema.d.ts is out of date; run \`npm run api\` in web/" >&2; exit 1; }
npx --no-install vite build --outDir "$made/dist" --emptyOutDir --logLevel warn
# The size that a browser loads, compressed as the daemon sends it.
most=300000
size=$(gzip -9 -c "$made/dist/app.js" "$made/dist/app.css" | wc -c)
[ "$size" -lt "$most" ] || { echo "the compressed dashboard has $size bytes; the limit is $most" >&2; exit 1; }
diff -rq dist "$made/dist" || { echo "dist/ is out of date; run \`npm run build\` in web/" >&2; exit 1; }
