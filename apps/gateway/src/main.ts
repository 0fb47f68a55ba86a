import { runProcess } from '@posthorn/platform';
import { startGateway } from './service.js';

await runProcess((environment) => startGateway({ environment, report: (line) => console.log(line) }));
