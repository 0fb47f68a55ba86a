import { provisionServices, runOnce } from '@posthorn/platform';

await runOnce((environment) => provisionServices(environment, (line) => console.log(line)));
