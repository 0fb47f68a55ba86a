// Jest judges, Node loads: the `runtime` of jest.config.mjs.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import JestRuntime from 'jest-runtime';
import { sourceMaps, suite } from './native-loading.mjs';

const require = createRequire(import.meta.url);
const Base = JestRuntime.default ?? JestRuntime;
const workerConsole = globalThis.console;

class NativeRuntime extends Base {
  constructor(config, environment, ...others) {
    super(config, environment, ...others);
    globalThis.console = environment.global.console;
  }

  /** Jest's circus keeps the state of one suite in its module: each suite gets its own. */
  requireInternalModule(path) {
    delete require.cache[require.resolve(path)];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    suite.globals = globals;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  getSourceMaps() {
    return sourceMaps;
  }

  teardown() {
    globalThis.console = workerConsole;
    super.teardown();
  }
}

export { NativeRuntime as default };
