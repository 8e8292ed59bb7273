# What the drivers of the editors have in common; to be sourced.

# Installs the Debian packages that are missing; what cannot be had is a failure.
need_packages() {
    local missing=() package
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] || missing+=("$package")
    done
    [[ ${#missing[@]} == 0 ]] && return
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Builds the program that editors are given, as $server. QUANTCFG_BINARY names one that is there already.
build_server() {
    server=${QUANTCFG_BINARY:-$root/target/release/quantcfg}
    [[ -n ${QUANTCFG_BINARY:-} ]] || cargo build --release --quiet
    export server
}

# Whether a server outlives its editor: it has two seconds to end.
left_over() {
    local running
    for _ in $(seq 20); do
        running=$(readlink /proc/[0-9]*/exe 2>/dev/null | grep -cxF "$server" || true)
        [[ $running == 0 ]] && return 1
        sleep 0.1
    done
}

# One session of an editor: `begin`, the editor in $work with its lines `ok NAME` and `FAIL NAME` in $log, `judge`.
passed=0
failed=0
begin() {
    work=$(mktemp -d)
    log=$work/log
    touch "$log"
    cp "$root/tests/data/sample/quant.cfg" "$root/tests/data/sample/quant.layers.json" "$work"
    # Nothing of the user's own, and the server's hooks for tests.
    export HOME=$work XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work XDG_STATE_HOME=$work XDG_CACHE_HOME=$work
    export QUANTCFG=$server QUANTCFG_TEST=1
    unset LC_ALL LC_MESSAGES
    # The shell itself complains of a locale that is not installed.
    { export LANG=${locale:-en_US}.UTF-8; } 2>/dev/null
}

# The editor ended with this code, which is not 0.
ended() {
    echo "FAIL the editor ended with $1" >>"$log"
    cat "$work/messages"
}

judge() {
    if left_over; then
        echo 'FAIL the server is still running' >>"$log"
    else
        echo 'ok no process is left over' >>"$log"
    fi
    grep -q '^all checks ran$' "$log" || echo 'FAIL not every check ran' >>"$log"
    cat "$log"
    passed=$((passed + $(grep -c '^ok ' "$log" || true)))
    failed=$((failed + $(grep -c '^FAIL ' "$log" || true)))
    rm -r "$work"
}

summary() {
    echo "$passed passed, $failed failed"
    [[ $failed == 0 ]]
}
