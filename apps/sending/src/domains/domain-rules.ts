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

@Injectable()
export class DomainRules {
  private readonly trusted: readonly string[];

  constructor(private readonly config: SendingConfig) {
    this.trusted = namesIn(config.devVerifiedDomains);
  }

  get region(): Region {
    return this.config.region;
  }

  nameOf(text: string): string {
    const domain = normaliseDomain(text);
    if (domain === null) throw notAHostName();
    if (isPublicSuffix(domain))
      throw invalidMember(['domain'], 'not_allowed', 'is a public suffix, which nobody owns');
    if (this.isOfSandbox(domain)) throw domainOfSandbox();
    return domain;
  }

  isOfSandbox(domain: string): boolean {
    const { sandboxDomain } = this.config;
    return covers(sandboxDomain, domain) || covers(domain, sandboxDomain);
  }

  isTrusted(domain: string): boolean {
    return this.trusted.some((each) => covers(each, domain));
  }

  mailFromOf(domain: string): string | null {
    return mailFromOf(domain, this.config);
  }
}
