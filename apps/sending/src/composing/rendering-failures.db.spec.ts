import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { emails } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import PostalMime from 'postal-mime';
import { composingFixture } from '../testing/composing-fixture.js';
import { makeDue } from '../testing/make-due.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
let fixture: ReturnType<typeof composingFixture>;
beforeAll(async () => {
  suite = await startSendingSuite();
  fixture = composingFixture(suite);
});
afterEach(() => fixture.loseContacts());
afterAll(() => suite.stop());

describe('a message that cannot be rendered', () => {
  it('fails alone', async () => {
    const { caller, domain } = await suite.buildProject();
    await fixture.contactsKnow({});
    const endless =
      '{% for a in (1..9999) %}{% for b in (1..9999) %}{% for c in (1..9999) %}x{% endfor %}{% endfor %}{% endfor %}';
    const template = await fixture.buildTemplate(caller, { body: endless });
    const bad = await fixture.accept(caller, domain, { template: template.id, data: { name: 'Ada' } });
    const good = await Promise.all(
      Array.from({ length: 20 }, () =>
        fixture.accept(caller, domain, {
          subject: '{{ greeting }}',
          body: '<p>{{ greeting }}</p>',
          data: { greeting: 'Hi' },
        }),
      ),
    );
    await fixture.reaches(caller, bad.id, 'RENDERING_FAILURE');
    for (const { id } of good) await fixture.reaches(caller, id, 'DELIVERED');
    expect((await suite.bus.call(emails.get, caller, { id: bad.id })).failureKind).toBe('rendering');
    expect(suite.sink.messages.filter(({ to }) => to === bad.to)).toEqual([]);
  });

  it('is sent on one line where a value would add header lines to its subject', async () => {
    const { caller, domain } = await suite.buildProject();
    await fixture.contactsKnow({});
    const { to } = await fixture.accept(caller, domain, {
      subject: 'Hello {{ name }}',
      body: '<p>Hi</p>',
      data: { name: 'a\r\nBcc: x@sink.test' },
    });
    expect((await fixture.taken(to)).toString()).toMatch(/^Subject: Hello a Bcc: x@sink\.test\r$/m);
  });

  it('because its HTML has 15 MB fails visibly, and is sent whole where nothing has to be rendered', async () => {
    const { caller, domain } = await suite.buildProject();
    await fixture.contactsKnow({});
    const body = `<p>${'Grüße! '.repeat(1_650_000)}</p>`;
    expect(Buffer.byteLength(body)).toBeGreaterThan(14_800_000);
    // A busy machine may need longer than a preview of the template may take.
    const bad = await eventually(
      () =>
        fixture
          .accept(caller, domain, { subject: 'Large', body: `{{ name }}${body}`, data: { name: 'Ada' } })
          .catch((error: Error) =>
            error.message.includes('took longer than') ? null : Promise.reject(error),
          ),
      'the template is accepted',
    );
    const [small, whole] = [
      await fixture.accept(caller, domain, { subject: 'Small', body: '<p>Hi</p>' }),
      await fixture.accept(caller, domain, { subject: 'Large', body }),
    ];
    for (const { id } of [small, whole]) await fixture.reaches(caller, id, 'DELIVERED');
    await fixture.reaches(caller, bad.id, 'RENDERING_FAILURE');
    // No matcher: it would print both.
    expect((await PostalMime.parse(await fixture.taken(whole.to))).html!.startsWith(body)).toBe(true);
    expect(await suite.bus.call(emails.get, caller, { id: bad.id })).toMatchObject({
      failureKind: 'rendering',
      // Whichever limit a busy machine meets first.
      error: expect.stringMatching(/larger than 2 MiB|render limit exceeded|took longer than 500 ms/),
    });
  });

  it('fails visibly where its content is no longer retained', async () => {
    const { caller, domain } = await suite.buildProject();
    const { id } = await fixture.accept(caller, domain, {
      subject: 'Later',
      body: '<p>Hi</p>',
      scheduledAt: new Date(Date.now() + 3_600_000),
    });
    await suite.database.query(`DELETE FROM email_contents WHERE project_id = $1`, [caller.projectId]);
    await makeDue(suite.database, [id]);
    await fixture.reaches(caller, id, 'RENDERING_FAILURE');
    expect((await suite.bus.call(emails.get, caller, { id })).error).toMatch(/no longer retained/);
  });
});
