import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The library names of tsconfig.base.json, as swc wants them: one place says where `@posthorn/x` lies. */
export const { paths } = JSON.parse(
  readFileSync(resolve(root, 'tsconfig.base.json'), 'utf8'),
).compilerOptions;

/** One compiler configuration for the build and for the tests, so that what is tested is what runs. */
export const swcOptions = {
  sourceMaps: true,
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
};

export const buildOptions = {
  ...swcOptions,
  swcrc: false,
  module: { type: 'es6', resolveFully: true },
  jsc: { ...swcOptions.jsc, baseUrl: root, paths },
};
