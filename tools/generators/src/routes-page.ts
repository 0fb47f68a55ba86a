import { describeOutside, describeRoutes } from '../../../apps/gateway/src/edge/routes/describe-routes.js';
import { routeTable } from '../../../apps/gateway/src/edge/routes/route-table.js';
import { routeControllers } from '../../../apps/gateway/src/gateway.module.js';

export function routesPage(): string {
  return `# Routes

Every route of the public API, from the declarations in the gateway's controllers: the guard reads the same ones. A secret key
needs the scope; a public key gets in only where the callers name it.

${describeRoutes(routeTable(routeControllers))}
## Outside the dialects

Pages, sign-in, discovery, health and the documents; a test holds this list against what is served.

${describeOutside()}`;
}
