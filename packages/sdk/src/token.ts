/** A token for which there may be another, once the server refuses it. */
export type RenewableToken = {
  value: string;
  /** Asked once, when the server says the token is expired or invalid. `undefined`: the refusal stands. */
  renew: () => Promise<string | undefined>;
};

/** Nothing, where nobody is logged in. */
export type Token = string | RenewableToken | undefined;
