import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { WorkQueue } from '@posthorn/work';
import { DnsLookup } from './checks/dns-lookup.js';
import { DomainChecks, DomainChecksWork, RequestedChecks } from './checks/domain-checks.js';
import { DomainFindings } from './checks/domain-findings.js';
import { DkimKeys } from './dkim/dkim-keys.js';
import { DkimKeysRepository } from './dkim/dkim-keys.repository.js';
import { DomainDeletionService, DomainsService, CampaignSenders } from './domains.service.js';
import { DomainRules } from './domain-rules.js';
import { DomainViews } from './domain-views.js';
import { DomainsRepository } from './domains.repository.js';
import { SenderDirectory } from './senders/sender-directory.js';
import { SenderIdentities } from './senders/sender-identities.js';
import { VerifiedDomains } from './senders/verified-domains.js';

@Module({
  providers: [
    ...onDatabase([DomainsRepository], WorkQueue),
    ...onDatabase([DkimKeysRepository]),
    CampaignSenders,
    DkimKeys,
    DnsLookup,
    DomainChecks,
    DomainChecksWork,
    DomainDeletionService,
    DomainFindings,
    DomainRules,
    DomainsService,
    DomainViews,
    RequestedChecks,
    SenderDirectory,
    SenderIdentities,
    VerifiedDomains,
  ],
  exports: [DnsLookup, DomainsRepository, SenderDirectory, SenderIdentities],
})
export class DomainsModule {}
