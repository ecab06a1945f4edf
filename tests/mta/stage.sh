#!/bin/sh
# Builds the stage of one test and plays on it: a root file system of its own in memory. /usr is the machine's own with
# the packages laid over it, /etc a copy, everything else new. So nothing has to be written into directories of the
# machine's root, whom a user namespace does not know. Runs in a private mount, network and process namespace: nothing
# of it is left afterwards.
# Usage: stage.sh CAST SCRATCH CHANCERY DIRECTORIES FOLDERS PROGRAM ARGUMENTS… (lists are divided by colons)
set -eu
cast=$1 scratch=$2 chancery=$3 shown=$4 folders=$5
shift 5
mount -t tmpfs tmpfs "$scratch"
root="$scratch/root"
mkdir "$root"
mount --bind "$root" "$root"
cd "$root"
mkdir -p usr/bin etc dev old proc root run tmp var/lib/chancery var/log var/mail var/spool var/tmp
chmod 1777 tmp var/tmp
ln -s ../run var/run
# What nobody else may read is not wanted here either.
cp -R --preserve=mode,links --no-dereference /etc/. etc 2>/dev/null || true
system=usr
for directory in bin sbin lib lib32 lib64 libx32; do
    if [ -L "/$directory" ]; then
        cp -P "/$directory" "$directory"
        mkdir -p ".$(readlink -f "/$directory")"
    elif [ -d "/$directory" ]; then
        mkdir "$directory"
        system="$system $directory"
    fi
done
(
    IFS=:
    for folder in $folders; do
        for package in "$folder"/*.deb; do
            [ -f "$package" ] || continue
            dpkg --fsys-tarfile "$package" | tar -xp --no-same-owner --keep-directory-symlink
        done
    done
)
# The samples call it by this name.
: >usr/bin/chancery
for directory in $system; do
    mkdir -p "$scratch/packages" "$scratch/upper/$directory" "$scratch/draft/$directory"
    mv "$directory" "$scratch/packages/$directory"
    mkdir "$directory"
    layers="lowerdir=$scratch/packages/$directory:/$directory"
    layers="$layers,upperdir=$scratch/upper/$directory,workdir=$scratch/draft/$directory"
    mount -t overlay overlay -o "$layers,userxattr" "$directory" 2>/dev/null ||
        mount -t overlay overlay -o "$layers" "$directory"
done
mount --bind "$chancery" usr/bin/chancery
mount -t proc proc proc
mount --rbind /dev dev
(
    IFS=:
    for directory in $shown; do
        mkdir -p "$root$directory"
        mount --rbind "$directory" "$root$directory"
    done
)
# Not chroot: who is in one may not make namespaces.
pivot_root . old
cd /
umount -l old
rmdir old
ip link set lo up
[ "$cast" = one ] || exec env CHANCERY_STAGE="$cast" "$@"
# All on the stage belongs to one user without any rights, but the ports below 1024 are free to all.
echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start
exec unshare --user --map-user=42000 --map-group=42000 env CHANCERY_STAGE="$cast" "$@"
