import { runProcess } from '@posthorn/platform';
import { startContacts } from './service.js';

await runProcess((environment) => startContacts({ environment }));
