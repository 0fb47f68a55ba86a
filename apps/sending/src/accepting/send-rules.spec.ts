import { describe, expect, it } from '@jest/globals';
import type { Attachment } from '@posthorn/contracts';
import { readAttachments, refuseFarSchedule, refuseTooManyRecipients, trackingOf } from './send-rules.js';

const file = (content: string, more: Partial<Attachment> = {}): Attachment => ({
  filename: 'a.txt',
  content,
  ...more,
});
const mailboxes = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ email: `${index}@example.com` }));
const recipients = (count: number) => mailboxes(count).map((to, index) => ({ id: String(index), to }));

describe('the attachments of a send', () => {
  it('are decoded byte for byte, and are inline where they have a content id', () => {
    const [plain, shown] = readAttachments([
      file('SGVs\r\nbG8='),
      file('AQI', { contentId: 'logo', contentType: 'image/png' }),
    ]);
    expect(plain).toEqual({
      stored: {
        filename: 'a.txt',
        contentType: 'application/octet-stream',
        contentId: null,
        disposition: 'attachment',
        size: 5,
      },
      data: Buffer.from('Hello'),
    });
    expect(shown!.stored).toMatchObject({
      contentType: 'image/png',
      contentId: 'logo',
      disposition: 'inline',
      size: 2,
    });
  });

  it.each(['A', 'AAAAA', 'AAA==', 'A==', 'AA='])('are refused where %j is incomplete base64', (content) => {
    expect(() => readAttachments([file('SGVsbG8='), file(content)])).toThrow(
      expect.objectContaining({
        details: { errors: [expect.objectContaining({ path: ['attachments', '1', 'content'] })] },
      }),
    );
  });

  it('are at most 10 MiB together, to the byte', () => {
    const half = Buffer.alloc(5 * 1024 * 1024).toString('base64');
    expect(readAttachments([file(half), file(half)])).toHaveLength(2);
    expect(() => readAttachments([file(half), file(half), file('AA==')])).toThrow(
      expect.objectContaining({
        details: { errors: [expect.objectContaining({ path: ['attachments'], code: 'too_long' })] },
      }),
    );
  });
});

describe('the recipients of a send', () => {
  it('are fifty at most, copies included', () => {
    expect(() =>
      refuseTooManyRecipients({ recipients: recipients(1), cc: mailboxes(25), bcc: mailboxes(24) }),
    ).not.toThrow();
    const text = (member: string) =>
      expect.objectContaining({ details: { errors: [expect.objectContaining({ path: [member] })] } });
    expect(() =>
      refuseTooManyRecipients({ recipients: recipients(1), cc: mailboxes(25), bcc: mailboxes(25) }),
    ).toThrow(text('bcc'));
    expect(() => refuseTooManyRecipients({ recipients: recipients(1), cc: mailboxes(50) })).toThrow(
      text('cc'),
    );
    expect(() => refuseTooManyRecipients({ recipients: recipients(1), alsoTo: mailboxes(50) })).toThrow(
      text('cc'),
    );
  });
});

describe('the scheduled time of a send', () => {
  const now = new Date('2026-01-31T09:00:00Z');
  it('is at most thirty days ahead, and a past time means now', () => {
    expect(() => refuseFarSchedule(new Date('2026-03-02T09:00:00Z'), now)).not.toThrow();
    expect(() => refuseFarSchedule(new Date('2020-01-01T00:00:00Z'), now)).not.toThrow();
    expect(() => refuseFarSchedule(new Date('2026-03-02T09:00:00.001Z'), now)).toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    );
  });
});

describe('the tracking of a send', () => {
  it.each([
    ['ENABLED', 'TRANSACTIONAL', undefined, true, true],
    ['ENABLED', 'TRANSACTIONAL', { clicks: false }, true, false],
    ['DISABLED', 'MARKETING', undefined, false, false],
    ['DISABLED', 'TRANSACTIONAL', { opens: true }, true, false],
    ['MARKETING_ONLY', 'MARKETING', undefined, true, true],
    ['MARKETING_ONLY', 'MARKETING', { opens: false, clicks: false }, false, false],
    ['MARKETING_ONLY', 'TRANSACTIONAL', { opens: true, clicks: true }, false, false],
  ] as const)(
    'is by project %s, %s mail and message %j: opens %s, clicks %s',
    (setting, category, choice, trackOpens, trackClicks) => {
      expect(trackingOf(setting, category, choice)).toEqual({ trackOpens, trackClicks });
    },
  );
});
