import { afterAll, beforeAll } from '@jest/globals';
import { startContactsSuite, type ContactsSuite } from '../../testing/contacts-suite.js';
import { SegmentsOf } from './segments-suite.js';

/** The contacts service for the tests of a block, and projects whose segments they make. */
export function withSegments(): { suite: ContactsSuite; open: () => SegmentsOf } {
  const given = {
    suite: undefined as unknown as ContactsSuite,
    open: () => {
      const { caller, projectId } = given.suite.buildProject();
      return new SegmentsOf(given.suite, caller, projectId);
    },
  };
  beforeAll(async () => {
    given.suite = await startContactsSuite();
  });
  afterAll(() => given.suite.stop());
  return given;
}
