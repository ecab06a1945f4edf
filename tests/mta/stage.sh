#!/bin/sh
# Builds the stage of one test and plays on it: a root file system in memory laid over the machine's own, with the
# packages unpacked into it. Runs in a private mount, network and process namespace: nothing of it is left afterwards.
# Usage: stage.sh SCRATCH CHANCERY DIRECTORIES FOLDERS PROGRAM ARGUMENTS… (lists are divided by colons)
set -eu
scratch=$1 chancery=$2 shown=$3 folders=$4
shift 4
mount -t tmpfs tmpfs "$scratch"
root="$scratch/root"
mkdir "$scratch/up" "$scratch/work" "$root"
layers="lowerdir=/,upperdir=$scratch/up,workdir=$scratch/work"
mount -t overlay overlay -o "$layers,userxattr" "$root" 2>/dev/null || mount -t overlay overlay -o "$layers" "$root"
IFS=:
for folder in $folders; do
    for package in "$folder"/*.deb; do
        [ -f "$package" ] || continue
        dpkg --fsys-tarfile "$package" | tar -xp --keep-directory-symlink -C "$root"
    done
done
mkdir -p "$root/var/lib/chancery"
for place in run tmp var/lib/chancery; do mount -t tmpfs tmpfs "$root/$place"; done
chmod 1777 "$root/tmp"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
for directory in $shown; do
    mkdir -p "$root$directory"
    mount --bind "$directory" "$root$directory"
done
# The samples call it by this name.
: >"$root/usr/bin/chancery"
mount --bind "$chancery" "$root/usr/bin/chancery"
chroot "$root" ip link set lo up
exec chroot "$root" env CHANCERY_STAGE=1 "$@"
