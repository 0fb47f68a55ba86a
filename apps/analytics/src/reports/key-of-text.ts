import { createHash } from 'node:crypto';

/** As the fold makes it in Postgres. */
export const keyOfText = (text: string): string => createHash('md5').update(text).digest('hex');
