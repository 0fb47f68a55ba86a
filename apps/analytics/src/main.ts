import { runProcess } from '@posthorn/platform';
import { startAnalytics } from './service.js';

await runProcess((environment) => startAnalytics({ environment }));
