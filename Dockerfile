# idport as an image: docker build -t idport . && docker run --rm -v "$PWD:/data" idport --help
# The receiver of login-time migration alone: docker build --target jit -t idport-jit .
FROM node:22-slim@sha256:83f487e0a63425e5b4d146fb5e5be574bcbe1b7b843d3ebafdd95eaf7767a7e5 AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.js scripts/build.js
COPY scripts/bundle.js scripts/bundle.js
COPY scripts/man-page.ts scripts/man-page.ts
COPY scripts/mapping-schema.ts scripts/mapping-schema.ts
COPY src src
RUN npm run --silent build
# What is left out of a plain install is in the image: buckets, shared stores, directories, metrics.
RUN node -e "const p = require('./package.json'); Object.assign(p.dependencies, p.peerDependencies); delete p.devDependencies; require('fs').writeFileSync('package.json', JSON.stringify(p))" \
  && npm prune --no-audit --no-fund

FROM node:22-slim@sha256:83f487e0a63425e5b4d146fb5e5be574bcbe1b7b843d3ebafdd95eaf7767a7e5 AS idport
ENV NODE_ENV=production
COPY --from=build /build/package.json /app/package.json
COPY --from=build /build/node_modules /app/node_modules
COPY --from=build /build/dist /app/dist
COPY --from=build /build/schema /app/schema
COPY bin /app/bin
COPY fixtures/keycloak/typical/realm.json /app/fixtures/keycloak/typical/realm.json
COPY LICENSE /app/LICENSE
RUN mkdir /data && chown node:node /data
USER node
WORKDIR /data
ENTRYPOINT ["node", "/app/bin/idport.js"]
CMD ["--help"]

# It writes its journal in /data and nothing else, so the root can be read-only.
# A crash writes no core file, which would have passwords in it.
FROM idport AS jit
EXPOSE 9600
ENTRYPOINT ["sh", "-c", "ulimit -c 0 && exec node /app/bin/idport.js jit serve \"$@\"", "jit"]
CMD ["--help"]

# What is built without --target.
FROM idport
