# syntax=docker/dockerfile:1
# The current long-term line of Node; any from 20.19 on will do. By digest, as a tag may be another image tomorrow.
# Newer digests, to write here and into compose.yaml. As it stands this puts them into .env, which comes first:
#   for image in NODE_BUILD_IMAGE=node:24-bookworm NODE_IMAGE=node:24-bookworm-slim \
#       POSTGRES_IMAGE=postgres:18 REDIS_IMAGE=redis:7; do
#     echo "$image@$(docker buildx imagetools inspect "${image#*=}" --format '{{.Manifest.Digest}}')"
#   done >> .env
ARG NODE_BUILD_IMAGE=node:24.18.0-bookworm@sha256:5711a0d445a1af54af9589066c646df387d1831a608226f4cd694fc59e745059
ARG NODE_IMAGE=node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

# The full image: where no prebuilt better-sqlite3 can be had, it is compiled here.
FROM ${NODE_BUILD_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# npm links the libraries into node_modules as the packages that they are.
COPY libs/api-keys/package.json libs/api-keys/
COPY libs/database/package.json libs/database/
COPY libs/deprecation/package.json libs/deprecation/
COPY libs/fast-express/package.json libs/fast-express/
COPY libs/http-errors/package.json libs/http-errors/
COPY libs/idempotency/package.json libs/idempotency/
COPY libs/jobs/package.json libs/jobs/
COPY libs/kernel/package.json libs/kernel/
COPY libs/openapi/package.json libs/openapi/
COPY libs/operations/package.json libs/operations/
COPY libs/rate-limiting/package.json libs/rate-limiting/
COPY libs/web/package.json libs/web/
RUN npm ci
COPY tsconfig.json tsconfig.build.json nest-cli.json .swcrc ./
COPY scripts/can-start.mjs scripts/
COPY scripts/build scripts/build
# The service shows them.
COPY CHANGELOG.md ./
COPY docs/api docs/api
COPY clients/typescript clients/typescript
COPY libs libs
COPY src src
# docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD) names it in the metrics.
ARG COMMIT
# The bundles need no library. The program without a bundle, which can be traced, needs those that are built.
RUN npm run build && npm prune --omit=dev && find libs -mindepth 2 -maxdepth 2 ! -name package.json ! -name dist -exec rm -r {} +

FROM ${NODE_IMAGE}
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/libs libs
COPY --from=build /app/dist dist
# The service writes only below /data, and nothing there when PostgreSQL is used.
RUN mkdir /data && chown node:node /data
VOLUME /data
ENV NODE_ENV=production DATABASE_URL=sqlite:/data/animal-store.db
USER node
EXPOSE 3000
# Checks only that the process is alive, as a restart fixes nothing else. Load balancers use /health/ready.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=40", "--enable-source-maps", "dist/main.js"]
