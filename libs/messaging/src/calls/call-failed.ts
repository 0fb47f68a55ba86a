import { DomainError, type RequestContract } from '@posthorn/contracts';

interface Failure {
  /** The call may have reached its service. */
  reached: boolean;
  timedOut: boolean;
}

/** Where the outcome is unknown, it has to be settled. */
export class CallFailed extends DomainError {
  readonly isOutcomeUnknown: boolean;

  constructor({ onlyReads }: RequestContract, { reached, timedOut }: Failure) {
    super(timedOut ? 'timeout' : 'unavailable', 'internal_error', 'The service is temporarily unavailable', {
      retryAfterSeconds: 1,
    });
    this.name = 'CallFailed';
    this.isOutcomeUnknown = reached && !onlyReads;
  }
}

export function within<T>(contract: RequestContract, timeoutMs: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new CallFailed(contract, { reached: true, timedOut: true })),
      timeoutMs,
    );
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
