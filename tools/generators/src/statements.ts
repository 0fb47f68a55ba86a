import type { Database, Statement } from '@posthorn/database';
import { Tracing } from '@posthorn/telemetry';
import { format } from 'sql-formatter';
import { ContactWritesRepository } from '../../../apps/contacts/src/contacts/writes/contact-writes.repository.js';
import { AcceptingRepository } from '../../../apps/sending/src/accepting/accepting.repository.js';
import { ClaimsRepository } from '../../../apps/sending/src/delivery/claiming/claims.repository.js';
import { HandOffMarks } from '../../../apps/sending/src/delivery/hand-off/hand-off-marks.repository.js';
import { OutcomesRepository } from '../../../apps/sending/src/delivery/outcomes/outcomes.repository.js';
import { Pace } from '../../../apps/sending/src/pacing/pace.js';

const pace = new Pace({ providerKind: 'smtp', perSecond: 10 });
const warmUp = { messages: 50, growth: 20, days: 30 };

/** The hot statements as Postgres gets them, with every option on: a change of a part shows in all of its statements. */
export const statementPages: Record<string, () => Promise<string>> = {
  'docs/sql/accept.sql': () => assembled((database) => new AcceptingRepository(database).insert([])),
  'docs/sql/claim.sql': () =>
    assembled((database) =>
      new ClaimsRepository(database).claim({
        workerId: '',
        lane: 0,
        limit: 0,
        afterProject: '',
        freeBytes: { small: 0, large: 0, anySizeFits: false },
      }),
    ),
  'docs/sql/mark.sql': () =>
    assembled((database) => new HandOffMarks(database, pace, undefined as never, warmUp).mark('', [])),
  'docs/sql/plain-mark.sql': () =>
    assembled((database) => new HandOffMarks(database, pace, undefined as never).markPlain('', [])),
  'docs/sql/outcome.sql': () => assembled((database) => new OutcomesRepository(database).record([])),
  'docs/sql/contact-write.sql': () =>
    assembled((database) => new ContactWritesRepository(database).write([], false)),
};

/** Runs the repository on a database that only notes what it is asked for. */
async function assembled(run: (database: Database) => Promise<unknown>): Promise<string> {
  const noted: string[] = [];
  const note = ({ name, sql }: Statement) => {
    noted.push(`-- ${name}\n${format(sql, { language: 'postgresql', expressionWidth: 120 })};\n`);
    return [];
  };
  await run({
    tracing: new Tracing(),
    prepared: async (statement: Statement) => note(statement),
    transactionInOneWrite: async (statements: Statement[]) => statements.map(note),
  } as unknown as Database);
  return noted.join('\n');
}
