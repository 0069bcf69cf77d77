/** JSON on the wire: written without ceremony, read only if it is what its schema says. */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/** What arrived is not what it should be, and will not be at the next delivery either. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** As UTF-8. Throws TypeError for what JSON cannot say. */
export const encodeJson = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value))

/** A reader of this schema's messages, compiled once. It throws `Unreadable` and names the first fault. */
export function jsonParser<Schema extends TSchema>(schema: Schema): (data: Uint8Array) => Static<Schema> {
  const validator = Compile(schema)
  return data => {
    const value = decodeJson(data)
    if (validator.Check(value)) return value as Static<Schema>
    const [fault] = validator.Errors(value)
    throw new Unreadable(`${fault?.instancePath || '/'} ${fault?.message ?? 'is not what its schema says'}`)
  }
}

/**
 * A reader of one event's data, of which this schema says only what the reader uses: so what was written before other
 * fields were added stays readable. It throws `Unreadable` and names the event.
 */
export function eventData<Data extends TSchema>(
  schema: Data,
): (event: { type: string; data: unknown }) => Static<Data> {
  const validator = Compile(schema)
  return ({ type, data }) => {
    if (validator.Check(data)) return data as Static<Data>
    throw new Unreadable(`${type} is not what its schema says`)
  }
}

/** JSON of any shape, for those who check it themselves. Throws `Unreadable`. */
export function decodeJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(data))
  } catch (cause) {
    throw new Unreadable('not JSON in UTF-8', { cause })
  }
}
