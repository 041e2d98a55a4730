// The classes of acts and the modes of a policy, as plain lists. Loaded by browsers: imports nothing.

/**
 * What an act does, from the mildest on: it reads; it changes which page is shown; it writes into a field; it sends a form;
 * it says yes to a dialog; it goes to a site that nobody named; it takes or gives a file; it writes a secret; it commits a
 * person to something. The last six are not stricter than each other: rules name them one by one.
 */
export const actClasses = [
  'read',
  'move',
  'write',
  'submit',
  'dialog',
  'reach',
  'download',
  'upload',
  'credential',
  'commit',
] as const;

/** From the mildest on. `free` asks for nothing, and only administrators may choose it. */
export const policyModes = ['free', 'standard', 'careful', 'watch'] as const;

/** What a person can say to an act: this once; this class of act on this site, for this task; or no. */
export const approvalAnswers = ['once', 'kind', 'no'] as const;
