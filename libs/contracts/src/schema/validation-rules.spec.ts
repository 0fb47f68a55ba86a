import { describe, expect, it } from '@jest/globals';
import { getMetadataStorage, IsInt, IsString, validateSync } from 'class-validator';
import { rememberRules } from './validation-rules.js';

class Parent {
  @IsString()
  name: unknown;
}

class Child extends Parent {
  @IsInt({ groups: ['strict'] })
  age: unknown;
}

describe('cached validation rules', () => {
  rememberRules();
  const failing = (value: object, groups?: string[]) =>
    validateSync(value, groups && { groups }).map(({ property }) => property);

  it('are those of the class and its parents on every lookup', () => {
    const storage = getMetadataStorage();
    const rules = () => storage.getTargetValidationMetadatas(Child, '', false, false);
    expect(rules().map(({ propertyName }) => propertyName)).toEqual(['age', 'name']);
    expect(rules()).toBe(rules());
    expect(failing(new Child())).toEqual(['age', 'name']);
    expect(failing(Object.assign(new Child(), { name: 'Ada', age: 36 }))).toEqual([]);
    expect(failing(new Parent())).toEqual(['name']);
  });

  it('do not apply to validation groups', () => {
    expect(failing(new Child(), ['other'])).toEqual([]);
    expect(failing(new Child(), ['strict'])).toEqual(['age']);
  });
});
