export * from './csv-reader.js';
export * from './csv-table.js';
