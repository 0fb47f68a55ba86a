import { DomainError } from '@posthorn/contracts';

export function insideVariant(error: unknown, index: number): unknown {
  if (!(error instanceof DomainError) || !error.details.errors) return error;
  const errors = error.details.errors.map((failure) => ({
    ...failure,
    path: ['variants', String(index), ...failure.path],
  }));
  return new DomainError(error.kind, error.code, error.message, { ...error.details, errors });
}
