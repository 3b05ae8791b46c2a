#!/bin/sh
# The first process of the namespaces, in the volume's folder. $1: how many bricks; $2: the address of the servers.
set -e
folder=$PWD
mount -t proc proc /proc
# The copies of the machine's mounts would keep disks busy that others unmount, so it drops those that it can do without.
awk '{ print $5 }' /proc/self/mountinfo | sort -r | while read -r point; do
  case $point/ in
    / | // | /proc/* | /sys/* | /dev/* | /usr/* | /etc/* | /bin/* | /lib*) continue ;;
  esac
  case $folder/ in
    "$point"/*) continue ;;
  esac
  umount -l "$point" 2>/dev/null || true
done
for path in /var/lib/glusterd /var/log/glusterfs; do
  mkdir -p "$path" "state$path"
  mount --bind "state$path" "$path"
done
# A folder in /run would be hidden by the new /run, and the bricks would be in memory: it stops then.
mount -t tmpfs tmpfs /run
test -d "$folder/mounted"
ip link set lo up
ip address add "$2/32" dev lo
glusterd
bricks=
for number in $(seq "$1"); do
  mkdir "$folder/brick-$number"
  bricks="$bricks $2:$folder/brick-$number"
done
gluster --mode=script volume create data replica "$1" $bricks force
gluster --mode=script volume start data
: >ready
exec sleep infinity
