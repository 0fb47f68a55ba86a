import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const copied = [
  'eslint.config.mjs',
  'tsconfig.json',
  'tsconfig.base.json',
  'package.json',
  'tools/checks/lint',
  'libs/contracts/src/schema/contract.ts',
  'libs/contracts/src/schema/field.ts',
  'libs/database/src/data-source.ts',
  'libs/mail/src/smtp/retry-schedule.ts',
  'libs/platform/src/admin-server.ts',
  'apps/sending/src/domains/domain.entity.ts',
  'apps/sending/src/data-source.ts',
  'apps/sending/src/service.ts',
];

const longFunction = `export function long(n: number) {\n${'  n += 1;\n'.repeat(62)}  return n;\n}\n`;

/** The rule, where the violation is planted, and the violation. */
const violations: [rule: string, file: string, source: string][] = [
  [
    'boundaries/apps-apart',
    'apps/sending/src/crosses.ts',
    `export { lists } from '../../contacts/src/lists/lists.service.js';`,
  ],
  [
    'boundaries/apps-apart',
    'apps/sending/src/domains/crosses.ts',
    `export const contacts = () => import('../../../contacts/src/service.js');`,
  ],
  [
    'boundaries/apps-apart',
    'apps/sending/src/types.ts',
    `export type Crossing = import('../../contacts/src/service.js').Thing;`,
  ],
  [
    'boundaries/apps-apart',
    'apps/all-in-one/src/past-the-door.ts',
    `export { x } from '../../sending/src/domains/domain.entity.js';`,
  ],
  [
    'boundaries/apps-apart',
    'apps/e2e/src/past-the-door.e2e.spec.ts',
    `import '../../sending/src/data-source.js';`,
  ],
  [
    'boundaries/apps-apart',
    'tools/bench/src/past-the-door.ts',
    `import '../../../apps/sending/src/domains/domain.entity.js';`,
  ],
  ['boundaries/no-circles', 'apps/sending/src/one.ts', `export type { Other } from './other.js';`],
  ['boundaries/no-circles', 'apps/sending/src/other.ts', `export type Other = import('./one.js').One;`],
  ['boundaries/gateway-floors', 'apps/gateway/src/wire/limits.ts', `import '../routes/route.js';`],
  ['boundaries/gateway-floors', 'apps/gateway/src/routes/table.ts', `import '../dialects/v1.js';`],
  [
    'boundaries/gateway-floors',
    'apps/gateway/src/dialects/v2.ts',
    `import '../snippets/snippets.routes.js';`,
  ],
  [
    'boundaries/libs-below-apps',
    'libs/platform/src/crosses.ts',
    `import '../../../apps/sending/src/service.js';`,
  ],
  ['boundaries/tools-outside', 'apps/sending/src/uses-a-tool.ts', `import '@posthorn/dev';`],
  ['boundaries/tools-outside', 'libs/platform/src/uses-a-tool.ts', `import '@posthorn/dev';`],
  [
    'boundaries/contracts-pure',
    'libs/contracts/src/imports-nest.ts',
    `import { Injectable } from '@nestjs/common';\nexport { Injectable };`,
  ],
  [
    'boundaries/contracts-pure',
    'libs/contracts/src/imports-ours.ts',
    `export type { Database } from '@posthorn/database';`,
  ],
  ['boundaries/libs-order', 'libs/database/src/upwards.ts', `import '@posthorn/messaging';`],
  ['boundaries/libs-order', 'libs/mail/src/imports-a-lib.ts', `import '@posthorn/contracts';`],
  ['boundaries/testing-in-tests', 'apps/sending/src/uses-doubles.ts', `import '@posthorn/testing';`],
  ['boundaries/no-deep-imports', 'apps/sending/src/deep.ts', `import '@posthorn/database/src/page.js';`],
  [
    'boundaries/no-deep-imports',
    'apps/sending/src/around.ts',
    `import '../../../libs/database/src/tables/page.js';`,
  ],
  ['boundaries/no-deep-imports', 'libs/messaging/src/around.ts', `import '../../database/src/page.js';`],
  [
    'boundaries/http-in-gateway',
    'apps/sending/src/listens.ts',
    `import { createServer } from 'node:http';\nexport { createServer };`,
  ],
  [
    'boundaries/http-in-gateway',
    'apps/sending/src/fastens.ts',
    `export type { FastifyInstance } from 'fastify';`,
  ],
  [
    'boundaries/http-in-gateway',
    'libs/platform/src/fetches.ts',
    `export const fetch = async () => await import('undici');`,
  ],
  ['boundaries/http-in-gateway', 'apps/sending/src/adapts.ts', `import '@nestjs/platform-fastify';`],
  [
    'boundaries/typeorm-rooms',
    'apps/sending/src/domains/domains.service.ts',
    `import { Repository } from 'typeorm';\nexport { Repository };`,
  ],
  [
    'boundaries/typeorm-rooms',
    'libs/messaging/src/queries.ts',
    `export type { EntityManager } from 'typeorm';`,
  ],
  ['boundaries/typeorm-rooms', 'apps/gateway/src/injects.ts', `import '@nestjs/typeorm';`],
  [
    'boundaries/no-http-exceptions',
    'apps/gateway/src/throws.ts',
    `import { NotFoundException } from '@nestjs/common';\nexport { NotFoundException };`,
  ],
  [
    'boundaries/no-http-exceptions',
    'apps/sending/src/throws.ts',
    `import * as nest from '@nestjs/common';\nexport { nest };`,
  ],
  [
    'boundaries/evaluators-apart',
    'apps/contacts/src/segments/compiling/borrows.ts',
    `export { readInstant } from '../matching/instant-text.js';`,
  ],
  [
    'boundaries/evaluators-apart',
    'apps/contacts/src/segments/matching/reaches-out.ts',
    `import type { Place } from '../parsing/faults.js';\nexport type Where = Place;`,
  ],
  [
    'boundaries/evaluators-apart',
    'apps/contacts/src/segments/matching/shares.ts',
    `import { msOfUnit } from '@posthorn/contracts';\nexport { msOfUnit };`,
  ],
  [
    'boundaries/evaluators-apart',
    'apps/contacts/src/segments/compiling/packages.ts',
    `import 'node:buffer';`,
  ],
  ['max-lines', 'apps/sending/src/long-file.ts', 'export {};\n'.repeat(401)],
  ['max-lines-per-function', 'apps/sending/src/long-function.ts', longFunction],
  [
    '@typescript-eslint/no-floating-promises',
    'apps/sending/src/floats.ts',
    `const work = async () => 1;\nexport const start = () => {\n  work();\n};`,
  ],
  [
    '@typescript-eslint/no-explicit-any',
    'apps/sending/src/anything.ts',
    `export const anything = (value: any) => String(value);`,
  ],
  [
    '@typescript-eslint/ban-ts-comment',
    'apps/sending/src/ignores.ts',
    `// @ts-ignore\nexport const ignored = 1;`,
  ],
  [
    'no-restricted-syntax',
    'apps/sending/src/only.spec.ts',
    `import { test } from '@jest/globals';\ntest.only('alone', () => undefined);`,
  ],
  [
    'no-restricted-syntax',
    'apps/sending/src/skip.spec.ts',
    `import { describe } from '@jest/globals';\ndescribe.skip('left out', () => undefined);`,
  ],
  ['no-restricted-syntax', 'apps/sending/src/default.ts', `export default 1;`],
  ['no-restricted-syntax', 'apps/sending/src/names.ts', `export class ListManager {}`],
  [
    'no-restricted-syntax',
    'apps/gateway/src/catches.controller.ts',
    `export function read() {\n  try {\n    return 1;\n  } finally {\n    void 0;\n  }\n}`,
  ],
];

/** What the walls let through. */
const allowed: [file: string, source: string][] = [
  ['apps/all-in-one/src/main.ts', `import '../../sending/src/service.js';\nimport '@posthorn/dev';`],
  [
    'apps/contacts/src/segments/matching/verdict.ts',
    `import type { Condition } from '@posthorn/contracts';\nimport './other.js';\nexport type Tree = Condition;`,
  ],
  [
    'apps/e2e/src/send.e2e.spec.ts',
    `import '../../sending/src/service.js';\nimport '@posthorn/testing';\nimport 'node:http';`,
  ],
  ['apps/gateway/src/wire/fastify.ts', `import 'fastify';\nimport 'node:http';`],
  ['apps/gateway/src/pipeline/answers.ts', `import '../dialects/v1.js';\nimport '../identity/guard.js';`],
  ['apps/sending/src/domains/domains.repository.ts', `import 'typeorm';\nimport '@posthorn/database';`],
  ['apps/sending/src/migrations/1-create.ts', `import 'typeorm';`],
  ['apps/sending/src/testing/suite.ts', `import '@posthorn/testing';`],
  ['libs/messaging/src/outbox/outbox.entity.ts', `import 'typeorm';\nimport '@posthorn/contracts';`],
  ['libs/outbound/src/outbound-client.ts', `import 'undici';`],
  ['libs/mail/src/pool.spec.ts', `import '../../testing/src/smtp-sink/smtp-sink.js';`],
  [
    'tools/bench/src/main.ts',
    `import '../../../apps/sending/src/service.js';\nimport 'undici';\nimport '@posthorn/mail';`,
  ],
];

interface LintedFile {
  filePath: string;
  messages: { ruleId: string | null; message: string; line: number }[];
}

describe('the walls of the house', () => {
  const copy = mkdtempSync(join(tmpdir(), 'posthorn-walls-'));
  let clean: LintedFile[];
  let planted: LintedFile[];

  beforeAll(async () => {
    for (const file of copied) cpSync(join(root, file), join(copy, file), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const [file, source] of allowed) plant(file, source);
    clean = await lint();
    for (const [, file, source] of violations) plant(file, source);
    planted = await lint();
  });

  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it('let a clean copy pass', () => {
    expect(clean.length).toBeGreaterThan(allowed.length);
    expect(clean.filter(({ messages }) => messages.length > 0)).toEqual([]);
  });

  it.each(violations)('%s refuses %s', (rule, file) => {
    const found = planted.find(({ filePath }) => filePath === join(copy, file));
    expect(found?.messages.map(({ ruleId }) => ruleId)).toEqual([rule]);
  });

  it('refuse nothing beside what was planted', () => {
    const refused = planted.filter(({ messages }) => messages.length > 0).map(({ filePath }) => filePath);
    expect(refused.sort()).toEqual(violations.map(([, file]) => join(copy, file)).sort());
  });

  function plant(file: string, source: string): void {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), `${source}\n`);
  }

  function lint(): Promise<LintedFile[]> {
    const eslint = join(copy, 'node_modules/eslint/bin/eslint.js');
    return new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        [eslint, '--format', 'json', '.'],
        { cwd: copy, maxBuffer: 64 << 20 },
        (_, out, errors) => {
          try {
            resolve(JSON.parse(out) as LintedFile[]);
          } catch {
            reject(new Error(`eslint said: ${out}${errors}`));
          }
        },
      );
    });
  }
});
