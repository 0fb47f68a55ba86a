import { swcOptions } from './tools/build/swc-options.mjs';

/** One run for all projects; the tiers are told apart by their file names (ARCHITECTURE.md, Tests). */
const base = {
  rootDir: '.',
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swcOptions, module: { type: 'es6' } }] },
  moduleNameMapper: {
    '^@posthorn/dev$': '<rootDir>/tools/dev/src/index.ts',
    '^@posthorn/([a-z]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

export default {
  testTimeout: 30_000,
  maxWorkers: 2,
  projects: [
    {
      ...base,
      displayName: 'pure',
      testMatch: ['<rootDir>/{apps,libs,tools}/**/*.spec.ts'],
      testPathIgnorePatterns: ['\\.(db|e2e)\\.spec\\.ts$'],
    },
    {
      ...base,
      displayName: 'db',
      testMatch: ['<rootDir>/{apps,libs,tools}/**/*.db.spec.ts'],
    },
    {
      ...base,
      displayName: 'e2e',
      testMatch: ['<rootDir>/apps/e2e/**/*.e2e.spec.ts'],
    },
  ],
};
