import pg from 'pg';
import { CopiedBytes } from './copied-bytes.js';

/** The driver's own query lets the data of a COPY fall; unlike a query class of one's own it may be asked on a pipelined connection. */
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

/** The bytes of the only column of a SELECT. What `take` throws rejects once all has come, so that the connection stays in step. */
export function copyOut(client: pg.ClientBase, select: string, take: (bytes: Buffer) => void): Promise<void> {
  const copied = new CopiedBytes(take);
  let failure: unknown = null;
  // Thrown in a handler of the socket it would end the process.
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
      // The server is about to close the connection: until that is seen the pool would lend it to the next.
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

/** COPY takes no parameters: each `$1` becomes a literal, whose type Postgres infers as it would that of the parameter. */
export const withLiterals = (sql: string, parameters: readonly (string | number)[]): string =>
  sql.replaceAll(/\$(\d+)/g, (_, location: string) => {
    const value = parameters[Number(location) - 1];
    if (value === undefined) throw new Error(`there is no parameter $${location}`);
    return pg.escapeLiteral(String(value));
  });
