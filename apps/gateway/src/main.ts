import { runProcess } from '@posthorn/platform';
import { startGateway } from './service.js';

await runProcess((environment) => startGateway({ environment, say: (line) => console.log(line) }));
