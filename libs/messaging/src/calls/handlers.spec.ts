import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { copyEvents, domains, emailEvents, type DomainId } from '@posthorn/contracts';
import { BusServer, type BusServerOptions } from './bus-server.js';
import { findHandlers, Handles, OnEachEvent, OnEvent, type Incoming } from './handlers.js';

@Injectable()
class Domains {
  private readonly known = 'known';

  @Handles(domains.get)
  get({ body }: Incoming<DomainId>): Promise<string> {
    return Promise.resolve(`${this.known} ${body.id}`);
  }

  @Handles(domains.delete)
  delete(): Promise<string> {
    throw new Error('thrown before the first await');
  }

  unmarked(): void {}
}

@Injectable()
class Mails {
  @OnEvent(emailEvents.accepted, 'one')
  onAccepted(): Promise<void> {
    return Promise.resolve();
  }

  @OnEachEvent([emailEvents.sent, copyEvents.sent], 'workflows')
  onSent(): Promise<void> {
    return Promise.resolve();
  }
}

@Injectable()
class OtherDomains extends Domains {}

async function modulesOf(...providers: (typeof Domains | typeof Mails)[]): Promise<ModulesContainer> {
  @Module({ providers })
  class Inner {}
  @Module({ imports: [Inner] })
  class Outer {}
  const app = await NestFactory.createApplicationContext(Outer, { logger: false, abortOnError: false });
  return app.get(ModulesContainer);
}

describe('the marked methods of providers', () => {
  it('are found in every module, and belong to their instance', async () => {
    const found = findHandlers(await modulesOf(Domains));
    expect(found.map(({ pattern }) => pattern)).toEqual([domains.get.subject, domains.delete.subject]);
    expect(await found[0]!.handle({ body: { id: 'a' } })).toBe('known a');
    await expect(found[1]!.handle({})).rejects.toThrow('thrown before the first await');
  });

  it('are subscribers where they follow events', async () => {
    const found = findHandlers(await modulesOf(Mails));
    expect(found.every(({ isSubscriber }) => isSubscriber)).toBe(true);
    expect(found[0]!.pattern).toBe(`${emailEvents.accepted.name} one`);
    expect(found.length).toBeGreaterThan(1);
  });

  it('are refused where two answer one subject', async () => {
    const server = new BusServer({ service: 'sending' } as BusServerOptions);
    const modules = await modulesOf(Domains, OtherDomains);
    expect(() => server.addHandlersOf(modules)).toThrow(`${domains.get.subject} has two handlers`);
  });
});
