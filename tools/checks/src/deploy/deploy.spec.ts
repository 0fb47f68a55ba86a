import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { composeFindings } from './compose.js';
import { dockerfileFindings } from './dockerfile.js';
import { ignorePatterns, readTree, type Tree } from './tree.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');

let tree: Tree;
beforeAll(async () => {
  tree = await readTree(root);
});

/** Every variant is the file as it stands with one change; one that changes nothing would prove nothing. */
function changed(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

describe('docker-compose.yml', () => {
  it('is sound as it stands', () => {
    expect(composeFindings(compose, tree)).toEqual([]);
  });

  it.each([
    ['is no YAML', 'name: posthorn', 'name: [posthorn', /./],
    [
      'has an unknown member',
      'read_only: true',
      'readonly: true',
      /must NOT have additional properties \(readonly\)/,
    ],
    ['has a duration that is none', '630s', '630 s', /stop_grace_period must match pattern/],
    ['has an image without a tag', 'postgres:18', 'postgres', /postgres: image postgres needs a tag/],
    [
      'has an image that moves',
      'axllent/mailpit:v1.31.3',
      'axllent/mailpit:latest',
      /mail-catcher: image .*:latest needs a tag/,
    ],
    [
      'names a Dockerfile that is not there',
      'deploy/Dockerfile',
      'deploy/Containerfile',
      /deploy\/Containerfile is not there/,
    ],
    [
      'names a service that is none',
      'command: [contacts]',
      'command: [contracts]',
      /contacts: command is \[contracts\], not \[contacts\]/,
    ],
    [
      'lacks a service',
      '  analytics:\n',
      '  statistics:\n',
      /analytics is a service of this tree and is missing/,
    ],
    [
      'has a service that is none',
      '  analytics:\n',
      '  statistics:\n',
      /statistics: is no service of this tree/,
    ],
    [
      'gives an unknown variable',
      'PUBLIC_URL: $',
      'PUBLIC_URI: $',
      /gateway: PUBLIC_URI is no variable of it/,
    ],
    [
      'gives one service the variable of another',
      'SMTP_URL: $',
      'TRUSTED_ORIGINS: $',
      /sending: TRUSTED_ORIGINS is no variable of it/,
    ],
    [
      'lacks a required variable',
      '  POSTHORN_SECRET_KEY: $',
      '  # POSTHORN_SECRET_KEY: $',
      /POSTHORN_SECRET_KEY is missing/,
    ],
    [
      'lacks a database',
      '  DATABASE_URL: ',
      '  # DATABASE_URL: ',
      /has no database: DATABASE_URL is missing/,
    ],
    [
      'keeps a setting from its service',
      '      TRUSTED_PROXIES: ${TRUSTED_PROXIES:-}\n',
      '',
      /gateway: TRUSTED_PROXIES of .env does not reach it/,
    ],
    [
      'decides a setting itself',
      'DNS_SERVERS: ${DNS_SERVERS:-}',
      'DNS_SERVERS: 127.0.0.1',
      /sending: DNS_SERVERS of .env does not reach it/,
    ],
    [
      'keeps a setting of every service from all of them',
      '  LOG_FORMAT: ${LOG_FORMAT:-}\n',
      '',
      /analytics: LOG_FORMAT of .env does not reach it/,
    ],
    [
      'gives a value that is refused',
      'ADMIN_PORT: 9090',
      'ADMIN_PORT: ninety',
      /ADMIN_PORT=ninety must be a number/,
    ],
    [
      'leaves a variable empty',
      '${SMTP_URL:-smtp://mail-catcher:1025}',
      '${SMTP_URL}',
      /\$\{SMTP_URL\} may be empty/,
    ],
    [
      'names a host that is none',
      'nats://nats:4222',
      'nats://bus:4222',
      /NATS_URL names bus, which is no service/,
    ],
    [
      'depends on nothing',
      'nats: { condition: service_healthy }',
      'bus: { condition: service_healthy }',
      /depends on bus, which is no service/,
    ],
    [
      'stops before the longest DATA',
      'stop_grace_period: 630s',
      'stop_grace_period: 10m',
      /sending: stop_grace_period 10m is not longer than SMTP_DOT_TIMEOUT/,
    ],
    ['can write to its root', 'read_only: true', 'read_only: false', /gateway: its root can be written to/],
    [
      'publishes a port on all addresses',
      "'127.0.0.1:3000:3000'",
      "'3000:3000'",
      /gateway: publishes 3000:3000 on all addresses, not on 127\.0\.0\.1/,
    ],
    [
      'publishes a port of another image on all addresses',
      "'127.0.0.1:8025:8025'",
      "'0.0.0.0:8025:8025'",
      /mail-catcher: publishes 0\.0\.0\.0:8025:8025 on all addresses/,
    ],
    [
      'publishes its admin port',
      "'127.0.0.1:3000:3000'",
      "'127.0.0.1:9090:9090'",
      /gateway: publishes its admin port 9090/,
    ],
    [
      'publishes a port of nobody',
      "'127.0.0.1:3000:3000'",
      "'127.0.0.1:3000:3001'",
      /gateway: publishes 3001, where nothing listens/,
    ],
    [
      'asks a script that is not there',
      'is-ready.mjs]',
      'ready.mjs]',
      /healthcheck: .* runs no script of deploy/,
    ],
    ['mounts what is not there', "'nats:/data'", "'bus:/data'", /nats: volume bus is not there/],
    [
      'mounts a file that is not there',
      "'nats:/data'",
      "'./nats.conf:/nats.conf'",
      /nats: volume .\/nats.conf is not there/,
    ],
  ])('is refused when it %s', (_, from, to, finding) => {
    expect(composeFindings(changed(compose, from, to), tree)).toContainEqual(expect.stringMatching(finding));
  });

  it('is refused when it waits for a health that nobody checks', () => {
    const without = compose.replace(/ {4}healthcheck:\n {6}test: \[CMD, wget[^]*?retries: 30\n/, '');
    expect(without).not.toBe(compose);
    expect(composeFindings(without, tree)).toContainEqual(
      expect.stringMatching(/waits for nats, which has no healthcheck/),
    );
  });
});

it('.env.example has every setting that docker-compose.yml reads, and only the secrets without a default', () => {
  const example = readFileSync(join(root, '.env.example'), 'utf8');
  const names = new Set([...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!));
  const offered = [...example.matchAll(/^(#?)([A-Z_]+)=/gm)];
  expect(offered.map(([, , name]) => name).sort()).toEqual([...names].sort());
  expect(offered.filter(([, mark]) => mark === '').map(([, , name]) => name)).toEqual([
    'POSTHORN_SECRET_KEY',
    'POSTGRES_PASSWORD',
  ]);
});

describe('the Dockerfile', () => {
  it('is sound as it stands', () => {
    expect(dockerfileFindings(dockerfile, tree)).toEqual([]);
  });

  it.each([
    [
      'begins with an image without a tag',
      'FROM node:24-slim AS build',
      'FROM node AS build',
      /FROM node needs a tag/,
    ],
    [
      'begins with an image that moves',
      'FROM node:24-slim AS build',
      'FROM node:latest AS build',
      /FROM node:latest needs a tag/,
    ],
    ['copies what is not there', 'COPY libs libs', 'COPY library libs', /COPY library: it is not there/],
    [
      'copies what is ignored',
      'COPY libs libs',
      'COPY tools/bench tools/bench',
      /COPY tools\/bench: .dockerignore leaves it out/,
    ],
    ['copies from no stage', '--from=build', '--from=builder', /--from=builder: there is no such stage/],
    [
      'runs a script that is none',
      'npm run build',
      'npm run compile',
      /npm run compile: package.json has no such script/,
    ],
    ['runs as root', 'USER 1000:1000', 'USER root', /USER root: it must be a number/],
    ['runs as the number of root', 'USER 1000:1000', 'USER 0', /USER 0: it must be a number/],
    ['runs as who cannot be known', 'USER 1000:1000', 'USER node', /USER node: it must be a number/],
    ['does not say as whom it runs', 'USER 1000:1000', '', /USER root/],
    [
      'starts through a shell',
      'ENTRYPOINT ["/usr/local/bin/start-service"]',
      'ENTRYPOINT start-service',
      /ENTRYPOINT is not a list/,
    ],
    [
      'starts what was not copied',
      '["/usr/local/bin/start-service"]',
      '["/usr/local/bin/start"]',
      /start is nothing that was copied/,
    ],
    [
      'starts what may not be executed',
      'COPY deploy/start-service.sh',
      'COPY deploy/is-ready.mjs',
      /deploy\/is-ready.mjs may not be executed/,
    ],
    ['names a service that is none', 'CMD ["gateway"]', 'CMD ["doorman"]', /names no service of this tree/],
    [
      'checks its health by nothing',
      'CMD ["node", "/usr/local/bin/is-ready.mjs"]',
      'CMD ["curl", "localhost"]',
      /HEALTHCHECK runs nothing that was copied/,
    ],
    [
      'sets a variable that nobody reads',
      'ADMIN_PORT=9090',
      'ADMIN_PROT=9090',
      /ENV ADMIN_PROT is no variable of any service/,
    ],
    ['adds instead of copying', 'COPY libs libs', 'ADD libs libs', /ADD is no instruction that is used here/],
  ])('is refused when it %s', (_, from, to, finding) => {
    expect(dockerfileFindings(changed(dockerfile, from, to), tree)).toContainEqual(
      expect.stringMatching(finding),
    );
  });
});

it('.dockerignore leaves out whole folders, anywhere where it says so', () => {
  const patterns = ignorePatterns('dist\n# words\napps/e2e\n**/*.spec.ts\n**/testing\n');
  const ignored = (path: string) => patterns.some((pattern) => pattern.test(path));
  expect(
    [
      'dist',
      'dist/x.js',
      'apps/e2e/src/x.ts',
      'libs/mail/src/a.spec.ts',
      'a.spec.ts',
      'apps/x/src/testing/y.ts',
    ].filter(ignored),
  ).toHaveLength(6);
  expect(['distance', 'apps/e2e-more', 'libs/dist', 'a.spec.tsx'].filter(ignored)).toEqual([]);
});
