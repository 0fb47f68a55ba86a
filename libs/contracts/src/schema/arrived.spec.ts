import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ArrivingCopy } from './arrived.js';
import { FreeMap, Instant, ListOf, Nested, Optional, Text } from './fields.js';
import { reviveDates } from './revive-dates.js';

class Inner {
  @Instant() @Optional() at?: Date;
  @Text(1, 9) @Optional() text?: string;
}
class Outer extends Inner {
  @Nested(() => Inner) @Optional() inner?: Inner;
  @ListOf(() => Inner, 0, 9) @Optional() list?: Inner[];
  @FreeMap() @Optional() map?: Record<string, unknown>;
}

const arrived = (value: unknown) => new ArrivingCopy().of(Outer, value as Outer);
const sent = (value: unknown) => reviveDates(Outer, JSON.parse(JSON.stringify(value)) as Outer);

const dates = fc.date({ min: new Date('1960-01-01'), max: new Date('+010001-01-01'), noInvalidDate: false });
const anything = fc.anything({ withDate: true, withNullPrototype: false, withSparseArray: true });
const instants = fc.oneof(dates, anything, fc.constant('2026-01-01T10:00+02:00'));
const inner = fc.record({ at: instants, text: anything, other: dates }, { requiredKeys: [] });
const outer = fc.record(
  {
    at: instants,
    inner: fc.oneof(inner, anything),
    list: fc.oneof(fc.array(inner), inner, anything),
    map: fc.oneof(fc.object({ withDate: true }), fc.constant(JSON.parse('{"__proto__":{"a":1}}'))),
    unknown: anything,
  },
  { requiredKeys: [] },
);

describe('the copy of a value as it arrives', () => {
  it('is what JSON makes of it, with the dates of the shape', () => {
    fc.assert(fc.property(outer, (value) => expect(arrived(value)).toStrictEqual(sent(value))));
  });

  it('shares nothing that can change', () => {
    const value = { at: new Date(), list: [{ at: new Date() }], map: { deep: [{}] } };
    const copy = arrived(value);
    expect(copy).toEqual(value);
    expect([copy.at === value.at, copy.list![0] === value.list[0], copy.map === value.map]).toEqual([
      false,
      false,
      false,
    ]);
    expect((copy.map!['deep'] as object[])[0]).not.toBe(value.map.deep[0]);
  });

  it('refuses what JSON refuses', () => {
    expect(() => arrived({ map: { n: 1n } })).toThrow(TypeError);
  });
});
