#!/usr/bin/env bash
# Builds the wheel and tests it in fresh environments where there is no source tree.
#
# Usage: tools/wheel.bash PYTHON, where PYTHON has what the lock names. NEWER_PYTHON may name another
# interpreter to test with; otherwise the newest one that is found is taken.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
unset PYTHONPATH PYTHONHOME
builder=$root/$1
newest_minor=14 # the newest Python that the locked versions have wheels for

say() { printf '\n== %s\n' "$*"; }

is_newer() { # is this an interpreter that runs, newer than the builder's, and not too new?
    "$1" - "$base_minor" "$newest_minor" <<<'import ensurepip, ssl, sys, venv
sys.exit(not int(sys.argv[1]) < sys.version_info.minor <= int(sys.argv[2]))' >/dev/null 2>&1
}

newer_python() { # on the path, or else among those that pyenv keeps
    local minor version
    if [[ -n ${NEWER_PYTHON:-} ]]; then
        echo "$NEWER_PYTHON"
        return
    fi
    for ((minor = newest_minor; minor > base_minor; minor--)); do
        if is_newer "python3.$minor"; then
            echo "python3.$minor"
            return
        fi
    done
    command -v pyenv >/dev/null || return 0
    for version in $(pyenv versions --bare --skip-aliases | grep -E '^3\.[0-9]+\.[0-9]+$' | sort -rV); do
        if is_newer "$(pyenv prefix "$version")/bin/python"; then
            echo "$(pyenv prefix "$version")/bin/python"
            return
        fi
    done
}

group() { # the requirements of one dependency group, a line each
    "$builder" -c 'import sys, tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"][sys.argv[1]], sep="\n")' "$1"
}

try_wheel() { # in an environment of this interpreter
    local environment=$outside/environment python
    rm -rf "$environment"
    "$1" -m venv "$environment"
    python=$environment/bin/python
    local install=("$python" -m pip --disable-pip-version-check install -qq --constraint "$outside/constraints.txt")

    say "$("$python" --version): the wheel alone"
    "${install[@]}" "$wheel"
    "$python" -I "$root/tools/smoke.py" --without-extras

    say "$("$python" --version): the wheel with its extras"
    "${install[@]}" "$wheel[all]"
    "$python" -m pip check
    "$python" -I "$root/tools/smoke.py"
    "$environment/bin/slatewise" demo --help >/dev/null

    say "$("$python" --version): the tests against the wheel"
    "${install[@]}" --requirement "$outside/test.txt"
    (cd "$outside/tree" && "$python" -m pytest -n 2 --dist loadfile -m 'not slow' -p no:cacheprovider)
}

base_minor=$("$builder" -c 'import sys; print(sys.version_info.minor)')
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT

say "building"
rm -rf dist
"$builder" -m build --no-isolation --outdir dist . | tail -n 1
wheel=$(echo "$root"/dist/*.whl)

# The versions of the lock, without its hashes: pip would ask for one of the wheel, too.
grep -oE '^[a-z0-9._-]+==[^\\]+' requirements.lock >"$outside/constraints.txt"
group test >"$outside/test.txt"
mkdir "$outside/tree"
for part in pyproject.toml conftest.py tests README.md CHANGELOG.md docs benchmarks; do
    if [[ -e $part ]]; then cp -r "$part" "$outside/tree"; fi
done

cd "$outside"
try_wheel "$builder"
newer=$(newer_python)
if [[ -n $newer ]]; then
    try_wheel "$newer"
else
    say "THE WHEEL WAS NOT TESTED ON A PYTHON NEWER THAN 3.$base_minor: NONE WAS FOUND (NEWER_PYTHON=... NAMES ONE)"
fi
