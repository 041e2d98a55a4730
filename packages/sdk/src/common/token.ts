// The token that a client sends.

/** A token that can be renewed if the server refuses it. */
export type RenewableToken = {
  value: string;
  /** Called once, if the server answers that the token is expired or invalid. `undefined`: there is no other token. */
  renew: () => Promise<string | undefined>;
};

/** Undefined if no user is logged in. */
export type Token = string | RenewableToken | undefined;
