// The connection of a program to the browser of a session: opened by a request, then pieces of messages in both directions.
// Pieces are numbered: a connection with a gap is over, and its program connects again.

import { z } from 'zod';
import { type Codec, DecodeError, json } from '../wire/codec.ts';
import { defineMessage, defineRequest } from '../wire/define.ts';
import { askersOf, subjects } from '../wire/subjects.ts';
import { Failed } from './failure.ts';
import { Gate } from './gate.ts';
import { BusId } from './heartbeat.ts';

/** What acts of a program are held to. */
export const ProgramRules = Gate.pick({ rules: true, is_given: true, is_watched: true });
export type ProgramRules = z.output<typeof ProgramRules>;

export const ProgramOpen = z.object({
  connection_id: BusId,
  /** What the program gets while another drives: words at once, or what a page that loads would give. */
  while_driven: z.enum(['fail', 'wait']),
  /** The server writes down what the program does. Absent from a server of an older release, which would not know the reports. */
  reports: z.boolean().optional(),
  /** The server knows `several`, `ping` and `pong`. Absent from a server of an older release. */
  turns: z.boolean().optional(),
  /** Absent from a server of an older release: then nothing is judged, as there. */
  rules: ProgramRules.optional(),
});
export type ProgramOpen = z.output<typeof ProgramOpen>;

export const ProgramOpened = z.discriminatedUnion('ok', [
  /**
   * `reports`: the host tells what the program does. Absent from a host of an older release, which does not know `leave` either.
   * `judges`: it holds acts to the rules. Without it the server must not let the program act.
   */
  z.object({ ok: z.literal(true), reports: z.boolean().optional(), judges: z.boolean().optional() }),
  Failed,
]);
export type ProgramOpened = z.output<typeof ProgramOpened>;

export const programOpen = defineRequest({
  name: 'program connection',
  subject: subjects.programOpen,
  askers: askersOf(subjects.programOpen),
  request: json(ProgramOpen),
  reply: json(ProgramOpened),
});

/**
 * `more`: part of a message. `last`: its last part. `several`: whole messages of one turn, with a zero between them. `beat`: the sender is there. `end`: it is over, and why. `acts`: what the program
 * has done (program-acts.ts). `leave`: the program has left, and the host is to tell what it did last and then end. `rules`: what its
 * acts are held to from now on. `ping`: the program is asked whether it has heard everything so far. `pong`: it has, and what it said
 * until then was sent before.
 */
const kinds = ['more', 'last', 'beat', 'end', 'acts', 'leave', 'rules', 'ping', 'pong', 'several'] as const;
export type ProgramPiece = { kind: (typeof kinds)[number]; seq: number; bytes: Uint8Array };

/** Below the limit of NATS, with room for the head. */
export const programPieceBytes = 900 * 1024;
const headBytes = 5;

const pieceCodec: Codec<ProgramPiece> = {
  encode({ kind, seq, bytes }) {
    const message = Buffer.allocUnsafe(headBytes + bytes.length);
    message.writeUInt8(kinds.indexOf(kind), 0);
    message.writeUInt32BE(seq >>> 0, 1);
    message.set(bytes, headBytes);
    return message;
  },
  decode(bytes) {
    if (bytes.length < headBytes) throw new DecodeError('a piece without a head');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const kind = kinds[view.getUint8(0)];
    if (!kind) throw new DecodeError('a piece of an unknown kind');
    return { kind, seq: view.getUint32(1), bytes: bytes.subarray(headBytes) };
  },
};

// Beside the frames, not beside the commands: pictures that a program takes are large.
const lane = 'frames';
export const programIn = defineMessage({ name: 'program input', lane, subject: subjects.programIn, body: pieceCodec });
export const programOut = defineMessage({
  name: 'program output',
  lane,
  subject: subjects.programOut,
  body: pieceCodec,
});
