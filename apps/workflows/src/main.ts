import { runProcess } from '@posthorn/platform';
import { startWorkflows } from './service.js';

await runProcess((environment) => startWorkflows({ environment }));
