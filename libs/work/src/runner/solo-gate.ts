/** A suspect item runs alone in the process, whose services share the gate: a crash is then its own. */
export class SoloGate {
  private running = 0;
  private solo = false;
  private readonly waiting: (() => void)[] = [];

  async shared<T>(work: () => Promise<T>): Promise<T> {
    while (this.solo) await this.change();
    this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
      this.changed();
    }
  }

  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.solo) await this.change();
    this.solo = true;
    try {
      while (this.running > 0) await this.change();
      return await work();
    } finally {
      this.solo = false;
      this.changed();
    }
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private changed(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

export const processGate = new SoloGate();
