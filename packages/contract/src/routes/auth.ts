// Shapes of users, logins, tokens and API keys.

import { z } from 'zod';
import { Uuid7 } from '../types/id.ts';
import { text } from '../types/text.ts';
import { Timestamp } from '../types/time.ts';

export const Role = z.enum(['user', 'admin']);
export type Role = z.infer<typeof Role>;

/** Who may register: everyone, those with an invitation, or nobody. */
export const Registration = z.enum(['open', 'invite', 'closed']);
export type Registration = z.infer<typeof Registration>;

const Username = z
  .string()
  .min(3)
  .max(64)
  .regex(/^[A-Za-z0-9._-]+$/, 'may hold letters, digits, dot, underscore and dash');

const Email = text(254, 3).regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, 'must be an e-mail address');

const countCodePoints = (value: string) => [...value].length;
const countBytes = (value: string) => new TextEncoder().encode(value).length;

/**
 * A new password. People count characters, so the minimum and maximum count code points; the hash costs bytes, and gets
 * only the normalised form. A longer minimum and the list of common passwords are settings of the server.
 */
export const NewPassword = text(512)
  .refine((value) => countCodePoints(value) >= 8, 'must have at least 8 characters')
  .refine((value) => countCodePoints(value) <= 256, 'must have at most 256 characters')
  .refine((value) => countBytes(value.normalize('NFKC')) <= 1024, 'must have at most 1,024 bytes')
  .meta({ minLength: 8, maxLength: 256 });

/** A password to verify: one that breaks the rules above is just wrong. */
const GivenPassword = text(1024, 1);

/** Any text is accepted here; a text that is not a token is answered as an invalid token. */
const GivenToken = text(512, 1);

export const RegisterRequest = z
  .strictObject({
    username: Username,
    email: Email,
    password: NewPassword,
    /** The token of an invitation; needed where registration is not open to everyone. */
    invite: GivenToken.optional(),
  })
  .meta({ id: 'RegisterRequest' });
export type RegisterRequest = z.infer<typeof RegisterRequest>;

export const LoginRequest = z
  .strictObject({ username_or_email: text(254, 1), password: GivenPassword })
  .meta({ id: 'LoginRequest' });
export type LoginRequest = z.infer<typeof LoginRequest>;

export const RefreshRequest = z.strictObject({ refresh_token: GivenToken }).meta({ id: 'RefreshRequest' });
export type RefreshRequest = z.infer<typeof RefreshRequest>;

export const LogoutRequest = z.strictObject({ refresh_token: GivenToken.optional() }).meta({ id: 'LogoutRequest' });
export type LogoutRequest = z.infer<typeof LogoutRequest>;

export const LogoutAllRequest = z.strictObject({}).meta({ id: 'LogoutAllRequest' });

export const ChangePasswordRequest = z
  .strictObject({ current_password: GivenPassword, new_password: NewPassword })
  .meta({ id: 'ChangePasswordRequest' });
export type ChangePasswordRequest = z.infer<typeof ChangePasswordRequest>;

export const User = z.object({ id: Uuid7, username: z.string(), email: z.string(), role: Role }).meta({ id: 'User' });
export type User = z.infer<typeof User>;

export const TokenReply = z
  .object({
    access_token: z.string(),
    refresh_token: z.string(),
    token_type: z.literal('Bearer'),
    /** Seconds. */
    expires_in: z.int().min(1),
    user: User,
  })
  .meta({ id: 'TokenReply' });
export type TokenReply = z.infer<typeof TokenReply>;

/** The reply to a login in a page: the refresh token is in a cookie, and not in the body. */
export const ConsoleTokenReply = TokenReply.omit({ refresh_token: true }).meta({ id: 'ConsoleTokenReply' });
export type ConsoleTokenReply = z.infer<typeof ConsoleTokenReply>;

/** The user and login of an access token. `sid` is the login; `iat` and `exp` are seconds since 1970, as in a JWT. */
export const UserClaims = z
  .object({
    sub: Uuid7,
    id: Uuid7,
    username: z.string(),
    email: z.string(),
    role: Role,
    sid: Uuid7,
    iat: z.int(),
    exp: z.int(),
  })
  .meta({ id: 'UserClaims' });
export type UserClaims = z.infer<typeof UserClaims>;

/** One login of the user. */
export const Login = z
  .object({
    id: Uuid7,
    created_at: Timestamp,
    last_used_at: Timestamp,
    expires_at: Timestamp,
    address: z.string().nullable(),
    user_agent: z.string().nullable(),
    /** Whether it is the login of this request. */
    current: z.boolean(),
  })
  .meta({ id: 'Login' });
export type Login = z.infer<typeof Login>;

export const CreateKeyRequest = z
  .strictObject({
    label: text(100, 1),
    /** Absent: the key is valid until it is removed. */
    expires_in_secs: z
      .int()
      .min(60)
      .max(365 * 86_400)
      .optional(),
  })
  .meta({ id: 'CreateKeyRequest' });
export type CreateKeyRequest = z.infer<typeof CreateKeyRequest>;

/** For programs: acts as its user on chat, sessions and tasks, and never on authentication. */
export const ApiKey = z
  .object({
    id: Uuid7,
    label: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

/** The only time the key itself is shown. */
export const NewApiKey = ApiKey.extend({ key_token: z.string() }).meta({ id: 'NewApiKey' });
export type NewApiKey = z.infer<typeof NewApiKey>;

export const CreateInviteRequest = z
  .strictObject({
    /** For the administrator, to tell invitations apart: whom it is for. */
    note: text(200).optional(),
    /** The role of the user who registers with it. */
    role: Role.default('user'),
    expires_in_secs: z
      .int()
      .min(60)
      .max(30 * 86_400)
      .default(7 * 86_400),
  })
  .meta({ id: 'CreateInviteRequest' });
export type CreateInviteRequest = z.infer<typeof CreateInviteRequest>;

/** Lets one person register, once. */
export const Invite = z
  .object({
    id: Uuid7,
    note: z.string().nullable(),
    role: Role,
    /** Null for those of the operator's command and of the first start. */
    created_by: Uuid7.nullable(),
    created_at: Timestamp,
    expires_at: Timestamp,
    used_at: Timestamp.nullable(),
    used_by: Uuid7.nullable(),
  })
  .meta({ id: 'Invite' });
export type Invite = z.infer<typeof Invite>;

/** The only time the token is shown. `path` opens the console's page with it; what follows its `#` is sent to no server. */
export const NewInvite = Invite.extend({ invite_token: z.string(), path: z.string() }).meta({ id: 'NewInvite' });
export type NewInvite = z.infer<typeof NewInvite>;
