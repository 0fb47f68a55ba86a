export class Started {
  private readonly stops: (() => Promise<void> | void)[] = [];

  add(stop: () => Promise<void> | void): void {
    this.stops.push(stop);
  }

  async stop(): Promise<void> {
    for (const stop of this.stops.splice(0).reverse()) await stop();
  }
}
