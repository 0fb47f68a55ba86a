import { Injectable } from '@nestjs/common';
import {
  domainOfSandbox,
  invalidMember,
  normaliseDomain,
  notAHostName,
  type Region,
} from '@posthorn/contracts';
import { SendingConfig } from '../config.js';
import { mailFromOf } from './checks/domain-records.js';
import { covers, isPublicSuffix, namesIn } from './checks/host-names.js';

/** What this installation says of domains. */
@Injectable()
export class DomainRules {
  private readonly trusted: readonly string[];

  constructor(private readonly config: SendingConfig) {
    this.trusted = namesIn(config.devVerifiedDomains);
  }

  get region(): Region {
    return this.config.region;
  }

  /** As it is stored. */
  nameOf(text: string): string {
    const domain = normaliseDomain(text);
    if (domain === null) throw notAHostName();
    if (isPublicSuffix(domain))
      throw invalidMember(['domain'], 'not_allowed', 'is a public suffix, which nobody owns');
    if (this.isOfSandbox(domain)) throw domainOfSandbox();
    return domain;
  }

  /** A domain speaks for its sub-domains, too: the sandbox's is nobody's, nor is what lies above or below it. */
  isOfSandbox(domain: string): boolean {
    const { sandboxDomain } = this.config;
    return covers(sandboxDomain, domain) || covers(domain, sandboxDomain);
  }

  /** In development: nobody has to prove that it is theirs. */
  isTrusted(domain: string): boolean {
    return this.trusted.some((each) => covers(each, domain));
  }

  mailFromOf(domain: string): string | null {
    return mailFromOf(domain, this.config);
  }
}
