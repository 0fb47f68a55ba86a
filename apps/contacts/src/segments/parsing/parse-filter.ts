import { usableFieldName } from '../../contacts/field-name.js';
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

type Path = readonly string[];

type Subject =
  | { field: 'email' | 'subscribed' | 'createdAt' | 'updatedAt' }
  | { field: 'customField'; path: readonly string[] }
  | { field: 'event'; name: string }
  | { field: 'activity'; activity: (typeof emailActivities)[number] }
  | { field: 'segment' | 'list'; id: string };

const known =
  'email, subscribed, createdAt, updatedAt, customFields.<path>, event.<name>, email.<activity>, segment.<id> or list.<id>';
const maxEventName = 200;

export function parseFilter(given: unknown, path: Path, faults: Faults): ConditionFilter | null {
  if (!isMembers(given))
    return faults.add(path, 'invalid_type', 'must be an object {field, operator, value, unit}');
  refuseUnknown(given, ['field', 'operator', 'value', 'unit'], path, faults);
  const subject = readSubject(given['field'], [...path, 'field'], faults);
  if (!subject) return null;
  const operator = readOperator(given, subject.field, [...path, 'operator'], faults);
  if (!operator) return null;
  const requested = new FilterValues(given, path, faults).read(subject.field, operator);
  return requested && ({ ...subject, operator, ...requested, place: path } as ConditionFilter);
}

function readSubject(field: unknown, path: Path, faults: Faults): Subject | null {
  if (field === undefined) return faults.add(path, 'required', `is required: ${known}`);
  if (typeof field !== 'string') return faults.add(path, 'invalid_type', 'must be a string');
  if (field === 'email' || field === 'subscribed' || field === 'createdAt' || field === 'updatedAt')
    return { field };
  const dot = field.indexOf('.');
  const [kind, rest] = [field.slice(0, dot), field.slice(dot + 1)];
  if (dot > 0) {
    if (kind === 'customFields' || kind === 'data') return readPath(rest, path, faults);
    if (kind === 'event') return readEvent(rest, path, faults);
    if (kind === 'email') return readActivity(rest, path, faults);
    if (kind === 'segment' || kind === 'list') return readReference(kind, rest, path, faults);
  }
  return faults.add(path, 'not_allowed', `is not a field: use ${known}`);
}

function readPath(rest: string, path: Path, faults: Faults): Subject | null {
  const names = rest.split('.');
  if (names.length > maxFieldDepth)
    return faults.add(path, 'out_of_range', `must name at most ${maxFieldDepth} levels`);
  if (names.every((name) => usableFieldName.test(name))) return { field: 'customField', path: names };
  return faults.add(
    path,
    'invalid_format',
    'must be a path of names of letters, digits and _, joined by dots',
  );
}

function readEvent(name: string, path: Path, faults: Faults): Subject | null {
  const isShort = name.length <= maxEventName || faults.isStored;
  if (name.length >= 1 && isShort && isPlain(name)) return { field: 'event', name };
  return faults.add(
    path,
    'invalid_format',
    `must name an event of 1 to ${maxEventName} characters after "event."`,
  );
}

function readActivity(rest: string, path: Path, faults: Faults): Subject | null {
  const activity = emailActivities.find((each) => each === rest);
  if (activity) return { field: 'activity', activity };
  return faults.add(
    path,
    'not_allowed',
    `must be one of ${emailActivities.map((each) => `email.${each}`).join(', ')}`,
  );
}

function readReference(field: 'segment' | 'list', id: string, path: Path, faults: Faults): Subject | null {
  if (isUuid(id)) return { field, id: id.toLowerCase() };
  return faults.add(path, 'invalid_format', `must name a ${field} by its id, as ${field}.<uuid>`);
}

function readOperator(
  given: Members,
  field: ConditionField,
  path: Path,
  faults: Faults,
): ConditionOperator | null {
  const { operator } = given;
  const fitting = operatorsOf[field];
  if (operator === undefined) return faults.add(path, 'required', `is required: ${fitting.join(', ')}`);
  if (typeof operator !== 'string') return faults.add(path, 'invalid_type', 'must be a string');
  const named = Object.hasOwn(operatorAliases, operator) ? operatorAliases[operator] : operator;
  const found = fitting.find((each) => each === named);
  return (
    found ?? faults.add(path, 'not_allowed', `does not fit this field: use one of ${fitting.join(', ')}`)
  );
}

const isPlain = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();
