import { runOnce } from '@posthorn/platform';
import { runCommand } from './run-command.js';

await runOnce(async (environment) => {
  process.exitCode = await runCommand(process.argv.slice(2), {
    environment,
    print: (text) => console.log(text),
    complain: (text) => console.error(text),
  });
});
