import type { FactoryProvider, Type } from '@nestjs/common';
import { Database } from './database.js';

export const onDatabase = (classes: Type[], ...others: Type[]): FactoryProvider[] =>
  classes.map((provide) => ({
    provide,
    useFactory: (...taken: unknown[]) => new provide(...taken) as object,
    inject: [Database, ...others],
  }));
