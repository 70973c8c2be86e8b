#!/bin/sh
# The version that this source makes.
set -eu
sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml"
