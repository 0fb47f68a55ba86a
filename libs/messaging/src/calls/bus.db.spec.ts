import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError, FreeMap, request, serviceCaller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { startTestNats, type TestNats } from '@posthorn/testing';
import { CallResponder, type Answer } from './call-responder.js';
import { Bus } from './bus.js';
import { BusConnection } from './connection.js';
import type { Incoming } from './handlers.js';

class Payload {
  @FreeMap() data: Record<string, unknown>;
}

const caller = serviceCaller('spec', newId());
const waiting = { timeoutMs: 10_000 };

describe('calls', () => {
  let nats: TestNats;
  let there: BusConnection;
  let here: BusConnection;
  let bus: Bus;
  const answering: CallResponder[] = [];

  beforeAll(async () => {
    nats = await startTestNats();
    [there, here] = await Promise.all([
      BusConnection.open({ url: nats.url, name: 'there' }),
      BusConnection.open({ url: nats.url, name: 'here' }),
    ]);
    bus = new Bus(here);
  });
  afterAll(async () => {
    await Promise.all(answering.map((each) => each.drain()));
    await Promise.all([there.close(), here.close()]);
    await nats.stop();
  });

  const serve = async (name: string, answer: Answer, batch = false) => {
    const contract = request<Payload, Payload>(`sending.spec.${name}`, Payload, Payload, { gathered: batch });
    answering.push(
      new CallResponder(contract, answer, {
        nats: there.nats,
        queue: 'sending',
        onUnexpected: () => undefined,
      }),
    );
    await there.nats.flush();
    return contract;
  };

  it('carry 12 MiB in requests and 5 MiB in replies through a stock nats-server', async () => {
    const contract = await serve('large', async (call) => {
      const { data } = (call as Incoming<Payload>).body;
      return { data: { length: String(data['text']).length, reply: 'é'.repeat(2.5 * 1024 * 1024) } };
    });
    const { data } = await bus.call(
      contract,
      caller,
      { data: { text: 'x'.repeat(12 * 1024 * 1024) } },
      waiting,
    );
    expect(data['length']).toBe(12 * 1024 * 1024);
    expect(Buffer.byteLength(data['reply'] as string)).toBe(5 * 1024 * 1024);
  });

  it.each([64, 256, 1_024, 8_192])(
    'of any size go through a server that allows %i KiB, either way',
    async (allowedKib) => {
      const own = await startTestNats(`max_payload: ${allowedKib * 1024}`);
      const [server, client] = await Promise.all([
        BusConnection.open({ url: own.url, name: 'server' }),
        BusConnection.open({ url: own.url, name: 'client' }),
      ]);
      const contract = request<Payload, Payload>('sending.spec.sizes', Payload, Payload, { gathered: true });
      const echo: Answer = async (calls) =>
        (calls as Incoming<Payload>[]).map(({ body }) => ({ data: { text: body.data['text'] } }));
      const responder = new CallResponder(contract, echo, {
        nats: server.nats,
        queue: 'sending',
        onUnexpected: () => undefined,
      });
      await server.nats.flush();
      const itsBus = new Bus(client);
      const edge = allowedKib * 1024;
      for (const size of [1, 260 * 1024, 300 * 1024, 600 * 1024, edge - 9_000, edge - 500, edge, edge + 1]) {
        const text = 'x'.repeat(Math.max(1, size));
        const { data } = await itsBus.call(contract, caller, { data: { text } }, waiting);
        expect([size, String(data['text']).length]).toEqual([size, text.length]);
      }
      await responder.drain();
      await Promise.all([server.close(), client.close()]);
      await own.stop();
    },
  );

  it('are batched when they come together, and each gets its own answer', async () => {
    const sizes: number[] = [];
    const answer: Answer = async (calls) => {
      sizes.push((calls as Incoming<Payload>[]).length);
      return (calls as Incoming<Payload>[]).map(({ body }) =>
        body.data['bad'] ? new DomainError('conflict', 'conflict', 'no') : { data: body.data },
      );
    };
    const contract = await serve('batch', answer, true);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        bus.call(contract, caller, { data: { place: index, bad: index === 20 } }, waiting),
      ),
    );
    expect(sizes.length).toBeLessThanOrEqual(4);
    outcomes.forEach((outcome, index) => {
      if (index === 20) expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'conflict' } });
      else expect(outcome).toMatchObject({ status: 'fulfilled', value: { data: { place: index } } });
    });
  });

  it('fail at once where nobody serves the subject, as not reached', async () => {
    const contract = request('sending.spec.nobody', Payload, Payload);
    await expect(bus.call(contract, caller, { data: {} }, waiting)).rejects.toMatchObject({
      kind: 'unavailable',
      isOutcomeUnknown: false,
    });
  });

  it('fail at their deadline, as possibly reached', async () => {
    const contract = await serve('slow', () => new Promise(() => undefined));
    answering.pop();
    await expect(bus.call(contract, caller, { data: {} }, { timeoutMs: 50 })).rejects.toMatchObject({
      kind: 'timeout',
      isOutcomeUnknown: true,
    });
  });

  it('that only read have no unknown outcome', async () => {
    const slow = await serve('silent', () => new Promise(() => undefined));
    answering.pop();
    await expect(
      bus.call({ ...slow, onlyReads: true }, caller, { data: {} }, { timeoutMs: 50 }),
    ).rejects.toMatchObject({ kind: 'timeout', isOutcomeUnknown: false });
  });

  it('turn a bug into an internal error without its message', async () => {
    const contract = await serve('bug', () => Promise.reject(new Error('secret words')));
    await expect(bus.call(contract, caller, { data: {} }, waiting)).rejects.toMatchObject({
      kind: 'internal',
      message: 'An unexpected error occurred',
    });
  });

  it('of a batch fail each at its own deadline', async () => {
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const answer: Answer = async (calls) => {
      await released;
      return (calls as Incoming<Payload>[]).map(({ body }) => body);
    };
    const contract = await serve('hurried', answer, true);
    const call = (timeoutMs: number) => bus.call(contract, caller, { data: {} }, { timeoutMs });
    // Two batches are under way, so that the others form one.
    const first = [call(10_000), call(10_000)];
    const [hurried, unhurried] = [call(1), call(10_000)];
    await expect(hurried).rejects.toMatchObject({ kind: 'timeout', isOutcomeUnknown: true });
    release!();
    expect(await Promise.all([...first, unhurried])).toEqual([{ data: {} }, { data: {} }, { data: {} }]);
  });

  it('fail at once when the connection is lost', async () => {
    const own = await startTestNats();
    const connection = await BusConnection.open({ url: own.url, name: 'lost' });
    const began = performance.now();
    connection.nats.subscribe('call.sending.spec.lost', { callback: () => void own.stop() });
    await connection.nats.flush();
    const contract = request('sending.spec.lost', Payload, Payload);
    const call = new Bus(connection).call(contract, caller, { data: {} }, { timeoutMs: 60_000 });
    await expect(call).rejects.toMatchObject({ isOutcomeUnknown: true });
    expect(performance.now() - began).toBeLessThan(30_000);
    await expect(new Bus(connection).call(contract, caller, { data: {} }, waiting)).rejects.toMatchObject({
      isOutcomeUnknown: false,
    });
    await connection.close();
  });
});
