import type { FactoryProvider, Type } from '@nestjs/common';
import { Database } from './database.js';

/** Provides repositories and read models, which take the database and then the `others`. */
export const onDatabase = (classes: Type[], ...others: Type[]): FactoryProvider[] =>
  classes.map((provide) => ({
    provide,
    useFactory: (...taken: unknown[]) => new provide(...taken) as object,
    inject: [Database, ...others],
  }));
