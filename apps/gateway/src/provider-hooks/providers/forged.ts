import { DomainError } from '@posthorn/contracts';

export const forged = () =>
  new DomainError('forbidden', 'scope_missing', 'The signature or secret of the report is wrong');
export const tooOld = () =>
  new DomainError('forbidden', 'scope_missing', 'The report was signed too long ago');
