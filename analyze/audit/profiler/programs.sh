# Finds assay's programs from $here, this folder, in the checkout or installed. To be sourced.
# shellcheck shell=sh disable=SC2154
base=$(readlink -f "$here/../../..")
if [ -n "${ASSAY_BUILD:-}" ] && [ -d "$base/$ASSAY_BUILD/libexec/assay" ]; then
    programs=$base/$ASSAY_BUILD/libexec/assay
elif [ -d "$base/build/libexec/assay" ]; then
    programs=$base/build/libexec/assay
else
    programs=$(readlink -f "$base/../../libexec/assay")
fi
# The names of all profilers that a driver knows.
drivers() {
    for driver_file in "$here"/drivers/*.sh; do
        driver_name=$(basename "$driver_file" .sh)
        case $driver_name in
        own) ;;
        assay) printf 'assay-random assay-fixed assay-safepoint ' ;;
        *) printf '%s ' "$driver_name" ;;
        esac
    done
}
