// Bundles of evidence: the canonical form, the chain, the keys, the writer and the verifier. Has no database and no server.
export { canonicalJson } from './canonical-json.ts';
export { describeVerdict } from './describe.ts';
export { formatName, formatVersion, sha256 } from './format.ts';
export { deriveSeed, type EvidenceSigner, readPublicKey, readSeed, signerOf } from './keys.ts';
export { type Fault, type Verified, type VerifyOptions, verifyBundle } from './verify.ts';
export { type NewRecord, writeBundle } from './write.ts';
