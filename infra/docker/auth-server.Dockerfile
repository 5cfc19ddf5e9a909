# The authorization server of Gatehouse. Build it from the root of the repository:
#   docker build -f infra/docker/auth-server.Dockerfile -t gatehouse/auth-server:0.2.0 .
# By tag for a build by hand; a release names the same tag with the digest that it has then.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
# The Debian that NODE_IMAGE is made of: the service needs node itself, neither npm nor the headers.
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

# What this service is made of, and its part of the lock file.
FROM ${NODE_IMAGE} AS source
ENV TURBO_TELEMETRY_DISABLED=1
WORKDIR /repo
COPY . .
RUN npx --yes "turbo@$(node -p "require('./package.json').devDependencies.turbo")" prune @gatehouse/auth-server --docker

# TypeScript to JavaScript, bundled with all but what the bundler leaves in node_modules; and the files of the console.
FROM ${NODE_IMAGE} AS build
ENV TURBO_TELEMETRY_DISABLED=1
WORKDIR /repo
COPY --from=source /repo/out/json/ ./
RUN npm ci --ignore-scripts
COPY --from=source /repo/out/full/ /repo/tsconfig.base.json ./
# The console shows their code.
COPY --from=source /repo/docs/guides ./docs/guides
COPY --from=source /repo/docs/protect-your-api ./docs/protect-your-api
COPY --from=source /repo/examples ./examples
RUN npx turbo run build --filter=@gatehouse/auth-server... \
  && mkdir /built \
  && find apps -path '*/dist/*' \( -name '*.js' -o -name '*.LEGAL.txt' -o -path '*/dist/console/*' \) -type f ! -path '*/node_modules/*' \
    -exec cp --parents -t /built '{}' +

# Production dependencies. No install script runs: each native addon brings its binaries.
FROM ${NODE_IMAGE} AS dependencies
RUN apt-get update && apt-get install -y --no-install-recommends binutils
WORKDIR /repo
COPY --from=source /repo/out/json/ ./
RUN npm ci --omit=dev --ignore-scripts --workspace @gatehouse/auth-server
# What no running service reads: SQLite's sources and its binaries for other systems, TypeORM for browsers, declarations,
# source maps, tests and documents of packages, and this repository's own packages, which are in the bundle. The others that
# are in it stay, with their licences, where scanners look for what an image is made of. Node without its symbols, which
# only debuggers of node itself read.
RUN cd node_modules \
  && rm -rf better-sqlite3/deps better-sqlite3/src typeorm/browser @gatehouse ../packages ../package-lock.json \
  && find better-sqlite3/prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete \
  && find . -maxdepth 3 -type d \( -name test -o -name tests -o -name docs -o -name benchmark -o -name benchmarks \
    -o -name examples -o -name .github \) -prune -exec rm -rf '{}' + \
  && find . -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.md' \) \
    ! -iname 'licen[cs]e*' -delete \
  && strip --strip-unneeded -o /node /usr/local/bin/node

FROM ${BASE_IMAGE}
ARG VERSION=0.2.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Gatehouse auth-server" \
      org.opencontainers.image.description="OAuth 2.0 and OpenID Connect authorization server" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
# One heap for all of node's threads: glibc's one for each holds 13 MB more at rest.
ENV MALLOC_ARENA_MAX=1
# `docker run` with nothing but a port is a trial; with any setting the service is in production: README.md, Configuration.
ENV TRIAL_WITHOUT_SETTINGS=true HOST=0.0.0.0 PORT=9000
WORKDIR /app
COPY --from=dependencies /node /usr/local/bin/node
COPY --from=dependencies /repo ./
COPY --from=build /built ./
# For a volume, where a trial on SQLite keeps its data; nothing else is ever written.
RUN mkdir .data && chown 10001:10001 .data
USER 10001:10001
# No image without a module that it needs: the service gets as far as its configuration, which is wrong here.
RUN PORT=none node apps/auth-server/dist/main.js 2>&1 | grep '^configuration: ' && test -f apps/auth-server/dist/console/manifest.json && node -e "require('better-sqlite3')(':memory:')"
EXPOSE 9000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/health/live').then(r=>process.exit(+!r.ok),()=>process.exit(1))"]
# node is process 1 and handles SIGTERM itself. Migrations: node apps/auth-server/dist/migrate.js
CMD ["node", "apps/auth-server/dist/main.js"]
