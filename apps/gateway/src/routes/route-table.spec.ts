import { describe, expect, it } from '@jest/globals';
import { Contact, contactNotFound } from '@posthorn/contracts';
import { routeSources } from '../all-routes.js';
import { routeTable } from './route-table.js';
import { callersOf, Get, successOf, Post, scopesOf, type RouteDeclaration } from './route.js';

const declaring = (decorate: MethodDecorator) => {
  class Declaring {
    act() {
      return Promise.resolve({});
    }
  }
  decorate(Declaring.prototype, 'act', Object.getOwnPropertyDescriptor(Declaring.prototype, 'act')!);
  return Declaring;
};
const whole: RouteDeclaration = { summary: 'Get things', scope: 'contacts:read', reply: Contact };

describe('the route table', () => {
  const table = routeTable(routeSources);

  it('has every route on both surfaces, unless it names one', () => {
    const positions = table.routes.map(({ method, path }) => `${method} ${path}`);
    expect(positions).toEqual(
      expect.arrayContaining([
        'POST /api/v1/emails',
        'POST /api/emails',
        'GET /api/v1/contacts/:id',
        'GET /api/contacts/:id',
      ]),
    );
    expect(new Set(positions).size).toBe(positions.length);
    const without = (surface: string) =>
      table.routes
        .filter((route) => route.surface === surface)
        // What the surfaces call otherwise.
        .map(
          ({ method, path }) =>
            `${method} ${path
              .replace(/^\/api\/(v1\/)?/, '')
              .replace(/^suppressions\b/, 'suppression')
              .replace(/^contacts\/import$/, 'contacts/imports')}`,
        );
    const legacyOnly = ['POST track'];
    expect([...without('v1'), ...legacyOnly].sort()).toEqual(without('legacy').sort());
  });

  it('answers every deletion of the legacy surface with success alone', () => {
    const deletions = table.routes.filter(
      ({ method, surface }) => method === 'DELETE' && surface === 'legacy',
    );
    const withData = deletions.filter(({ declaration }) => successOf(declaration) !== 'deleted');
    expect([deletions.length > 10, withData.map(({ path }) => path)]).toEqual([true, []]);
  });

  it('answers lists of limited length as a whole on the legacy surface', () => {
    const whole = table.routes.filter(
      ({ surface, declaration }) => surface === 'legacy' && declaration.listed === 'whole',
    );
    expect(whole.map(({ path }) => path).sort()).toEqual([
      '/api/domains',
      '/api/projects/:projectId/api-keys',
      '/api/webhooks',
    ]);
  });

  it('knows which methods a path has', () => {
    const methodsAt = (path: string) => table.at(path).map(({ method }) => method);
    expect(methodsAt('/api/v1/emails')).toEqual(['POST', 'GET']);
    expect(methodsAt('/api/contacts/x')).toEqual(['GET', 'PATCH', 'DELETE']);
    expect(methodsAt('/api/v1/nothing')).toEqual([]);
    expect(methodsAt('/api/v1/emails/')).toEqual([]);
  });

  it('opens to public keys only what may be sent, and the way into a list and out of it', () => {
    const open = table.routes.filter(({ declaration }) => declaration.callers?.includes('PUBLIC'));
    expect(open.every(({ path, isSend }) => isSend || /\/lists\/:id\/(?:un)?subscribe$/.test(path))).toBe(
      true,
    );
    expect(open.every(({ declaration }) => scopesOf(declaration).includes('emails:send'))).toBe(true);
  });

  it('stops the boot for an incomplete declaration', () => {
    const undeclared = { reply: Contact } as unknown as RouteDeclaration;
    expect(() => routeTable([declaring(Get('things', undeclared))])).toThrow(
      'declaring.act (GET things) lacks a summary, a scope',
    );
    expect(() => routeTable([declaring(Post('things', whole))])).toThrow('lacks a body, or null for none');
    expect(() => routeTable([declaring(Get('things/:id', whole))])).toThrow(
      'lacks what a missing id answers',
    );
    expect(() =>
      routeTable([declaring(Get('things', { summary: 's', scope: 'contacts:read' } as RouteDeclaration))]),
    ).toThrow('lacks a reply');
    expect(() => routeTable([declaring(Get('/things', whole))])).toThrow('a path without a leading slash');
    expect(() =>
      routeTable([
        declaring(Post('things', { ...whole, body: undefined, listed: 'items' } as RouteDeclaration)),
      ]),
    ).toThrow('the method GET');
  });

  it('stops the boot for two routes in one place', () => {
    const one = declaring(Get('things/:id', { ...whole, missing: contactNotFound }));
    const other = declaring(Get('things/:thing', { ...whole, missing: contactNotFound }));
    expect(() => routeTable([one, other])).toThrow('two routes answer GET /api/v1/things/:');
  });

  it('says who may call a route, and with which scope', () => {
    const sought = (method: string, path: string) =>
      table.routes.find((route) => route.method === method && route.path === path)!.declaration;
    const send = sought('POST', '/api/v1/emails');
    expect([scopesOf(send), callersOf(send)]).toEqual([
      ['emails:send'],
      ['SECRET', 'PUBLIC', 'SESSION', 'TOKEN'],
    ]);
    const list = sought('GET', '/api/contacts');
    expect([scopesOf(list), callersOf(list)]).toEqual([['contacts:read'], ['SECRET', 'SESSION', 'TOKEN']]);
  });
});
