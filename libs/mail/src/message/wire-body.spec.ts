import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SmtpSink } from '../../../testing/src/smtp-sink/smtp-sink.js';
import { openSession } from '../smtp/smtp-session.js';
import { WireBody } from './wire-body.js';

const headers = 'From: a@b.test\r\nDate: x\r\nMessage-ID: <1@b.test>\r\nMIME-Version: 1.0\r\n\r\n';
const nasty = [
  '\n.\n',
  '\r.\r',
  '\r\n.\r\n',
  '\n.\r\n',
  '\r\n.\n',
  '\r.\r\n',
  '.',
  '..',
  '.\r\n',
  '\r',
  '\n',
  'a\rb\nc',
  'x'.repeat(400),
  '\r\n',
  '',
];

function wireOf(body: string, octets: number): string {
  const wire = new WireBody(Buffer.from(body));
  let whole = '';
  while (wire.left > octets) whole += wire.next(octets).toString();
  return whole + wire.next(octets).toString();
}

let sink: SmtpSink | undefined;
afterEach(() => sink?.stop());

describe('the body on the wire', () => {
  it.each(
    nasty.flatMap((each) => [each, `a${each}b`, `${each}${each}`, `a\r\n${each}MAIL FROM:<evil@b.test>\r\n`]),
  )('%j arrives as one clean message', async (body) => {
    sink = await SmtpSink.start();
    const opened = await openSession({ host: '127.0.0.1', port: sink.port, tls: 'none', insecure: false });
    if ('failure' in opened) throw new Error(opened.failure.error);
    const attempt = await opened.session.deliver({
      envelope: { from: 'a@b.test', to: 'c@d.test' },
      raw: Buffer.from(headers + body),
    });
    expect(attempt).toMatchObject({ verdict: 'accepted', sessionUsable: true });
    await opened.session.quit();
    expect(sink.messages).toHaveLength(1);
    expect(sink.messages[0].faults).toEqual([]);
    expect(sink.messages[0].raw!.toString().trimEnd()).toBe(
      (headers + body).replace(/\r\n|\r|\n/g, '\r\n').trimEnd(),
    );
  });

  it('contains exactly one end marker, at its end', () => {
    const soup = fc
      .array(fc.constantFrom('\r', '\n', '.', 'a', '\r\n', '\r\n.\r\n'), { maxLength: 40 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(soup, fc.integer({ min: 1, max: 50 }), (body, octets) => {
        const wire = wireOf(body, octets);
        expect(`\r\n${wire}`.indexOf('\r\n.\r\n')).toBe(wire.length - 3);
        expect(wire.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        expect(wire).toBe(wireOf(body, 1_000));
      }),
      { numRuns: 2_000 },
    );
  });
});
