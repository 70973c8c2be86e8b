#!/bin/sh
# Builds a Debian package from the programs in target/release and lists its contents.
#
#   deb.sh [OUT]
set -eu
cd "$(dirname "$0")/.."
out=${1:-dist} becket=target/release/becket
usr=target/deb/usr
rm -rf target/deb
mkdir -p "$usr/lib/systemd/user" "$out"
cp packaging/systemd/becket.service "$usr/lib/systemd/user/"
# Man pages and completions, if the program can generate them.
if "$becket" man --help >/dev/null 2>&1; then mkdir -p "$usr/share/man/man1" && "$becket" man "$usr/share/man/man1"; fi
if "$becket" completions --help >/dev/null 2>&1; then
  mkdir -p "$usr/share/bash-completion/completions" "$usr/share/zsh/vendor-completions" "$usr/share/fish/vendor_completions.d"
  "$becket" completions bash >"$usr/share/bash-completion/completions/becket"
  "$becket" completions zsh >"$usr/share/zsh/vendor-completions/_becket"
  "$becket" completions fish >"$usr/share/fish/vendor_completions.d/becket.fish"
fi
deb=$("$(./scripts/tool.sh cargo-deb)" --quiet --no-build --no-strip --package becket-cli --output "$out/")
echo "$deb"
dpkg-deb --info "$deb"
dpkg-deb --contents "$deb"
