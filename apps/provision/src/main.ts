import { provisionServices, readConfig, runOnce } from '@posthorn/platform';
import { ProvisionConfig } from './config.js';

await runOnce((environment) =>
  provisionServices(readConfig(ProvisionConfig, environment), environment, (line) => console.log(line)),
);
