import { runProcess } from '@posthorn/platform';
import { startSending } from './service.js';

await runProcess((environment) => startSending({ environment }));
