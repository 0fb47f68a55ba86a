import { expect, it } from '@jest/globals';
import { connectionShares, connectionsOf } from './connection-shares.js';

const kinds = Object.keys(connectionShares) as (keyof typeof connectionShares)[];

it('kinds of work that one project can request in any number leave connections to everything else', () => {
  for (let pool = 5; pool <= 200; pool += 1) {
    const held = kinds.reduce((sum, kind) => sum + connectionsOf(pool, kind), 0);
    expect([pool, held < pool]).toEqual([pool, true]);
  }
});
