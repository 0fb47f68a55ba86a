import { describeOutside, describeRoutes } from '../../../apps/gateway/src/edge/routes/describe-routes.js';
import { routeTable } from '../../../apps/gateway/src/edge/routes/route-table.js';
import { routeControllers } from '../../../apps/gateway/src/gateway.module.js';

export function routesPage(): string {
  return `# Routes

Every route of the public API, generated from the declarations in the gateway's controllers, which the guard enforces. A secret
key needs the scope; a public key is admitted only where PUBLIC is listed among the callers.

${describeRoutes(routeTable(routeControllers))}
## Outside the dialects

Pages, sign-in, discovery, health and the API documents. A test compares this list with what is served.

${describeOutside()}`;
}
