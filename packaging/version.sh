#!/bin/sh
# Prints the version of this source tree.
set -eu
sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml"
