import { describe, expect, it } from '@jest/globals';
import { SoloGate } from './solo-gate.js';

/** Work that ends when the test says so. */
class Steps {
  readonly log: string[] = [];
  private readonly ends = new Map<string, () => void>();

  work = (name: string) => (): Promise<void> => {
    this.log.push(`${name} begins`);
    return new Promise((resolve) => {
      this.ends.set(name, () => {
        this.log.push(`${name} ends`);
        resolve();
      });
    });
  };

  async end(name: string): Promise<void> {
    this.ends.get(name)!();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the gate of a process', () => {
  it('runs batches in parallel, and a solo one after the running ones and before later ones', async () => {
    const [gate, steps] = [new SoloGate(), new Steps()];
    const all = [
      gate.shared(steps.work('a')),
      gate.shared(steps.work('b')),
      gate.alone(steps.work('solo')),
      gate.shared(steps.work('c')),
    ];
    await steps.end('a');
    expect(steps.log).toEqual(['a begins', 'b begins', 'a ends']);
    await steps.end('b');
    await steps.end('solo');
    await steps.end('c');
    await Promise.all(all);
    expect(steps.log).toEqual([
      'a begins',
      'b begins',
      'a ends',
      'b ends',
      'solo begins',
      'solo ends',
      'c begins',
      'c ends',
    ]);
  });

  it('runs solo batches one after another', async () => {
    const [gate, steps] = [new SoloGate(), new Steps()];
    const all = [gate.alone(steps.work('first')), gate.alone(steps.work('second'))];
    await new Promise((resolve) => setImmediate(resolve));
    await steps.end('first');
    await steps.end('second');
    await Promise.all(all);
    expect(steps.log).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });

  it('opens again after work that fails, and passes its error on', async () => {
    const gate = new SoloGate();
    const fail = () => Promise.reject(new Error('it failed'));
    await expect(gate.alone(fail)).rejects.toThrow('it failed');
    await expect(gate.shared(fail)).rejects.toThrow('it failed');
    await expect(gate.alone(() => Promise.resolve('open'))).resolves.toBe('open');
  });
});
