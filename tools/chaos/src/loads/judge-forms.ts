import PostalMime from 'postal-mime';
import { finding, type Finding } from '../judging/finding.js';
import type { Evidence } from '../judging/judge.js';
import { knowledgeOf, type SendRecord } from '../judging/ledger.js';
import { bccOf, ccOf, digestOf, fileOf, markOf, subjectOf } from './forms.js';

/** Clocks of one machine, read by two processes. */
export const readingMs = 50;

/** What the forms of the sending suite promise beyond what holds for every mail. */
export async function judgeForms(evidence: Evidence): Promise<Finding[]> {
  return [await contents(evidence), schedules(evidence), copies(evidence), takenBack(evidence)];
}

async function contents({ sends, bytes }: Evidence): Promise<Finding> {
  const byAddress = new Map(
    sends.flatMap((send) => addressesOf(send).map((address) => [address, send] as const)),
  );
  const broken: (string | null)[] = [];
  for (const { to, raw } of bytes) {
    const send = byAddress.get(to);
    broken.push(send ? await readAs(send, to, Buffer.from(raw, 'base64')) : `${to} was never asked for`);
  }
  return finding(
    'content',
    'other words or files than were asked for, or a hidden recipient that shows',
    bytes.length,
    broken,
  );
}

async function readAs({ form, index }: SendRecord, to: string, raw: Buffer): Promise<string | null> {
  const { subject, html = '', attachments } = await PostalMime.parse(raw);
  if (subject !== subjectOf(form, index)) return `${to} came with the subject ${subject}`;
  if (html.split(markOf(form, index)).length !== 2) return `${to} came with other words`;
  const files = attachments.map(({ content }) => digestOf(new Uint8Array(content as ArrayBuffer)));
  const wanted = form === 'files' ? [digestOf(fileOf(index))] : [];
  if (files.join() !== wanted.join()) return `${to} came with ${files.length} files, or other ones`;
  return form === 'copies' && raw.includes(bccOf(index)) ? `${to} shows the hidden recipient` : null;
}

const addressesOf = ({ form, index, to }: SendRecord): string[] =>
  form === 'copies' ? [to, ccOf(index), bccOf(index)] : [to];

function schedules({ sends, sink }: Evidence): Finding {
  const due = new Map(
    sends.flatMap(({ to, scheduledAt }) => (scheduledAt === undefined ? [] : [[to, scheduledAt] as const])),
  );
  const scheduled = sink.filter(({ to }) => due.has(to));
  return finding(
    'schedule',
    'at the mail server before its time',
    scheduled.length,
    scheduled.map(({ to, receivedAt }) => {
      const early = due.get(to)! - receivedAt;
      return early > readingMs ? `${to} came ${early} ms early` : null;
    }),
  );
}

function copies({ sends, sink, emails, doubted: suspected }: Evidence): Finding {
  const arrived = Map.groupBy(sink, ({ to }) => to);
  const rows = Map.groupBy(emails, ({ to }) => to);
  const sent = sends.filter((send) => send.form === 'copies' && knowledgeOf(send).kind === 'accepted');
  return finding(
    'G4 G6',
    'a copy that never arrived, or more often than faults excuse',
    2 * sent.length,
    sent.flatMap(({ to, index }) =>
      [ccOf(index), bccOf(index)].map((address) => {
        const count = arrived.get(address)?.length ?? 0;
        const own = rows.get(to) ?? [];
        const honest = own.length + own.reduce((sum, { id }) => sum + (suspected.get(id) ?? 0), 0);
        if (count === 0) return `${address} never got its copy`;
        return count > honest ? `${address} got ${count} copies, ${honest} can be excused` : null;
      }),
    ),
  );
}

function takenBack({ sends, sink }: Evidence): Finding {
  const arrived = new Set(sink.map(({ to }) => to));
  const surely = sends.filter((send) => send.takenBack === 'surely' || send.form === 'suppressed');
  return finding(
    'G8',
    'sent after its address was suppressed or it was cancelled, and that was answered',
    surely.length,
    surely.map(({ to, form }) => (arrived.has(to) ? `${to} (${form}) was sent` : null)),
  );
}
