// Whether a text is an id. Loaded by browsers: imports nothing.

export const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether the value is well-formed. */
export const isId = (value: string): boolean => uuid7.test(value);
