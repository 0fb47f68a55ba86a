export * from './csv-reader.js';
export * from './csv-table.js';
export * from './stored-rows.js';
export * from './table-pieces.js';
