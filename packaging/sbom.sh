#!/bin/sh
# Writes the software bill of materials (SBOM) in CycloneDX format, without local paths.
#
#   sbom.sh OUT        needs cargo-cyclonedx (scripts/tool.sh cargo-cyclonedx)
set -eu
cd "$(dirname "$0")/.."
out=${1:-dist} root=$(pwd)
version=$(./packaging/version.sh)
mkdir -p "$out"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
tool=$(./scripts/tool.sh cargo-cyclonedx)
"$tool" cyclonedx --quiet --format json --spec-version 1.5 --override-filename becket.sbom --manifest-path crates/becket-cli/Cargo.toml
# cargo-cyclonedx writes a file next to every manifest; the file of becket-cli includes all other crates.
sed "s|$root/||g; s|file://$root|file://|g" crates/becket-cli/becket.sbom.json |
  WEB=$(./packaging/web-parts.sh | sed 's/$/,/') awk '{ print } /^  "components": \[$/ { print ENVIRON["WEB"] }' >"$out/becket-$version.cdx.json"
grep -q '"pkg:npm/' "$out/becket-$version.cdx.json" || { echo "sbom.sh: the dashboard's libraries are missing" >&2; exit 1; }
find crates lab -name becket.sbom.json -exec rm -f {} +
echo "$out/becket-$version.cdx.json"
