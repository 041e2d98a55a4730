// What the environment says, as a typed object.

export type Config = {
  url: string | undefined;
  apiKey: string | undefined;
  /** Where the credentials lie. */
  configDir: string;
  /** Where a server on this machine keeps its data. */
  dataDir: string;
  homeDir: string;
  /** A program that opens an address, where the user chose one. */
  browser: string | undefined;
  hasColor: boolean | undefined;
};
