/** Every project. */
export const standInProject = {
  name: 'Stand-in',
  disabled: false,
  disabledReason: null,
  sandboxHandle: 'p-stand-in',
  seq: 1,
  createdAt: new Date(),
  updatedAt: new Date(),
  timeZone: 'Asia/Tokyo',
};
