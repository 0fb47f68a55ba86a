// A worker that a test may kill or stop: node worker-process.js <database> <nats> <lease in ms>
import { ScriptedWork, exclusiveWork, scriptedWork } from './scripted.work.js';
import { openWorkProcess } from './work-suite.js';

const [databaseUrl, natsUrl, leaseMs] = process.argv.slice(2);
const worker = await openWorkProcess(databaseUrl!, natsUrl!, { leaseMs: Number(leaseMs) });
for (const kind of [scriptedWork, exclusiveWork]) new ScriptedWork(worker, kind);
worker.start();

const leave = async (): Promise<void> => {
  await worker.stop();
  process.exit(0);
};
process.on('message', () => void leave());
// Whoever started it is gone.
process.on('disconnect', () => process.exit(1));
process.send!('ready');
