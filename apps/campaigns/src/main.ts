import { runProcess } from '@posthorn/platform';
import { startCampaigns } from './service.js';

await runProcess((environment) => startCampaigns({ environment }));
