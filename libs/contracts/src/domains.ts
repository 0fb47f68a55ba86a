import { fact, request } from './contract.js';
import { Choice, Flag, Id, Instant, ListOf, Nullable, Text } from './fields.js';

export class SendingDomain {
  @Id() id: string;
  @Text(3, 253) domain: string;
  @Flag() verified: boolean;
  /** Supplies the sender where a send names none. */
  @Text(3, 254) @Nullable() defaultFromAddress: string | null;
  @Instant() createdAt: Date;
}

/** The operator vouches for a domain; lookups by DNS come with the domain routes. The first one becomes the default. */
export class VerifyDomain {
  @Text(3, 253) domain: string;
}

export class ListDomains {}

export class DomainList {
  @ListOf(() => SendingDomain, 0, 100) domains: SendingDomain[];
}

export const domains = {
  list: request('sending.domains.list', ListDomains, DomainList),
  verify: request('sending.domains.verify', VerifyDomain, SendingDomain),
};

export class DomainFact {
  @Id() domainId: string;
  @Text(3, 253) domain: string;
  @Instant() at: Date;
}

export const domainFacts = {
  verified: fact('sending.domain.verified', DomainFact, 'A sending domain was verified.'),
  unverified: fact('sending.domain.unverified', DomainFact, 'A sending domain lost its verification.'),
};

export const streams = ['TRANSACTIONAL', 'MARKETING'] as const;
export type Stream = (typeof streams)[number];

/** An allowance is counted per calendar month (UTC) and category; null lifts it. */
export class SetAllowance {
  @Choice(streams) category: Stream;
  @Text(1, 20, { pattern: /^(\d{1,9}|none)$/, example: '10000' }) monthly: string;
}

export class Allowance {
  @Choice(streams) category: Stream;
  @Text(1, 20) monthly: string;
}

export const allowances = {
  set: request('sending.allowances.set', SetAllowance, Allowance),
};
