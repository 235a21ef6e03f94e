# Functions of the launchers: ./blobmark, which starts from sources, and bin/blobmark of a release. Read by sh, after real_path.

say() { printf 'blobmark: %s\n' "$*" >&2; }
fail() { say "$@"; exit 1; }

# find_java: sets $java to that of JAVA_HOME or PATH, if it is new enough
find_java() {
    if [ -n "${JAVA_HOME:-}" ]; then
        java=$JAVA_HOME/bin/java
        [ -x "$java" ] || fail "JAVA_HOME is $JAVA_HOME, which has no bin/java: set it to a JDK 17 or newer, or unset it"
    else
        java=$(command -v java) || fail "java is not on PATH: install a JDK 17 or newer, or set JAVA_HOME to one"
    fi
    real_path "$java"
    version=
    if [ -r "${path%/bin/java}/release" ]; then # faster than starting a JVM
        while read -r line; do
            case $line in JAVA_VERSION=*) version=${line#*\"} version=${version%%\"*} ;; esac
        done <"${path%/bin/java}/release"
    else
        version=$("$java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p')
    fi
    major=${version%%[!0-9]*}
    [ "${major:-0}" -ge 17 ] ||
        fail "$java is Java ${version:-of an unknown version}, Blobmark needs 17 or newer: set JAVA_HOME to such a JDK"
}

# is_fleet ARGUMENT…: whether processes of this command run on the hosts of a cluster
is_fleet() {
    for argument; do
        case $argument in --on | --on=*) return 0 ;; esac
    done
    return 1
}

# start_jvm CLASSPATH ARGUMENT…: replaces this shell; names $commit and $spark, if they are set
start_jvm() {
    classpath=$1
    shift

    # Libraries unpack their native parts into Blobmark's own directory, on the file system that also has the programs of its
    # servers. The next start removes what a killed process has left there. Blobmark refuses it if others may write there.
    tmp=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    if [ -n "$tmp" ]; then
        case $tmp in /*) ;; *) tmp=$PWD/$tmp ;; esac
        tmp=$tmp/blobmark/tmp
        (umask 077 && mkdir -p "$tmp") 2>/dev/null && [ -w "$tmp" ] || tmp=
    fi
    # Without a cache, not in /tmp itself: there, others know the names of some files of libraries before they are made.
    if [ -z "$tmp" ]; then
        tmp=${TMPDIR:-/tmp}/blobmark-$(id -u)
        [ -d "$tmp" ] || mkdir -m 700 "$tmp" 2>/dev/null ||
            fail "$tmp cannot be made, for temporary files: set XDG_CACHE_HOME to a directory of yours that can be written to"
    fi

    # The serial collector leaves the processors to the engine, which is another process.
    # The charset is the default of JDK 18 and newer; before, it depends on the locale, and C loses characters of tables.
    # Without performance counters, because a killed JVM leaves their file in /tmp.
    # A report takes a few seconds, too short for the optimizing compiler to pay off: without it, --charts takes a third less,
    # and --help 0.3 s of CPU time, not 0.45 s.
    case ${1:-} in report | list | show | help | version | generate-completion | -*) jit=-XX:TieredStopAtLevel=1 ;; *) jit= ;; esac
    # What others do on this machine goes first. The heap begins small: a sixty-fourth of the memory would be filled first.
    heap=
    case ${1:-} in reencode)
        renice -n 19 -p $$ >/dev/null 2>&1 || :
        heap="-Xms96m -Xmn64m -XX:SurvivorRatio=2" ;;
    esac
    exec "$java" --enable-native-access=ALL-UNNAMED -Dfile.encoding=UTF-8 -Xmx1g -XX:+UseSerialGC -XX:-UsePerfData \
        ${jit:+"$jit"} $heap ${tmp:+"-Djava.io.tmpdir=$tmp"} ${commit:+"-Dblobmark.commit=$commit"} \
        ${spark:+"-Dblobmark.spark.classpath=$spark"} ${BLOBMARK_OPTS:-} \
        -cp "$classpath" dev.blobmark.cli.Main "$@"
}
