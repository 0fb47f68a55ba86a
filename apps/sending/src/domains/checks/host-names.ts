import { normaliseDomain } from '@posthorn/contracts';
import { parse } from 'tldts';

/** A key for `co.uk` or `github.io` would sign for everybody beneath it. */
export function isPublicSuffix(domain: string): boolean {
  return parse(domain, { allowPrivateDomains: true, validateHostname: false }).domain === null;
}

/** The registered domain, whose policy counts where a sub-domain has none (RFC 7489 §3.2). */
export const organisationOf = (domain: string): string =>
  parse(domain, { validateHostname: false }).domain ?? domain;

export const covers = (domain: string, host: string): boolean =>
  host === domain || host.endsWith(`.${domain}`);

export function withParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

export const namesIn = (list: string): string[] =>
  list.split(',').flatMap((name) => normaliseDomain(name.trim()) ?? []);
