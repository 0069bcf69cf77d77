/** The primitive schemas that all other contracts use. */
import { type Static, type TLiteral, type TSchema, type TSchemaOptions, type TUnion, Type } from 'typebox'

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Returns the schema of one of these words. */
export const oneOf = <const Words extends readonly string[]>(words: Words, options?: TSchemaOptions) =>
  Type.Union(
    words.map(word => Type.Literal(word)),
    options,
  ) as unknown as TUnion<{ -readonly [N in keyof Words]: TLiteral<Words[N]> }>

/** Returns the schema with a description of its use at this position. */
export const described = <T extends TSchema>(schema: T, description: string): T =>
  Type.With(schema, { description }) as unknown as T

/** Returns the schema of a number of things. */
export const count = (description: string) => Type.Integer({ minimum: 0, description })

/** A 64-bit identifier that stays below 2^53, so that JSON clients read it exactly. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** The identity of a URL within a run: the first 8 bytes of the SHA-256 of its normal form, in base64url. */
export const UrlKey = Type.String({ minLength: 11, maxLength: 11 })
export type UrlKey = Static<typeof UrlKey>

/** RFC 3339 in UTC, with milliseconds. */
export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-01-02T03:04:05.678Z'] })
export type Timestamp = Static<typeof Timestamp>

/**
 * A secret in the form that streams and tables may contain: sealed with a key of this installation (libs/secrets).
 */
export const Sealed = Type.String({ pattern: '^(sealed1|sealed2\\.[0-9a-f]{8})\\.[A-Za-z0-9_-]+$' })

/** SHA-256 in lower-case hex. */
export const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })

export const Tier = oneOf(['free', 'pro', 'agency', 'studio'])
export type Tier = Static<typeof Tier>

/** The cloud mode of a scan: which backends may fetch the page. */
export const CloudMode = oneOf(['none', 'auto', 'unblocker', 'browser'])
export type CloudMode = Static<typeof CloudMode>

/** Describes the required form for people. The text follows "… must be" in the error. */
export const mustBe = (words: string) => ({ 'x-must-be': words })
