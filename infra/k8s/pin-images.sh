#!/bin/sh
# Writes tag and digest of each image into an overlay: what is deployed then is what was built, whatever the tag names later.
#   sh infra/k8s/pin-images.sh infra/k8s/overlays/production \
#     auth-server=ghcr.io/example/gatehouse-auth-server:1.2.3@sha256:… org-api=…
set -eu
file="$1/kustomization.yaml"
shift
for image in "$@"; do
  service=${image%%=*}
  reference=${image#*=}
  digest=${reference##*@}
  tagged=${reference%@*}
  if ! printf '%s' "$reference" | grep -Eq '^[a-z0-9./_:-]+:[A-Za-z0-9._-]+@sha256:[0-9a-f]{64}$'; then
    echo "$service: an image is NAME:TAG@sha256:DIGEST, not $reference" >&2
    exit 1
  fi
  if ! grep -q "^  - name: gatehouse/$service\$" "$file"; then
    echo "$file has no image gatehouse/$service" >&2
    exit 1
  fi
  awk -v name="gatehouse/$service" -v new="${tagged%:*}" -v tag="${tagged##*:}" -v digest="$digest" '
    /^  - name: / { inside = ($3 == name) }
    !/^    / && !/^  - / { inside = 0 }
    inside && /^    (newName|newTag|digest): / { next }
    { print }
    inside && /^  - name: / { printf "    newName: %s\n    newTag: \"%s\"\n    digest: %s\n", new, tag, digest }
  ' "$file" > "$file.pinned"
  mv "$file.pinned" "$file"
done
