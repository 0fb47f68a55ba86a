import type { Column } from '@posthorn/database';

export interface LeasedDelivery {
  projectId: string;
  emailId: string;
  position: number;
  leaseToken: number;
}

export const leasedDeliveryColumns: readonly Column<LeasedDelivery>[] = [
  { column: 'row_index', type: 'int', value: (_, index) => index },
  { column: 'project_id', type: 'uuid', value: ({ projectId }) => projectId },
  { column: 'email_id', type: 'uuid', value: ({ emailId }) => emailId },
  { column: 'position', type: 'smallint', value: ({ position }) => position },
  { column: 'lease_token', type: 'bigint', value: ({ leaseToken }) => leaseToken },
];
