# The command line of Gatehouse. Build it from the root of the repository:
#   docker build -f infra/docker/cli.Dockerfile -t gatehouse/cli:0.2.0 .
# By tag for a build by hand; a release names the same tag with the digest that it has then.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
# The Debian that NODE_IMAGE is made of: the tool needs node itself, neither npm nor the headers.
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${NODE_IMAGE} AS source
ENV TURBO_TELEMETRY_DISABLED=1
WORKDIR /repo
COPY . .
RUN npx --yes "turbo@$(node -p "require('./package.json').devDependencies.turbo")" prune @gatehouse/cli --docker

# TypeScript to JavaScript, and Node without its symbols, which only debuggers of node itself read.
FROM ${NODE_IMAGE} AS build
ENV TURBO_TELEMETRY_DISABLED=1
RUN apt-get update && apt-get install -y --no-install-recommends binutils && strip --strip-unneeded -o /node /usr/local/bin/node
WORKDIR /repo
COPY --from=source /repo/out/json/ ./
RUN npm ci --ignore-scripts
COPY --from=source /repo/out/full/ /repo/tsconfig.base.json ./
RUN npx turbo run build --filter=@gatehouse/cli \
  && mkdir -p /built/node_modules \
  && cp -r packages/cli/dist packages/cli/package.json /built \
  && cp -r node_modules/yaml /built/node_modules

FROM ${BASE_IMAGE}
ARG VERSION=0.2.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Gatehouse command line" \
      org.opencontainers.image.description="Administers an OAuth 2.0 and OpenID Connect authorization server" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
COPY --from=build /node /usr/local/bin/node
COPY --from=build /built ./
USER 10001:10001
RUN node dist/main.js --version
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["--help"]
