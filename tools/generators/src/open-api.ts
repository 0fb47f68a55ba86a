import { routeTable } from '../../../apps/gateway/src/edge/routes/route-table.js';
import { routeControllers } from '../../../apps/gateway/src/gateway.module.js';
import { openApiDocument } from '../../../apps/gateway/src/openapi/document.js';

export const openApi = (): string => JSON.stringify(openApiDocument(routeTable(routeControllers)));
