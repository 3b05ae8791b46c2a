#!/bin/sh
# Arguments: name of the primary, role of this Sentinel, state, and host and port of the former and the new primary.
if '@IP@' -oneline address show dev @INTERFACE@ | grep -qF " $6/"; then
  '@IP@' address replace @HOST@/@PREFIX_LENGTH@ dev @INTERFACE@
  '@ANNOUNCER@' arping -q -U -c 1 -w 1 -I @INTERFACE@ @HOST@
else
  '@IP@' address delete @HOST@/@PREFIX_LENGTH@ dev @INTERFACE@ 2>/dev/null
fi
exit 0
