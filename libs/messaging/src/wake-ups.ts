import type { ServiceName } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import type { BusConnection } from './calls/connection.js';

export type WakeUpTopic = 'work' | 'deliveries';

const lingerMs = 20;

/** Wakes all processes of a service: this one directly, the others over NATS. Best effort: listeners also poll. */
export class WakeUps {
  private readonly listeners = new Map<WakeUpTopic, Set<() => void>>();
  private readonly pending = new Set<WakeUpTopic>();
  private readonly sender = newId();

  constructor(
    private readonly connection: BusConnection,
    private readonly service: ServiceName,
  ) {
    connection.nats.subscribe(this.subjectOf('*'), {
      callback: (error, message) => {
        if (!error && message.string() !== this.sender)
          this.notify(message.subject.split('.').at(-1) as WakeUpTopic);
      },
    });
  }

  on(topic: WakeUpTopic, listener: () => void): () => void {
    const listeners = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  send(topic: WakeUpTopic): void {
    this.notify(topic);
    if (this.pending.has(topic)) return;
    this.pending.add(topic);
    setTimeout(() => this.publish(topic), lingerMs).unref();
  }

  flush(): void {
    for (const topic of this.pending) this.publish(topic);
  }

  private publish(topic: WakeUpTopic): void {
    if (this.pending.delete(topic) && this.connection.connected)
      this.connection.nats.publish(this.subjectOf(topic), this.sender);
  }

  private notify(topic: WakeUpTopic): void {
    for (const listener of this.listeners.get(topic) ?? []) listener();
  }

  private subjectOf(topic: string): string {
    return `wake.${this.service}.${topic}`;
  }
}
