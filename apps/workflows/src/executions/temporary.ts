import { DomainError } from '@posthorn/contracts';

const temporary = new Set<DomainError['kind']>(['unavailable', 'timeout', 'internal', 'rate_limited']);

/** The other service is away, or overloaded. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof DomainError && temporary.has(error.kind);
