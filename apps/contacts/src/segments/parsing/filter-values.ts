import {
  maxSpanMs,
  msOfUnit,
  spanUnits,
  type ComparedValue,
  type ConditionField,
  type ConditionOperator,
  type InstantValue,
} from '@posthorn/contracts';
import type { Faults, Members } from './faults.js';
import { readInstant } from '../matching/instant-text.js';

type Requested =
  | { text: string }
  | { flag: boolean }
  | { value: ComparedValue }
  | { spanMs: number }
  | Record<string, never>;

const operandOf: Record<ConditionOperator, 'value' | 'ordered' | 'text' | 'span' | 'nothing'> = {
  equals: 'value',
  notEquals: 'value',
  contains: 'text',
  notContains: 'text',
  greaterThan: 'ordered',
  lessThan: 'ordered',
  greaterThanOrEqual: 'ordered',
  lessThanOrEqual: 'ordered',
  within: 'span',
  olderThan: 'span',
  exists: 'nothing',
  notExists: 'nothing',
  triggered: 'nothing',
  notTriggered: 'nothing',
  triggeredWithin: 'span',
  triggeredOlderThan: 'span',
  notTriggeredWithin: 'span',
  isMemberOf: 'nothing',
  isNotMemberOf: 'nothing',
};

export class FilterValues {
  constructor(
    private readonly given: Members,
    private readonly path: readonly string[],
    private readonly faults: Faults,
  ) {}

  read(field: ConditionField, operator: ConditionOperator): Requested | null {
    const wanted = operandOf[operator];
    if (wanted === 'span') return this.span();
    if (isGiven(this.given['unit']))
      return this.fault('unit', 'not_allowed', `is not used by ${operator}: leave it out`);
    if (wanted === 'nothing') return this.nothing(operator);
    if (!isGiven(this.given['value'])) return this.fault('value', 'required', 'is required');
    if (field === 'email') return this.address();
    if (field === 'subscribed') return this.flag();
    if (field === 'createdAt' || field === 'updatedAt') return this.instant();
    return wanted === 'text' ? this.text() : this.compared(wanted === 'ordered');
  }

  private nothing(operator: ConditionOperator): Requested | null {
    return isGiven(this.given['value'])
      ? this.fault('value', 'not_allowed', `is not used by ${operator}: leave it out`)
      : {};
  }

  private span(): Requested | null {
    const { value, unit } = this.given;
    const known = spanUnits.find((each) => each === unit);
    if (!isGiven(unit)) this.fault('unit', 'required', `is required: ${spanUnits.join(', ')}`);
    else if (!known) this.fault('unit', 'not_allowed', `must be one of ${spanUnits.join(', ')}`);
    if (!isGiven(value)) return this.fault('value', 'required', 'is required: how many of the unit');
    if (typeof value !== 'number') return this.fault('value', 'invalid_type', 'must be a number of the unit');
    if (!known) return null;
    const spanMs = Math.round(value * msOfUnit[known]);
    if (spanMs >= 1 && spanMs <= maxSpanMs) return { spanMs };
    return this.fault(
      'value',
      'out_of_range',
      `must be greater than 0, and at most ${maxSpanMs / msOfUnit[known]} ${known}`,
    );
  }

  private address(): Requested | null {
    const requested = this.text();
    return requested && 'text' in requested
      ? { text: String(requested.text).trim().toLowerCase() }
      : requested;
  }

  private flag(): Requested | null {
    const { value } = this.given;
    return typeof value === 'boolean'
      ? { flag: value }
      : this.fault('value', 'invalid_type', 'must be true or false');
  }

  private instant(): Requested | null {
    const { value } = this.given;
    const read = typeof value === 'string' ? instantOf(value) : null;
    const wanted =
      'must be an ISO 8601 date, such as 2026-01-31, or date-time with its zone, such as 2026-01-31T09:00:00Z';
    return read
      ? { value: read }
      : this.fault('value', typeof value === 'string' ? 'invalid_format' : 'invalid_type', wanted);
  }

  private text(): Requested | null {
    const { value } = this.given;
    if (typeof value !== 'string') return this.fault('value', 'invalid_type', 'must be a string');
    if (value === '') return this.fault('value', 'too_short', 'must not be empty');
    return isPlain(value)
      ? { text: value }
      : this.fault('value', 'invalid_text', 'must not contain NUL or lone surrogates');
  }

  /** A number compares with numbers, a date with dates, another text with texts. */
  private compared(ordered: boolean): Requested | null {
    const { value } = this.given;
    if (typeof value === 'number' && Number.isFinite(value))
      return { value: { kind: 'number', number: value } };
    if (typeof value === 'boolean' && !ordered) return { value: { kind: 'flag', flag: value } };
    const wanted = ordered
      ? 'must be a number, a date or a string'
      : 'must be a number, a date, a string, true or false';
    if (typeof value !== 'string') return this.fault('value', 'invalid_type', wanted);
    if (!isPlain(value))
      return this.fault('value', 'invalid_text', 'must not contain NUL or lone surrogates');
    return { value: instantOf(value) ?? { kind: 'text', text: value } };
  }

  private fault(member: 'value' | 'unit', code: Parameters<Faults['add']>[1], message: string): null {
    return this.faults.add([...this.path, member], code, message);
  }
}

function instantOf(text: string): InstantValue | null {
  const read = readInstant(text);
  return read && { kind: 'instant', from: read.at, day: read.day };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const isPlain = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();
