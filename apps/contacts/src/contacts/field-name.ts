/** A name of a custom field that conditions of segments can use. */
export const usableFieldName = /^[A-Za-z0-9_]+$/;
