import { runCommand } from './run-command.js';

process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  print: (text) => console.log(text),
  complain: (text) => console.error(text),
});
