#!/bin/sh
# Prints the platform name used in archive names: x86_64-linux, aarch64-darwin.
set -eu
machine=$(uname -m)
[ "$machine" != arm64 ] || machine=aarch64
echo "$machine-$(uname -s | tr '[:upper:]' '[:lower:]')"
