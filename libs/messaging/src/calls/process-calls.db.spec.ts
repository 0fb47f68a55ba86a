import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Base64Text,
  DomainError,
  emails,
  FreeMap,
  Instant,
  ListOf,
  minFileTextLength,
  Optional,
  request,
  serviceCaller,
  Text,
  type RequestContract,
} from '@posthorn/contracts';
import { newId, openDatabase, type Database } from '@posthorn/database';
import { runInContext, Tracing, type OpenSpan, type SpanRecorder } from '@posthorn/telemetry';
import { cloneDatabase, startTestNats, type TestDatabase, type TestNats } from '@posthorn/testing';
import { currentService, runAsService } from '../outages/service-context.js';
import { effectsTable } from '../testing/effects-table.js';
import { actingCaller, runAsCaller } from './acting.js';
import { Bus } from './bus.js';
import { CallResponder, type Answer } from './call-responder.js';
import { BusConnection } from './connection.js';
import { answerEach, type Incoming } from './handlers.js';
import { ProcessCalls } from './process-calls.js';

class File {
  @Text(0, 10_000_000, { base64: true }) content: string | Base64Text;
}
class Payload {
  @Instant() @Optional() at?: Date;
  @FreeMap() data: Record<string, unknown>;
  @ListOf(() => File, 0, 5) @Optional() attachments?: File[];
}

// The gateway may call it.
const { subject } = emails.get;
const single = request<Payload, Payload>(subject, Payload, Payload);
const gathered = request<Payload, Payload>(subject, Payload, Payload, { gathered: true });
const caller = { ...serviceCaller('spec', newId()), ipAddress: '192.0.2.1' };
const waiting = { timeoutMs: 20_000 };
const unreached = { name: 'CallFailed', kind: 'unavailable', isOutcomeUnknown: false };
const one = (work: (call: Incoming<Payload>) => unknown): Answer => {
  return async (call) => work(call as Incoming<Payload>);
};

let nats: TestNats;
let clone: TestDatabase;
let database: Database;
let there: BusConnection;
let here: BusConnection;

beforeAll(async () => {
  [nats, clone] = await Promise.all([startTestNats(), cloneDatabase('process_calls', effectsTable)]);
  database = await openDatabase({
    url: clone.url,
    name: 'suite',
    poolSize: 4,
    connectTimeoutMs: 30_000,
    ...effectsTable,
  });
  there = await runAsService('sending', () => BusConnection.open({ url: nats.url, name: 'there' }));
  here = await BusConnection.open({ url: nats.url, name: 'here' });
});
afterAll(async () => {
  await Promise.all([there.close(), here.close()]);
  await database.close();
  await Promise.all([clone.drop(), nats.stop()]);
});

describe.each(['over NATS', 'in the process'])('a call %s', (way) => {
  const inProcess = way === 'in the process';
  const calls = new ProcessCalls();
  const unexpected: string[] = [];
  let responder: CallResponder | undefined;
  let released = Promise.withResolvers<void>();
  const release = () => released.resolve();
  const busWith = (clock?: { now(): Promise<Date> }) =>
    new Bus(here, clock, undefined, 1_700, inProcess ? calls.openTo('gateway') : undefined);

  const serve = async (contract: RequestContract, answer: Answer, tracing?: Tracing) => {
    const options = {
      nats: there.nats,
      queue: 'sending',
      onUnexpected: (error: unknown) => void unexpected.push(String(error)),
      tracing,
      calls,
    };
    responder = runAsService('sending', () => new CallResponder(contract, answer, options));
    await there.nats.flush();
    return busWith();
  };

  afterEach(async () => {
    release();
    await responder?.drain();
    released = Promise.withResolvers();
    responder = undefined;
    unexpected.length = 0;
  });

  it(`${inProcess ? 'needs no' : 'needs a'} message`, async () => {
    const bus = await serve(
      single,
      one(({ body }) => body),
    );
    const before = there.nats.stats().inMsgs;
    await bus.call(single, caller, { data: {} }, waiting);
    expect(there.nats.stats().inMsgs > before).toBe(!inProcess);
  });

  it('brings copies: dates of the shape, and the rest as in JSON', async () => {
    const kept: Payload[] = [];
    const reply = { at: new Date(5), data: { at: new Date(6), none: undefined, list: [undefined, NaN] } };
    const bus = await serve(
      single,
      one(({ body }) => (kept.push(body), reply)),
    );
    const body = { at: new Date(1), data: { at: new Date(2), none: undefined, deep: { a: [1] } } };
    const call = bus.call(single, caller, body, waiting);
    const answer = await call;
    expect(kept[0]).toStrictEqual({
      at: new Date(1),
      data: { at: new Date(2).toISOString(), deep: { a: [1] } },
    });
    expect(answer).toStrictEqual({
      at: new Date(5),
      data: { at: new Date(6).toISOString(), list: [null, null] },
    });
    kept[0]!.data['deep'] = 'changed';
    answer.data['at'] = 'changed';
    expect([body.data.deep, reply.data.at]).toEqual([{ a: [1] }, new Date(6)]);
  });

  it('brings the caller and the deadline', async () => {
    await serve(
      single,
      one((call) => ({
        data: { caller: call.caller, deadline: call.deadline?.getTime(), ...call.body.data },
      })),
    );
    const bus = busWith({ now: () => Promise.resolve(new Date(1_000_000)) });
    const { data } = await bus.call(single, caller, { data: {} }, { timeoutMs: 5_000 });
    expect(data).toEqual({ caller, deadline: 1_005_000 });
  });

  it('brings files, which stay with the caller', async () => {
    const letters = 'QUJD'.repeat(3 * minFileTextLength);
    const bus = await serve(
      single,
      one(({ body }) => {
        const { content } = body.attachments![0]!;
        const text = String(content);
        if (content instanceof Base64Text) content.decodeInPlace();
        return { data: { same: text === letters } };
      }),
    );
    const file = Base64Text.of(Buffer.from(letters))!;
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const body = { data: {}, attachments: [{ content: file }] };
      expect(await bus.call(single, caller, body, waiting)).toEqual({ data: { same: true } });
    }
    expect(file.literal.length).toBe(letters.length);
  });

  it('ends with the domain error of its handler', async () => {
    const details = { retryAfterSeconds: 7 };
    const bus = await serve(
      single,
      one(() => Promise.reject(new DomainError('rate_limited', 'rate_limited', 'Too many', details))),
    );
    const error = (await bus
      .call(single, caller, { data: {} }, waiting)
      .catch((reason) => reason)) as DomainError;
    expect(error).toMatchObject({ kind: 'rate_limited', code: 'rate_limited', message: 'Too many', details });
    expect(error).toBeInstanceOf(DomainError);
    expect(error.details).not.toBe(details);
  });

  it('is refused with a body that the contract does not allow', async () => {
    const bus = await serve(
      single,
      one(({ body }) => body),
    );
    const call = bus.call(single, caller, { data: 'text' } as unknown as Payload, waiting);
    await expect(call).rejects.toMatchObject({ kind: 'invalid', code: 'validation_error' });
  });

  it('tells nothing of an unexpected error', async () => {
    const bus = await serve(
      single,
      one(() => Promise.reject(new Error('secret words'))),
    );
    const call = bus.call(single, caller, { data: {} }, waiting);
    await expect(call).rejects.toMatchObject({ kind: 'internal', message: 'An unexpected error occurred' });
    expect(unexpected).toEqual(['Error: secret words']);
  });

  it('has an unknown outcome where its reply cannot be sent', async () => {
    const bus = await serve(
      single,
      one(() => ({ data: { secret: 1n } })),
    );
    const call = bus.call(single, caller, { data: {} }, { timeoutMs: 300 });
    await expect(call).rejects.toMatchObject({ name: 'CallFailed', isOutcomeUnknown: true });
    expect(unexpected).toHaveLength(1);
  });

  it.each([single, gathered])('fails at its deadline ($gathered)', async (contract) => {
    const bus = await serve(contract, async () => {
      await released.promise;
      return contract.gathered ? [{ data: {} }] : { data: {} };
    });
    const call = bus.call(contract, caller, { data: {} }, { timeoutMs: 50 });
    await expect(call).rejects.toMatchObject({ name: 'CallFailed', kind: 'timeout', isOutcomeUnknown: true });
    const read = busWith().call({ ...contract, onlyReads: true }, caller, { data: {} }, { timeoutMs: 50 });
    await expect(read).rejects.toMatchObject({ kind: 'timeout', isOutcomeUnknown: false });
  });

  it('is gathered with others, and each gets its own answer', async () => {
    const sizes: number[] = [];
    const bus = await serve(gathered, (incoming) => {
      sizes.push((incoming as Incoming<Payload>[]).length);
      return answerEach(incoming as Incoming<Payload>[], async ({ body }) => {
        if (body.data['place'] === 20) throw new DomainError('conflict', 'conflict', 'no');
        return { data: { ...body.data, for: actingCaller()!.projectId } };
      });
    });
    const projects = Array.from({ length: 50 }, () => newId());
    const outcomes = await Promise.allSettled(
      projects.map((projectId, place) =>
        bus.call(gathered, { ...caller, projectId }, { data: { place } }, waiting),
      ),
    );
    expect(sizes.length).toBeLessThanOrEqual(4);
    outcomes.forEach((outcome, place) => {
      if (place === 20) expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'conflict' } });
      else expect(outcome).toMatchObject({ value: { data: { place, for: projects[place] } } });
    });
  });

  it.each([single, gathered])('runs in the context of its service ($gathered)', async (contract) => {
    const sessionOf = async () =>
      (await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]!.pid;
    const look = async () => ({
      data: {
        service: currentService()?.name,
        acting: actingCaller()?.projectId,
        session: await sessionOf(),
      },
    });
    const bus = await serve(contract, async () => (contract.gathered ? [await look()] : look()));
    const outside = { ...caller, projectId: newId() };
    await runAsService('gateway', () =>
      runAsCaller(outside, () =>
        database.transaction(async () => {
          const { data } = await bus.call(contract, caller, { data: {} }, waiting);
          const own = await sessionOf();
          expect(data).toEqual({
            service: 'sending',
            ...(contract.gathered ? {} : { acting: caller.projectId }),
            session: expect.any(Number),
          });
          expect(data['session']).not.toBe(own);
          expect([currentService()?.name, actingCaller()]).toEqual(['gateway', outside]);
        }),
      ),
    );
  });

  it('is traced', async () => {
    const [gateway, sending] = [new Spans('gateway'), new Spans('sending')];
    const bus = await serve(
      single,
      one(() => ({ data: {} })),
      new Tracing(sending),
    );
    const tracing = new Tracing(gateway);
    const point = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) };
    await runInContext(tracing.context([point], ['request']), () =>
      bus.call(single, caller, { data: {} }, waiting),
    );
    expect([...gateway.lines, ...sending.lines]).toEqual([
      `gateway call ${subject} below ${point.spanId}`,
      `gateway send ${subject} below ${spanIdOf('gateway', 1)}`,
      `sending answer ${subject} below ${spanIdOf('gateway', 1)}`,
    ]);
  });

  it('is answered while its service stops, and not made afterwards', async () => {
    const began = Promise.withResolvers<void>();
    const bus = await serve(single, async () => {
      began.resolve();
      await released.promise;
      return { data: { done: true } };
    });
    const call = bus.call(single, caller, { data: {} }, waiting);
    await began.promise;
    const drained = responder!.drain();
    await there.nats.flush();
    await expect(bus.call(single, caller, { data: {} }, waiting)).rejects.toMatchObject(unreached);
    release();
    expect(await call).toEqual({ data: { done: true } });
    await drained;
  });

  it('is not made while its caller has no NATS', async () => {
    const bus = await serve(
      single,
      one(({ body }) => body),
    );
    await bus.call(single, caller, { data: {} }, waiting);
    await here.close();
    await expect(bus.call(single, caller, { data: {} }, waiting)).rejects.toMatchObject(unreached);
    here = await BusConnection.open({ url: nats.url, name: 'here' });
  });
});

describe('calls in the process', () => {
  it('are those that NATS lets the service make', () => {
    const calls = new ProcessCalls();
    calls.add(subject, { answerHere: () => Promise.resolve([]) });
    expect([calls.openTo('gateway').answers(single), calls.openTo('analytics').answers(single)]).toEqual([
      true,
      false,
    ]);
  });
});

const spanIdOf = (service: string, index: number): string =>
  Buffer.from(`${service.slice(0, 7)}${index}`)
    .toString('hex')
    .padEnd(16, '0')
    .slice(0, 16);

class Spans implements SpanRecorder {
  readonly lines: string[] = [];

  constructor(private readonly service: string) {}

  root(): OpenSpan | null {
    return null;
  }

  child(parent: { traceId: string; spanId: string }, name: string): OpenSpan {
    this.lines.push(`${this.service} ${name} below ${parent.spanId}`);
    const point = { traceId: parent.traceId, spanId: spanIdOf(this.service, this.lines.length) };
    return { point, add: () => undefined, fail: () => undefined, end: () => undefined };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
