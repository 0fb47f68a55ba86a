import type { ProjectDetails } from '@posthorn/contracts';
import type { ProjectRow } from './project.entity.js';

export function projectDetails(row: ProjectRow, sandboxDomain: string): ProjectDetails {
  const { id, name, disabled, disabledReason, sandboxHandle, region } = row;
  const { tracking, language, timeZone, postalAddress, frequencyCap, createdAt, updatedAt } = row;
  return {
    ...{
      id,
      name,
      disabled,
      disabledReason,
      sandboxHandle,
      region,
      tracking,
      language,
      timeZone,
      postalAddress,
      frequencyCap,
      createdAt,
      updatedAt,
    },
    sandboxAddress: row.sandboxAddress(sandboxDomain),
    providerRegion: region,
    ...unbilled,
  };
}

const unbilled = {
  paymentCustomerId: null,
  paymentSubscriptionId: null,
  billingLimitWorkflows: null,
  billingLimitCampaigns: null,
  billingLimitTransactional: null,
  billingLimitInbound: null,
  organizationId: null,
} as const;
