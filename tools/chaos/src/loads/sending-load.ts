import type { SendRecord } from '../judging/ledger.js';
import type { Random } from '../random.js';
import { wanted as plainWanted, type RecipientKind, type Wanted } from '../recipients.js';
import {
  bccOf,
  ccOf,
  fileOf,
  formRules,
  markOf,
  neverSent,
  ok,
  subjectOf,
  suppressedPool,
  takenBack,
} from './forms.js';
import { judgeForms } from './judge-forms.js';
import type { Load, Request } from './load.js';

const scheduledMs = { least: 2_000, most: 9_000 };
/** Two clocks of one machine, and a look at them. */
const marginMs = 200;

/** Templates, files, copies, schedules, and mail that is taken back or blocked while it waits. */
export class SendingLoad implements Load {
  readonly keepsBytes = true;
  readonly judge = judgeForms;
  private templateId = '';
  private suppressedCount = 0;

  async prepare(request: Request): Promise<void> {
    await made(request, '/api/v1/snippets', { name: 'signature', body: 'Signed by the snippet.' });
    const template = await made(request, '/api/v1/templates', {
      name: 'Chaos',
      subject: 'Hello {{ name }}',
      body: '<p>{{ name }}, this is {{ place }}. {{> signature}}</p>',
      email_category: 'TRANSACTIONAL',
    });
    this.templateId = template.id;
    for (const email of suppressedPool) await made(request, '/api/v1/suppressions', { email });
  }

  wanted(index: number, random: Random, given?: RecipientKind): Wanted {
    const plain = plainWanted(index, random, given);
    const peaceful = plain.kind === ok;
    const { form } = random.weighted(formRules.filter((rule) => peaceful || !rule.peaceful));
    const waits = random.whole(scheduledMs.least, scheduledMs.most);
    const later = ['scheduled', 'cancelled', 'blocked'].includes(form)
      ? { scheduledAt: Date.now() + waits }
      : {};
    if (form !== 'suppressed') return { ...plain, form, ...later };
    // Each address of the pool has one message, so that every message has an address of its own.
    const address = suppressedPool[this.suppressedCount++];
    return address ? { ...plain, form, to: address, kind: neverSent } : { ...plain, form: 'plain' };
  }

  bodyOf({ to, index, form, scheduledAt }: Wanted): object {
    const texts = { subject: subjectOf(form, index), body: `<p>${markOf(form, index)}</p>` };
    const later = scheduledAt === undefined ? {} : { scheduled_at: new Date(scheduledAt).toISOString() };
    if (form === 'template')
      return { to, template: this.templateId, data: { name: `Reader ${index}`, place: index } };
    if (form === 'copies') return { to, ...texts, cc: ccOf(index), bcc: bccOf(index) };
    if (form === 'files') {
      const content = fileOf(index).toString('base64');
      return {
        to,
        ...texts,
        attachments: [{ filename: `file-${index}.bin`, content, content_type: 'application/octet-stream' }],
      };
    }
    return { to, ...texts, ...later };
  }

  async afterwards(record: SendRecord, id: string, request: Request): Promise<void> {
    if (record.form === 'cancelled') {
      const { status } = await request('POST', `/api/v1/emails/${id}/cancel`);
      // Where the answer to a first try was lost, the second finds it cancelled, which is past PENDING as well.
      takeBack(record, status === 200, takenBack);
    }
    if (record.form === 'blocked') {
      const { status, endedAt } = await request('POST', '/api/v1/suppressions', { email: record.to });
      if (status >= 300) throw new Error(`a suppression was answered ${status}`);
      const answeredAt = performance.timeOrigin + endedAt;
      takeBack(record, answeredAt < record.scheduledAt! - marginMs, neverSent);
    }
  }
}

/** What was answered in time holds; what was not may have gone either way. */
function takeBack(record: SendRecord, surely: boolean, end: RecipientKind): void {
  record.takenBack = surely ? 'surely' : 'perhaps';
  record.kind = surely ? end : { ...record.kind, orEnds: end.ends as 'FAILED' | 'CANCELLED' };
}

async function made(request: Request, path: string, body: object): Promise<{ id: string }> {
  const answer = await request('POST', path, body);
  if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body) as { id: string };
}
