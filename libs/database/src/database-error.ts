import { DomainError, unavailable } from '@posthorn/contracts';

interface DriverError {
  code?: string;
  syscall?: string;
  driverError?: DriverError;
  message?: string;
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
/** After a failover, a connection to a server that is no longer the primary. */
const readOnly = '25006';
const refusals = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', '57P03', '53300', readOnly]);
const lostConnection =
  /connection terminated|timeout exceeded when trying to connect|server closed the connection|client has encountered a connection error|not queryable|pool is (draining|ended)|query runner already released/i;

// TypeORM releases a broken connection at once; later statements, also a COMMIT, are not sent.
const neverSent = /trying to connect|connection timeout|query runner already released/i;

function databaseCode(error: unknown): string | undefined {
  const { code, driverError } = (error ?? {}) as DriverError;
  return driverError?.code ?? code;
}

export function isSerializationFailure(error: unknown): boolean {
  const code = databaseCode(error);
  return code === '40001' || code === '40P01';
}

export const isUniqueViolation = (error: unknown): boolean => databaseCode(error) === '23505';

export const isLockTimeout = (error: unknown): boolean => databaseCode(error) === '55P03';

export const isStatementTimeout = (error: unknown): boolean => databaseCode(error) === '57014';

export const isCheckViolation = (error: unknown): boolean => databaseCode(error) === '23514';

/** The data of a row was refused (SQLSTATE 22, 23, 54), so the other rows of the batch may succeed without it. */
export function isDataError(error: unknown): boolean {
  return /^(22|23|54)/.test(databaseCode(error) ?? '');
}

export function isDatabaseAway(error: unknown): boolean {
  const code = databaseCode(error) ?? '';
  const message = (error as DriverError)?.message ?? '';
  return /^(08|53|57P0|57014|25006)/.test(code) || networkCodes.has(code) || lostConnection.test(message);
}

const pressed =
  /^(53|57014)|timeout exceeded when trying to connect|pool is (draining|ended)|already released/i;

/** The server or the way to it is gone; not where one statement, or the wait for a connection, took too long. */
export function isConnectionLost(error: unknown): boolean {
  const message = (error as DriverError)?.message ?? '';
  return isDatabaseAway(error) && !pressed.test(databaseCode(error) ?? '') && !pressed.test(message);
}

function wasNeverSent(error: unknown): boolean {
  const { syscall, message = '' } =
    (error as { driverError?: DriverError })?.driverError ?? ((error ?? {}) as DriverError);
  return refusals.has(databaseCode(error) ?? '') || syscall === 'connect' || neverSent.test(message);
}

/** The connection broke, or the statement was cancelled, when it may have been sent; it may have taken effect. */
export function mayHaveCommitted(error: unknown): boolean {
  return isDatabaseAway(error) && !wasNeverSent(error);
}

export function fromDatabaseError(error: unknown): DomainError | null {
  if (isUniqueViolation(error)) return new DomainError('conflict', 'conflict', 'It exists already');
  if (isDataError(error)) return new DomainError('invalid', 'validation_error', 'A value cannot be stored');
  if (isDatabaseAway(error) || isSerializationFailure(error) || isLockTimeout(error)) return unavailable();
  return null;
}
