import { mailHistory, optOuts, type AskMailHistory, type MailHappening, type OptOut } from '@posthorn/contracts';
import type { RunningService } from '@posthorn/platform';
import { FactSource, openServiceGround, standIn, type ServiceGround } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startContacts } from '../service.js';

/** The contacts service as it runs, on a database and a NATS of its own, beside a sending service that only tells facts, takes opt-outs and knows of some mail. */
export interface ContactsSuite extends Pick<ServiceGround, 'bus' | 'queue' | 'connection' | 'database' | 'environment' | 'buildProject' | 'factsOf'> {
  service: RunningService;
  restart(): Promise<void>;
  sending: FactSource;
  /** What sending was told, in order. */
  optOuts: (OptOut & { projectId: string })[];
  /** What sending says became of mail to an address. */
  mail: Map<string, MailHappening[]>;
  /** Sending takes no opt-outs any more, and knows of no mail. */
  loseSending(): Promise<void>;
  stop(): Promise<void>;
}

export async function startContactsSuite(): Promise<ContactsSuite> {
  const ground = await openServiceGround('contacts', { entities, migrations });
  const sending = await FactSource.start(ground.connection);
  const put: ContactsSuite['optOuts'] = [];
  const mail: ContactsSuite['mail'] = new Map();
  const leaveHistory = await standIn(ground.connection, mailHistory.page, async (asked) => ({
    items: pageOf(mail.get(asked.email) ?? [], asked),
  }));
  const leaveOptOuts = await standIn(ground.connection, optOuts.put, async ({ optOuts: told }, { projectId }) => {
    put.push(...told.map((optOut) => ({ ...optOut, projectId })));
    return { put: told.length };
  });
  const leave = async () => {
    await Promise.all([leaveOptOuts(), leaveHistory()]);
  };
  const service = await ground.carry(startContacts({ environment: ground.environment, processMetrics: false }));
  const suite: ContactsSuite = {
    ...ground,
    service,
    restart: async () => {
      await suite.service.stop();
      suite.service = await startContacts({ environment: ground.environment, processMetrics: false });
    },
    sending,
    optOuts: put,
    mail,
    loseSending: leave,
    stop: async () => {
      await suite.service.stop();
      await leave();
      await sending.stop();
      await ground.close();
    },
  };
  return suite;
}

/** As sending answers it. */
function pageOf(happened: MailHappening[], { limit, after }: AskMailHistory): MailHappening[] {
  const place = ({ at, id }: { at: Date; id: string }) => `${at.toISOString()} ${id}`;
  const newest = [...happened].sort((a, b) => (place(a) < place(b) ? 1 : -1));
  return newest.filter((each) => !after || place(each) < place(after)).slice(0, limit);
}
