# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What tools/demo and tools/check share: installing what is missing, and choosing how to build. Sourced, not run.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
oldest_meson="1.0.1"
# shellcheck disable=SC2034  # used by the scripts that source this one
build_packages=(g++ gcc ninja-build meson pkg-config cmake libboost-context-dev libfmt-dev libcli11-dev
  nlohmann-json3-dev libcsv-dev libelf-dev libhwloc-dev python3 python3-venv)

say() { printf '%s\n' "$*" >&2; }

die() {
  say "$(basename "$0"): $*"
  exit 1
}

# Those of the named packages that dpkg does not have installed, one a line.
missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
      printf '%s\n' "$package"
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    return 1
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" </dev/null >&2
}

# Installs what is missing of the named packages. Fails, saying what to do, when it cannot.
need_packages() {
  local missing
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "This is neither Debian nor Ubuntu: going on with what is installed. Wanted are the counterparts of:"
    say "  $*"
    return 0
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -eq 0 ] && return 0
  say "Installing: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    die "you are not root and there is no sudo. Ask an administrator to run: apt-get install ${missing[*]}"
  fi
  apt_install "${missing[@]}" && return 0
  say "Trying again with a fresh list of packages."
  as_root apt-get update -q </dev/null >&2 || say "apt-get update failed; going on with the list there is."
  apt_install "${missing[@]}" || die "could not install: ${missing[*]}"
}

version_at_least() { [ "$(printf '%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# Sets `meson` to one that is recent enough: the system's, or PyPI's in a virtual environment under $1.
choose_meson() {
  meson="$(command -v meson || true)"
  if [ -n "$meson" ] && version_at_least "$("$meson" --version)" "$oldest_meson"; then return 0; fi
  say "The system's Meson is older than $oldest_meson: taking one from PyPI."
  meson="$1/meson-venv/bin/meson"
  [ -x "$meson" ] && return 0
  { /usr/bin/python3 -m venv "$1/meson-venv" && "$1/meson-venv/bin/pip" install -q meson; } ||
    die "could not get Meson $oldest_meson or later"
}

# Puts nvcc on the PATH where a toolkit lies in its usual place. Fails where there is none.
find_nvcc() {
  command -v nvcc >/dev/null && return 0
  [ -x /usr/local/cuda/bin/nvcc ] && PATH="/usr/local/cuda/bin:$PATH" && export PATH
}

has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi --list-gpus 2>/dev/null | grep -q GPU; }

# The one architecture to build GPU code for: the machine's own GPU where the toolkit knows it, else $1.
gpu_arch() {
  local capability
  capability="$(has_gpu && nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)" || true
  if [ -n "$capability" ] && nvcc --list-gpu-code | grep -qx "sm_$capability"; then
    [ "$capability" = 90 ] && capability=90a
    printf '%s\n' "$capability"
  else
    printf '%s\n' "$1"
  fi
}

# Configures and builds into folder $1 with the Meson options that follow.
build_into() {
  local folder="$1"
  shift
  if [ -f "$folder/build.ninja" ]; then
    "$meson" configure "$folder" "$@" >&2 || die "Meson could not change the options of $folder"
  else
    "$meson" setup "$folder" "$root" "$@" >&2 || die "Meson could not configure the build"
  fi
  "$meson" compile -C "$folder" >&2 || die "the build failed"
}
