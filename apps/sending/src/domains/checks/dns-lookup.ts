import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { boundedText } from '@posthorn/contracts';
import { ConfigError } from '@posthorn/platform';
import { SendingConfig } from '../../config.js';

/** Empty where the name has no such record; null where no server could answer. */
export type Answer = readonly string[] | null;

const tries = 2;
const maxChain = 8;
/** Bounds the work that a hostile name can cause. */
const maxValues = 50;
const maxValue = 8_192;

const absent: readonly string[] = ['ENOTFOUND', 'ENODATA', 'NOTFOUND', 'NODATA'];

@Injectable()
export class DnsLookup {
  private readonly servers: readonly string[];

  constructor(private readonly config: SendingConfig) {
    this.servers = (config.dnsServers ?? '').split(',').flatMap((server) => server.trim() || []);
    this.resolver();
  }

  /** Null also where the signal came first; so for all lookups. */
  txt(name: string, signal: AbortSignal): Promise<Answer> {
    return this.followed(name, signal, async (resolver, at) =>
      (await resolver.resolveTxt(at)).map((strings) => strings.join('')),
    );
  }

  mx(name: string, signal: AbortSignal): Promise<Answer> {
    return this.followed(name, signal, async (resolver, at) =>
      (await resolver.resolveMx(at)).map(({ exchange }) => exchange),
    );
  }

  /** Of both kinds. */
  async addresses(name: string, signal: AbortSignal): Promise<Answer> {
    const [four, six] = await Promise.all([
      this.followed(name, signal, (resolver, at) => resolver.resolve4(at)),
      this.followed(name, signal, (resolver, at) => resolver.resolve6(at)),
    ]);
    return four && six && [...four, ...six];
  }

  async aliases(name: string, signal: AbortSignal): Promise<Answer> {
    const chain: string[] = [];
    for (let at = name; chain.length < maxChain; at = chain.at(-1)!) {
      const [next] = (await this.requested(signal, (resolver) => resolver.resolveCname(at))) ?? [null];
      if (next === null) return null;
      if (next === undefined) return chain;
      chain.push(next);
    }
    return chain;
  }

  /** An authoritative server answers with the alias only, so its target is looked up here. */
  private async followed(
    name: string,
    signal: AbortSignal,
    request: (resolver: Resolver, at: string) => Promise<string[]>,
  ): Promise<Answer> {
    let at = name;
    for (let hops = 0; hops < maxChain; hops += 1) {
      const values = await this.requested(signal, (resolver) => request(resolver, at));
      if (values === null || values.length > 0) return values;
      const [target] = (await this.requested(signal, (resolver) => resolver.resolveCname(at))) ?? [null];
      if (target === null) return null;
      if (target === undefined) return [];
      at = target;
    }
    return [];
  }

  private async requested(
    signal: AbortSignal,
    request: (resolver: Resolver) => Promise<string[]>,
  ): Promise<Answer> {
    if (signal.aborted) return null;
    const resolver = this.resolver();
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const values = await request(resolver);
      return values.slice(0, maxValues).map((value) => boundedText(value, maxValue));
    } catch (error) {
      return absent.includes((error as NodeJS.ErrnoException).code ?? '') ? [] : null;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** New for each lookup, because a resolver caches answers and avoids servers that failed. */
  private resolver(): Resolver {
    const resolver = new Resolver({ timeout: this.config.dnsTimeoutMs, tries });
    try {
      if (this.servers.length > 0) resolver.setServers(this.servers);
    } catch (error) {
      throw new ConfigError([`DNS_SERVERS=${this.config.dnsServers}: ${(error as Error).message}`]);
    }
    return resolver;
  }
}
