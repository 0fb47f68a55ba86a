export const usableFieldName = /^[A-Za-z0-9_]+$/;
