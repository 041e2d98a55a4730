# Sourced by scripts that take programs of Debian 13 as root, whichever Debian this is. Gives `next`, which is apt-get with lists of
# its own, so that the machine's packages stay those of its release. They lie in the folder `lists`, which is removed at the end.
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
chmod 755 "$lists"
mkdir -p "$lists"/{sources,state/partial,cache/archives/partial}
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Component: main' 'Origin: Debian' 'Label: Debian' | head -n 1)
cat >"$lists/sources/next.sources" <<LINES
Types: deb
URIs: $mirror
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
LINES
next() {
  apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$lists/sources" -o Dir::State::lists="$lists/state" \
    -o Dir::Cache="$lists/cache" -o APT::Sandbox::User=root "$@"
}
next update
