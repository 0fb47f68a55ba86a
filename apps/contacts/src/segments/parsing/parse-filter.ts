import {
  emailActivities,
  isUuid,
  maxFieldDepth,
  operatorAliases,
  operatorsOf,
  type ConditionField,
  type ConditionFilter,
  type ConditionOperator,
} from '@posthorn/contracts';
import { type Faults, isMembers, refuseUnknown, type Members } from './faults.js';
import { FilterValues } from './filter-values.js';

type Position = readonly string[];

/** What a field names besides its kind. */
type Subject =
  | { field: 'email' | 'subscribed' | 'createdAt' | 'updatedAt' }
  | { field: 'customField'; path: readonly string[] }
  | { field: 'event'; name: string }
  | { field: 'activity'; activity: (typeof emailActivities)[number] }
  | { field: 'segment' | 'list'; id: string };

const known =
  'email, subscribed, createdAt, updatedAt, customFields.<path>, event.<name>, email.<activity>, segment.<id> or list.<id>';
const pathName = /^[A-Za-z0-9_]+$/;
const maxEventName = 200;

/** One filter, or null where something about it is wrong. */
export function parseFilter(given: unknown, location: Position, faults: Faults): ConditionFilter | null {
  if (!isMembers(given))
    return faults.add(location, 'invalid_type', 'must be an object {field, operator, value, unit}');
  refuseUnknown(given, ['field', 'operator', 'value', 'unit'], location, faults);
  const subject = readSubject(given['field'], [...location, 'field'], faults);
  if (!subject) return null;
  const operator = readOperator(given, subject.field, [...location, 'operator'], faults);
  if (!operator) return null;
  const requested = new FilterValues(given, location, faults).read(subject.field, operator);
  // Each kind of field has been asked only for what its operator takes.
  return requested && ({ ...subject, operator, ...requested, place: location } as ConditionFilter);
}

function readSubject(field: unknown, location: Position, faults: Faults): Subject | null {
  if (field === undefined) return faults.add(location, 'required', `is required: ${known}`);
  if (typeof field !== 'string') return faults.add(location, 'invalid_type', 'must be a string');
  if (field === 'email' || field === 'subscribed' || field === 'createdAt' || field === 'updatedAt')
    return { field };
  const dot = field.indexOf('.');
  const [kind, rest] = [field.slice(0, dot), field.slice(dot + 1)];
  if (dot > 0) {
    if (kind === 'customFields' || kind === 'data') return readPath(rest, location, faults);
    if (kind === 'event') return readEvent(rest, location, faults);
    if (kind === 'email') return readActivity(rest, location, faults);
    if (kind === 'segment' || kind === 'list') return readReference(kind, rest, location, faults);
  }
  return faults.add(location, 'not_allowed', `is no field: use ${known}`);
}

function readPath(rest: string, location: Position, faults: Faults): Subject | null {
  const path = rest.split('.');
  if (path.length > maxFieldDepth)
    return faults.add(location, 'out_of_range', `must name at most ${maxFieldDepth} levels`);
  if (path.every((name) => pathName.test(name))) return { field: 'customField', path };
  return faults.add(
    location,
    'invalid_format',
    'must be a path of names of letters, digits and _, joined by dots',
  );
}

function readEvent(name: string, location: Position, faults: Faults): Subject | null {
  const isShort = name.length <= maxEventName || faults.ofStored;
  if (name.length >= 1 && isShort && isPlain(name)) return { field: 'event', name };
  return faults.add(
    location,
    'invalid_format',
    `must name an event of 1 to ${maxEventName} characters after "event."`,
  );
}

function readActivity(rest: string, location: Position, faults: Faults): Subject | null {
  const activity = emailActivities.find((each) => each === rest);
  if (activity) return { field: 'activity', activity };
  return faults.add(
    location,
    'not_allowed',
    `must be one of ${emailActivities.map((each) => `email.${each}`).join(', ')}`,
  );
}

function readReference(
  field: 'segment' | 'list',
  id: string,
  location: Position,
  faults: Faults,
): Subject | null {
  if (isUuid(id)) return { field, id: id.toLowerCase() };
  return faults.add(location, 'invalid_format', `must name a ${field} by its id, as ${field}.<uuid>`);
}

function readOperator(
  given: Members,
  field: ConditionField,
  location: Position,
  faults: Faults,
): ConditionOperator | null {
  const { operator } = given;
  const fitting = operatorsOf[field];
  if (operator === undefined) return faults.add(location, 'required', `is required: ${fitting.join(', ')}`);
  if (typeof operator !== 'string') return faults.add(location, 'invalid_type', 'must be a string');
  const named = Object.hasOwn(operatorAliases, operator) ? operatorAliases[operator] : operator;
  const found = fitting.find((each) => each === named);
  return (
    found ?? faults.add(location, 'not_allowed', `does not fit this field: use one of ${fitting.join(', ')}`)
  );
}

const isPlain = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();
