import { DevServerError, startableServices } from '@posthorn/dev';
import { runProcess, StartError, wantsHelp } from '@posthorn/platform';
import { startPosthorn } from './posthorn.js';
import { readStartOptions, startHelp } from './start-options.js';
import { welcome } from './welcome.js';

const began = performance.now();
const texts = process.argv.slice(2);
if (wantsHelp(texts)) {
  console.log(startHelp());
  process.exit(0);
}

await runProcess(async (environment) => {
  const running = await start(environment).catch((error: unknown) => {
    throw explain(error);
  });
  console.log(welcome(running, (performance.now() - began) / 1_000));
  return {
    failed: running.failed.catch((error: unknown) => Promise.reject(explain(error))),
    stop: async () => {
      console.log('Stopping. Accepted e-mails are kept on disk.');
      await running.stop();
    },
  };
});

async function start(environment: NodeJS.ProcessEnv) {
  const options = readStartOptions(texts, environment, startableServices());
  return startPosthorn(options, environment, (line) => console.log(line));
}

function explain(error: unknown): unknown {
  const { code, port } = error as { code?: string; port?: number };
  if (error instanceof DevServerError) return new StartError(error.message);
  if (code === 'EADDRINUSE')
    return new StartError(
      `port ${port ?? ''} is in use: stop the process that uses it, or set PORT (API) or INBOX_PORT (inbox)`,
    );
  return error;
}
