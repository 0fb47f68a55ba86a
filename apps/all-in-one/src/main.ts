import { DevServerError } from '@posthorn/dev';
import { ConfigError, runProcess } from '@posthorn/platform';
import { startAllInOne } from './all-in-one.js';
import { welcome } from './welcome.js';

const began = performance.now();

await runProcess(async (environment) => {
  const running = await startAllInOne(environment, (line) => console.log(line)).catch((error: unknown) => {
    throw explain(error);
  });
  console.log(welcome(running, (performance.now() - began) / 1_000));
  return {
    stop: async () => {
      console.log('Stopping: what was accepted stays on disk.');
      await running.stop();
    },
  };
});

/** What a person can mend is said without a stack. */
function explain(error: unknown): unknown {
  if (error instanceof ConfigError || !(error instanceof Error)) return error;
  const { code, port } = error as { code?: string; port?: number };
  if (error instanceof DevServerError) return new ConfigError([error.message]);
  if (code === 'EADDRINUSE')
    return new ConfigError([`port ${port ?? ''} is taken: stop what listens there, or set PORT (the API) or INBOX_PORT (the inbox)`]);
  if (code === 'ECONNREFUSED') return new ConfigError([`a server does not answer (${error.message}): look at DATABASE_URL and NATS_URL`]);
  return error;
}
