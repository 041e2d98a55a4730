// The keys that sign evidence: those of the settings, or else one that is derived from the key of profiles.

import { deriveSeed, type EvidenceSigner, signerOf } from '@pilothouse/evidence';

type Keys = { evidenceSeeds: readonly Uint8Array[]; profileKeys: readonly Uint8Array[] };

/** The first signs; the others signed before, and are only shown. Empty if the installation has no secret to sign with. */
export const evidenceSignersOf = ({ evidenceSeeds, profileKeys }: Keys): EvidenceSigner[] =>
  (evidenceSeeds.length > 0 ? evidenceSeeds : profileKeys.map(deriveSeed)).map(signerOf);
