// Loaded before the service (`--import …/dying.worker.js?at=render`): its threads kill the process in the middle of a job.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import workers, { isMainThread, type WorkerOptions } from 'node:worker_threads';

/** Rendering this text in capitals kills the process. */
export const killingText = 'the word that kills';

const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  // The signal takes a moment, during which the thread must not continue.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error('unreachable');
};

function dieAtRender(): void {
  const { toUpperCase } = String.prototype;
  String.prototype.toUpperCase = function (this: string) {
    return String(this) === killingText ? die() : toUpperCase.call(this);
  };
}

/** Between the first and the second signature. */
function dieAtSign(): void {
  const { sign } = crypto;
  let signatures = 0;
  crypto.sign = ((...given: Parameters<typeof sign>) =>
    (signatures += 1) > 1 ? die() : sign(...given)) as typeof sign;
}

/** The threads have no environment, so the step is passed in the URL. */
function followIntoThreads(): void {
  workers.Worker = class extends workers.Worker {
    constructor(module: string | URL, options: WorkerOptions = {}) {
      super(module, { ...options, execArgv: ['--import', import.meta.url] });
    }
  };
}

// A spec that merely imports the constant must not die.
const step = new URL(import.meta.url).searchParams.get('at');
if (step && isMainThread) followIntoThreads();
else if (step === 'render') dieAtRender();
else if (step === 'sign') dieAtSign();
if (step) syncBuiltinESMExports();
