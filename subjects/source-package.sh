# What the `prepare.sh` of several subjects have in common: messages, and the upstream tarball of a GNU
# program. To be read in with `.`, by a bash script that has set
#
#   subject    the subject's name, which stands before messages
#   package    the name of Debian's source package
#   version    the upstream version
#   checksum   the sha256 of the upstream tarball, packed with xz
#   suite      a Debian release that carries this version, for when the machine's own does not
#   tarball    a tarball that was given, or nothing
#   variable   the name of the environment variable that gives one
#
# It is not among the inputs that a build depends on: whatever it does, the checksum decides what is built.

say() { printf '%s: %s\n' "$subject" "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# need PROGRAM PACKAGE: stop when the program is not there, and say what to install.
need() {
    command -v "$1" >/dev/null 2>&1 || die "\`$1\` is missing: install the package $2"
}

# private_sources DIR: the machine's apt sources, asking for source packages, into DIR.
private_sources() {
    local file copy mirror signed
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        [[ -r $file ]] || continue
        copy=$1/$(basename "$file")
        case $file in
        *.list) sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" >"$copy" ;;
        *.sources) sed -E 's/^Types:.*/Types: deb-src/I' "$file" >"$copy" ;;
        esac
    done
    # On a Debian of another age, its mirror has our release all the same.
    if grep -qs '^ID=debian' /etc/os-release; then
        mirror=$(grep -hosE 'https?://[^ ]*/debian/?( |$)' "$1"/* | head -n 1 | tr -d ' ' || true)
        signed=/usr/share/keyrings/debian-archive-keyring.gpg
        if [[ -n $mirror && -r $signed ]] && ! grep -qs "$suite" "$1"/*; then
            printf 'deb-src [signed-by=%s] %s %s main\n' "$signed" "$mirror" "$suite" >"$1/grambench.list"
        fi
    fi
}

# complaints LOG: what apt could not fetch, or else its last words.
complaints() {
    grep -E '^[EW]: .*Failed to fetch' "$1" | sort -u | head -n 3 || tail -n 5 "$1"
}

# fetch DIR: the source package's upstream tarball, into DIR/upstream.tar.xz.
fetch() {
    local dir=$1 root=$1/apt given found
    given="give $variable=/path/to/$package-$version.tar.xz"
    need apt-get "apt (or $given)"
    mkdir -p "$root"/{parts,lists/partial,cache/archives/partial}
    private_sources "$root/parts"
    grep -qs deb-src "$root"/parts/* || die "apt has no sources: $given"
    # No hooks of the machine's own, and no other user, who could not write into our folder.
    cat >"$root/conf" <<EOF
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$root/parts";
Dir::State::lists "$root/lists";
Dir::Cache "$root/cache";
EOF
    say "asking apt for the source package of $package $version"
    # A mirror without source packages is no harm as long as another has ours.
    apt-get -q -c "$root/conf" update >"$root/log" 2>&1 || true
    # Without a network it knows no package, and ends with an error.
    found=$({ apt-cache -c "$root/conf" showsrc "$package" 2>>"$root/log" || true; } |
        sed -n "s/^Version: \($version-.*\)/\1/p" | sort -u | head -n 1)
    if [[ -z $found ]]; then
        complaints "$root/log" >&2
        die "apt found no source package of $package $version; without a network, $given"
    fi
    if ! (cd "$dir" && apt-get -q -c "$root/conf" source --download-only --only-source --tar-only \
        "$package=$found" >>"$root/log" 2>&1); then
        complaints "$root/log" >&2
        die "apt could not fetch the source package of $package $version; without a network, $given"
    fi
    mv "$dir/${package}_$version.orig.tar.xz" "$dir/upstream.tar.xz"
}

# unpack DIR: the upstream tarball, fetched or given, and found to be the right one, unpacked in DIR.
unpack() {
    local from found
    if [[ -n $tarball ]]; then
        [[ $tarball == /* ]] || die "$variable must be an absolute path, and is $tarball"
        [[ -f $tarball && -r $tarball ]] || die "cannot read the file $tarball, which $variable names"
        cp "$tarball" "$1/upstream.tar.xz"
        from="$tarball, which $variable names,"
    else
        fetch "$1"
        from="the tarball that apt fetched"
    fi
    found=$(sha256sum <"$1/upstream.tar.xz" | cut -d ' ' -f 1)
    [[ $found == "$checksum" ]] ||
        die "$from is not that of $package $version: its sha256 is $found, not $checksum"
    tar -xJf "$1/upstream.tar.xz" -C "$1" --no-same-owner
}

# quietly LOG COMMAND...: show a command's words only when it fails.
quietly() {
    local log=$1
    shift
    if ! "$@" >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        die "failed: $*"
    fi
}

need cc "gcc (and libc6-dev)"
need make make
need patch patch
need tar tar
need xz xz-utils
need sha256sum coreutils
