import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { BusConnection } from '../calls/connection.js';

interface Answers {
  created?: string;
  lastSequence?: number;
  /** Only the first two looks at a stream: a relay takes that many when it starts. */
  once?: boolean;
}

interface Info {
  created: string;
  state?: { last_seq: number };
}

/** A connection over which another replica of the stream answers, which knows it in its own way. */
export function asOtherReplica(bus: BusConnection, answers: Answers): BusConnection {
  let looks = 0;
  const request = async (...call: Parameters<NatsConnection['request']>): Promise<Msg> => {
    const answer = await bus.nats.request(...call);
    if (!call[0].startsWith('$JS.API.STREAM.INFO.')) return answer;
    looks += 1;
    return answers.once && looks > 2 ? answer : altered(answer, answers);
  };
  const nats = overriding(bus.nats, { request });
  return overriding(bus, { nats });
}

function altered(answer: Msg, { created, lastSequence }: Answers): Msg {
  const info = answer.json<Info>();
  if (created) info.created = created;
  if (info.state && lastSequence !== undefined) info.state.last_seq = lastSequence;
  return overriding(answer, { data: Buffer.from(JSON.stringify(info)) });
}

const overriding = <T extends object>(of: T, values: Partial<T>): T =>
  new Proxy(of, {
    get: (target, name) => {
      if (name in values) return values[name as keyof T];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
