import { baseline } from './migrations/1767000000000-baseline.js';

export const entities = [];

export const migrations = [baseline];
