import {
  conditionLogics,
  maxConditionDepth,
  maxConditionFilters,
  type Condition,
  type ConditionGroup,
  type ConditionLogic,
} from '@posthorn/contracts';
import { Faults, isMembers, refuseUnknown, type Members } from './faults.js';
import { parseFilter } from './parse-filter.js';

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
