/** Encodes messages as JSON without checks, and decodes them only if they match their schema. */
import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

/** Reports an invalid message, which stays invalid at every redelivery. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Returns the value as JSON in UTF-8. Throws TypeError for values that JSON cannot represent. */
export const encodeJson = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value))

type Compiled<Schema extends TSchema> = Validator<Record<never, never>, Schema>

/**
 * Returns a function that returns the validator of the schema, and compiles it at its first call: a process starts faster,
 * and never uses most of the schemas that it loads.
 */
export function compiledAtFirstUse<Schema extends TSchema>(schema: Schema): () => Compiled<Schema> {
  let validator: Compiled<Schema> | undefined
  return () => (validator ??= Compile(schema))
}

/** Returns a decoder of this schema's messages. It throws `Unreadable` with the first fault. */
export function jsonParser<Schema extends TSchema>(schema: Schema): (data: Uint8Array) => Static<Schema> {
  const check = checker(schema)
  return data => check(decodeJson(data))
}

/** Returns a function that returns a decoded value if it matches the schema, else throws `Unreadable`. */
export function checker<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  const validator = compiledAtFirstUse(schema)
  return value => {
    if (validator().Check(value)) return value as Static<Schema>
    const [fault] = validator().Errors(value)
    throw new Unreadable(`${fault?.instancePath || '/'} ${fault?.message ?? 'does not match its schema'}`)
  }
}

/**
 * Returns a decoder of one event's data. The schema names only the fields that the reader uses, so events from before
 * other fields were added stay readable. It throws `Unreadable` with the event's name.
 */
export function eventData<Data extends TSchema>(
  schema: Data,
): (event: { type: string; data: unknown }) => Static<Data> {
  const validator = compiledAtFirstUse(schema)
  return ({ type, data }) => {
    if (validator().Check(data)) return data as Static<Data>
    throw new Unreadable(`${type} does not match its schema`)
  }
}

/** Returns a JSON value of any shape, for callers that check it themselves. Throws `Unreadable`. */
export function decodeJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(data))
  } catch (cause) {
    throw new Unreadable('not JSON in UTF-8', { cause })
  }
}
