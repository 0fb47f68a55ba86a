import { erasures, type Caller, type Erasure } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import type { ContactsSuite } from './contacts-suite.js';

export function erasuresFixture({ bus }: Pick<ContactsSuite, 'bus'>) {
  const report = (caller: Caller, id: string): Promise<Erasure> => bus.call(erasures.get, caller, { id });
  return {
    report,
    completed: (caller: Caller, id: string): Promise<Erasure> =>
      eventually(async () => {
        const erasure = await report(caller, id);
        return erasure.completedAt && erasure;
      }, 'the erasure is complete'),
  };
}
