import type { ServiceName } from '@posthorn/contracts';
import * as analytics from '../../../../apps/analytics/src/data-source.js';
import * as campaigns from '../../../../apps/campaigns/src/data-source.js';
import * as contacts from '../../../../apps/contacts/src/data-source.js';
import * as gateway from '../../../../apps/gateway/src/data-source.js';
import * as sending from '../../../../apps/sending/src/data-source.js';
import * as workflows from '../../../../apps/workflows/src/data-source.js';

type Schema = Pick<typeof sending, 'migrations'>;

export const serviceSchemas: Readonly<Record<ServiceName, Schema>> = {
  gateway,
  contacts,
  sending,
  campaigns,
  workflows,
  analytics,
};
