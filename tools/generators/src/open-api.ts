import { routeTable } from '../../../apps/gateway/src/routes/route-table.js';
import { routeSources } from '../../../apps/gateway/src/all-routes.js';
import { openApiDocument } from '../../../apps/gateway/src/openapi/document.js';

export const openApi = (): string => JSON.stringify(openApiDocument(routeTable(routeSources)));
