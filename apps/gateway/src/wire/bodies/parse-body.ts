import { readJson, type DomainError, type InvalidMember, type FileText } from '@posthorn/contracts';
import { maxDepth, scanBody, type BodyFault, type BodyFaultKind } from './body-guard.js';
import { bodyMissing, duplicateMember, notAnObject, notJson, notUtf8, RefusedMembers } from '../errors.js';

export const memberFaults: Readonly<Record<BodyFaultKind, Pick<InvalidMember, 'code' | 'message'>>> = {
  not_utf8: { code: 'invalid_text', message: 'must be valid UTF-8' },
  not_json: { code: 'invalid_format', message: 'must be valid JSON' },
  duplicate_member: { code: 'not_allowed', message: 'is named twice' },
  too_deep: { code: 'out_of_range', message: `must not be nested deeper than ${maxDepth}` },
  too_many_members: { code: 'out_of_range', message: 'has too many members' },
  nul: { code: 'invalid_text', message: 'must not contain NUL' },
  lone_surrogate: { code: 'invalid_text', message: 'must not contain a lone surrogate' },
  number_out_of_range: { code: 'out_of_range', message: 'is too large a number' },
};

/** Parses a JSON object (docs/api-decisions.md §1 says which fault is 400 and which is 422). */
export function parseBody(bytes: Buffer, members?: number): object {
  const value = parseValue(bytes, members);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notAnObject();
  return value;
}

/** Parses any JSON value. Long base64 members are views of `bytes`, which must not be reused meanwhile. */
export function parseValue(bytes: Buffer, members?: number): unknown {
  if (bytes.length === 0) throw bodyMissing();
  const fileTexts: FileText[] = [];
  const fault = scanBody(bytes, members, fileTexts);
  if (fault) throw refusal(fault);
  return parseJson(bytes, fileTexts);
}

function refusal({ kind, path }: BodyFault): DomainError {
  switch (kind) {
    case 'not_utf8':
      return notUtf8();
    case 'not_json':
      return notJson();
    case 'duplicate_member':
      return duplicateMember();
    case 'too_deep':
    case 'too_many_members':
    case 'nul':
    case 'lone_surrogate':
    case 'number_out_of_range':
      return new RefusedMembers([{ path, ...memberFaults[kind] }]);
  }
}

function parseJson(bytes: Buffer, fileTexts: FileText[]): unknown {
  try {
    return readJson(bytes, fileTexts);
  } catch (error) {
    if (error instanceof SyntaxError) throw notJson();
    throw error;
  }
}
