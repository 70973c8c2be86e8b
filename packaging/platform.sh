#!/bin/sh
# The name of this platform in the names of archives: x86_64-linux, aarch64-darwin.
set -eu
machine=$(uname -m)
[ "$machine" != arm64 ] || machine=aarch64
echo "$machine-$(uname -s | tr '[:upper:]' '[:lower:]')"
