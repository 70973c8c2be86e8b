# Stands in for npm in the tests of the installer: `npm install <options> <package>@<version>`,
# run in the folder to install into. What it does follows from the package's name.
for package in "$@"; do :; done
name=${package%@*}
version=${package##*@}
echo "$package" >> ../npm-calls

case $name in
broken)
  printf 'no network today:\nhttps://packages.invalid/broken did not answer\n' >&2
  exit 1
  ;;
hanging)
  sleep 600
  ;;
flaky)
  if [ "$(wc -l < ../npm-calls)" -lt 2 ]; then
    echo "try again" >&2
    exit 1
  fi
  ;;
wrong-version)
  version=0.0.1
  ;;
needs-runtime)
  command -v tool > /dev/null || exit 1
  ;;
esac

mkdir -p node_modules/.bin "node_modules/$name"
printf '{"version": "%s"}\n' "$version" > "node_modules/$name/package.json"
printf '#!/bin/sh\necho "tool %s"\n' "$version" > node_modules/.bin/tool
chmod +x node_modules/.bin/tool
