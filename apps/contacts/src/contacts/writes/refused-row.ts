import { DomainError } from '@posthorn/contracts';
import { fromDatabaseError } from '@posthorn/database';

export function reasonOf(thrown: Error): string {
  const error = thrown instanceof DomainError ? thrown : fromDatabaseError(thrown);
  if (error?.kind !== 'invalid') throw thrown;
  const members = error.details.errors?.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];
  return members.length > 0 ? members.join('; ') : error.message;
}
