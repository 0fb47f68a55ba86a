import { beforeAll, describe, expect, it } from '@jest/globals';
import { busUsers } from '@posthorn/contracts';
import { composeFindings } from './compose.js';
import { readTree, type Tree } from './tree.js';
import { changed, readDeployed, root } from '../testing/deployment.js';

const compose = readDeployed('docker-compose.yml');

let tree: Tree;
beforeAll(async () => {
  tree = await readTree(root);
});

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
      '      <<: *environment\n      ANALYTICS_DATABASE_URL: ',
      '      <<: *environment\n      # ANALYTICS_DATABASE_URL: ',
      /analytics: has no database: ANALYTICS_DATABASE_URL is missing/,
    ],
    [
      'gives a service the account that creates databases',
      '    command: [analytics]\n    environment:\n      <<: *environment\n',
      '    command: [analytics]\n    environment:\n      <<: *environment\n      DATABASE_URL: ${DATABASE_URL:-postgres://posthorn:x@postgres/postgres}\n',
      /analytics: DATABASE_URL is the account that creates databases/,
    ],
    [
      'gives a service the NATS user of another',
      'nats://analytics:${ANALYTICS_PASSWORD',
      'nats://sending:${ANALYTICS_PASSWORD',
      /analytics: NATS_URL names another user than its own/,
    ],
    [
      'lets an image of others into a second network',
      '    networks: [mail]\n',
      '    networks: [mail, bus]\n',
      /mail-catcher: joins mail and bus/,
    ],
    [
      'names no network',
      "    volumes: ['postgres:/var/lib/postgresql']\n    networks: [data]\n",
      "    volumes: ['postgres:/var/lib/postgresql']\n",
      /postgres: is in the network of everybody/,
    ],
    [
      'names a network that is not there',
      '    networks: [mail]\n',
      '    networks: [post]\n',
      /mail-catcher: network post is not there/,
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
      '{ANALYTICS_PASSWORD:?set it in .env}@nats:4222',
      '{ANALYTICS_PASSWORD:?set it in .env}@bus:4222',
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
      './deploy/nats.conf:',
      './deploy/nats-server.conf:',
      /nats: volume .\/deploy\/nats-server.conf is not there/,
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
  const example = readDeployed('.env.example');
  const names = new Set([...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!));
  const offered = [...example.matchAll(/^(#?)([A-Z_]+)=/gm)];
  expect(offered.map(([, , name]) => name).sort()).toEqual([...names].sort());
  expect(offered.filter(([, mark]) => mark === '').map(([, , name]) => name)).toEqual([
    'POSTHORN_SECRET_KEY',
    'POSTGRES_PASSWORD',
    ...busUsers.map((user) => `${user.toUpperCase()}_PASSWORD`),
  ]);
});
