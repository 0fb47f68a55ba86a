import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { leftOut } from './tools/build/long-suites.mjs';

const tier = process.env['POSTHORN_TEST_TIER'] ?? 'all';
const ignored = leftOut[tier];

/** One run for all projects; the tiers are told apart by their file names (docs/testing.md). */
const base = {
  rootDir: '.',
  testEnvironment: 'node',
  transform: {},
  // Jest judges, Node loads.
  runtime: fileURLToPath(new URL('tools/build/native-runtime.mjs', import.meta.url)),
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // Kept between runs: the durations of suites decide their order. Projects do not take it from the whole configuration.
  cacheDirectory: fileURLToPath(new URL('node_modules/.cache/jest', import.meta.url)),
};

export default {
  // Not a check: four suites share two processors, which may be slow ones. Mutants are given up sooner.
  testTimeout: Number(process.env['POSTHORN_TEST_TIMEOUT_MS'] ?? 400_000),
  // Twice as many as there are processors: suites wait for a time that passes, for Postgres and for the product. Each may need
  // a gigabyte and a half, with its product.
  // Long suites start several processes each and kill some: with more of them at once, their time limits pass first.
  maxWorkers: Math.max(
    1,
    Math.min(
      (tier === 'long' ? 1.5 : 2) * availableParallelism(),
      8,
      Math.floor(totalmem() / 1.5 / 1024 ** 3),
    ),
  ),
  testSequencer: fileURLToPath(new URL('tools/build/long-first.mjs', import.meta.url)),
  // Modules stay loaded from suite to suite; a worker that has grown large would spend its time collecting garbage.
  workerIdleMemoryLimit: '800MB',
  projects: [
    {
      ...base,
      displayName: 'pure',
      testMatch: ['<rootDir>/{apps,libs,tools}/**/*.spec.ts'],
      testPathIgnorePatterns: [...ignored, '\\.(db|e2e)\\.spec\\.ts$'],
    },
    {
      ...base,
      displayName: 'db',
      testMatch: ['<rootDir>/{apps,libs,tools}/**/*.db.spec.ts'],
      testPathIgnorePatterns: ignored,
    },
    {
      ...base,
      displayName: 'e2e',
      testMatch: ['<rootDir>/apps/e2e/**/*.e2e.spec.ts'],
      testPathIgnorePatterns: ignored,
    },
  ],
};
