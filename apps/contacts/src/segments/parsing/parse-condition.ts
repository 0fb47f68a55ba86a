import {
  conditionLogics,
  maxConditionDepth,
  maxConditionFilters,
  type Condition,
  type ConditionGroup,
  type ConditionLogic,
  emailActivities,
  isUuid,
  maxFieldDepth,
  operatorAliases,
  operatorsOf,
  type ConditionField,
  type ConditionFilter,
  type ConditionOperator,
} from '@posthorn/contracts';
import { Faults, isMembers, refuseUnknown, type Members } from './faults.js';
import { usableFieldName } from '../../contacts/writes/custom-fields.js';
import { FilterValues } from './filter-values.js';

type Path = readonly string[];

export const parseCondition = (given: unknown, path: Path = ['condition']): Condition =>
  parse(given, new Faults(path));

/** An erasure may have replaced addresses by longer texts than the API allows. */
export const storedCondition = (stored: unknown): Condition =>
  parse(stored, new Faults(['condition'], { isStored: true }));

function parse(given: unknown, faults: Faults): Condition {
  if (countFilters(given) > maxConditionFilters) {
    faults.add(
      [],
      'too_long',
      `must have at most ${maxConditionFilters} filters in all: use fewer, or name another segment`,
    );
  }
  faults.refuse();
  const condition = parseLevel(given, [], 1, faults);
  faults.refuse();
  return condition!;
}

/** Counted before parsing, so that an oversized condition is one error and not thousands. */
function countFilters(given: unknown): number {
  if (!isMembers(given) || !Array.isArray(given['groups'])) return 0;
  return given['groups'].reduce((sum: number, group: unknown) => {
    if (!isMembers(group)) return sum + 1;
    return (
      sum +
      (Array.isArray(group['filters']) ? group['filters'].length : 0) +
      countFilters(group['conditions'])
    );
  }, 0);
}

function parseLevel(given: unknown, path: Path, depth: number, faults: Faults): Condition | null {
  if (depth > maxConditionDepth) {
    return faults.add(
      path,
      'out_of_range',
      `must not be nested deeper than ${maxConditionDepth} (the outermost is 1): join its groups`,
    );
  }
  if (!isMembers(given)) return faults.add(path, 'invalid_type', 'must be an object {logic, groups}');
  refuseUnknown(given, ['logic', 'groups'], path, faults);
  const logic = parseLogic(given, path, faults);
  const groups = given['groups'];
  if (!Array.isArray(groups)) return faults.add([...path, 'groups'], ...notAList);
  if (groups.length === 0)
    return faults.add(
      [...path, 'groups'],
      'too_short',
      'must not be empty: give at least one group with a filter',
    );
  const parsed = groups.map((group: unknown, index) =>
    parseGroup(group, [...path, 'groups', String(index)], depth, faults),
  );
  const whole = parsed.filter((group) => group !== null);
  return logic && whole.length === parsed.length ? { logic, groups: whole } : null;
}

function parseLogic(given: Members, path: Path, faults: Faults): ConditionLogic | null {
  const logic = conditionLogics.find((each) => each === given['logic']);
  if (logic) return logic;
  const at = [...path, 'logic'];
  return given['logic'] === undefined
    ? faults.add(at, ...required)
    : faults.add(at, 'not_allowed', `must be one of ${conditionLogics.join(', ')}`);
}

function parseGroup(given: unknown, path: Path, depth: number, faults: Faults): ConditionGroup | null {
  if (!isMembers(given)) return faults.add(path, 'invalid_type', 'must be an object {filters, conditions?}');
  refuseUnknown(given, ['filters', 'conditions'], path, faults);
  const { filters = [], conditions = null } = given;
  if (!Array.isArray(filters)) return faults.add([...path, 'filters'], ...notAList);
  if (filters.length === 0 && conditions === null) {
    return faults.add(
      [...path, 'filters'],
      'too_short',
      'must not be empty: give a filter, or nested conditions',
    );
  }
  const parsed = filters.map((filter: unknown, index) =>
    parseFilter(filter, [...path, 'filters', String(index)], faults),
  );
  const nested =
    conditions === null ? null : parseLevel(conditions, [...path, 'conditions'], depth + 1, faults);
  const whole = parsed.filter((filter) => filter !== null);
  return whole.length === parsed.length && (conditions === null || nested)
    ? { filters: whole, conditions: nested }
    : null;
}

const required = ['required', 'is required'] as const;
const notAList = ['invalid_type', 'must be a list'] as const;

type Subject =
  | { field: 'email' | 'subscribed' | 'createdAt' | 'updatedAt' }
  | { field: 'customField'; path: readonly string[] }
  | { field: 'event'; name: string }
  | { field: 'activity'; activity: (typeof emailActivities)[number] }
  | { field: 'segment' | 'list'; id: string };

const known =
  'email, subscribed, createdAt, updatedAt, customFields.<path>, event.<name>, email.<activity>, segment.<id> or list.<id>';
const maxEventName = 200;

function parseFilter(given: unknown, path: Path, faults: Faults): ConditionFilter | null {
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
