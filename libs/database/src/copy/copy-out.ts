import pg from 'pg';
import { CopiedBytes } from './copied-bytes.js';

/** Extends the query of the driver, which discards the data: other classes cannot be pipelined. */
class CopyOutQuery extends pg.Query {
  constructor(
    sql: string,
    private readonly onData: (bytes: Buffer) => void,
    done: (error: Error | undefined) => void,
  ) {
    super(sql, done);
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.onData(chunk);
  }
}

/** An error of `take` rejects only after all data has come, so that the connection stays in a defined state. */
export function copyOut(client: pg.ClientBase, select: string, take: (bytes: Buffer) => void): Promise<void> {
  const copied = new CopiedBytes(take);
  let failure: unknown = null;
  // An error that is thrown in a handler of the socket would end the process.
  const attempt = (step: () => void) => {
    try {
      if (failure === null) step();
    } catch (error) {
      failure = error;
    }
  };
  return new Promise((resolve, reject) => {
    const done = (error: Error | undefined) => {
      if (!error) attempt(() => copied.end());
      // Until the server closes the connection, the pool would lend it again.
      if (isFatal(error)) void (client as pg.Client).end().catch(() => undefined);
      if (error ?? failure) reject((error ?? failure) as Error);
      else resolve();
    };
    client.query(
      new CopyOutQuery(
        `COPY (${select}) TO STDOUT (FORMAT binary)`,
        (bytes) => attempt(() => copied.push(bytes)),
        done,
      ),
    );
  });
}

const isFatal = (error: Error | undefined): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'FATAL';

export const withLiterals = (sql: string, parameters: readonly (string | number)[]): string =>
  sql.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = parameters[Number(number) - 1];
    if (value === undefined) throw new Error(`there is no parameter $${number}`);
    return pg.escapeLiteral(String(value));
  });
