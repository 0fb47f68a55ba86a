/** A statement of work that goes on after its transaction was committed, rolled back or timed out. */
export class TransactionEnded extends Error {
  constructor() {
    super('The transaction of this statement has ended');
    this.name = 'TransactionEnded';
  }
}

export class TransactionTimedOut extends Error {
  constructor(limitMs: number) {
    super(`the transaction took longer than ${limitMs} ms`);
    this.name = 'TransactionTimedOut';
  }
}

export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TransactionTimedOut(limitMs)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
