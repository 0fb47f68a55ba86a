import { normaliseDomain } from '@posthorn/contracts';
import { parse } from 'tldts';

/** Nobody owns `co.uk` or `github.io`: whoever could sign for one would sign for everybody beneath it. */
export function isPublicSuffix(domain: string): boolean {
  return parse(domain, { allowPrivateDomains: true, validateHostname: false }).domain === null;
}

/** The name that a registrar sold: where a policy stands when the sub-domain has none (RFC 7489 §3.2). */
export const organisationOf = (domain: string): string =>
  parse(domain, { validateHostname: false }).domain ?? domain;

/** A domain speaks for itself and for what lies beneath it. */
export const covers = (domain: string, host: string): boolean =>
  host === domain || host.endsWith(`.${domain}`);

/** The name and what it lies beneath, itself first; a top-level domain speaks for nobody. */
export function withParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/** Host names from a list with commas; what is none is left out. */
export const namesIn = (list: string): string[] =>
  list.split(',').flatMap((name) => normaliseDomain(name.trim()) ?? []);
