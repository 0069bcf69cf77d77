/** Serializes the parts of structured fields (RFC 9651) that signatures need. A value that has no form is an error. */

/** A string, an integer, or a parameter without a value. */
export type BareItem = string | number | true
/** Parameters in the order in which they are sent. */
export type Parameters = Readonly<Record<string, BareItem>>

const maxInteger = 999_999_999_999_999

/** Returns a string item (section 4.1.6). @throws Error if a character is not printable ASCII */
export function stringItem(text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new Error('a string of a structured field must be printable ASCII')
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Returns a byte sequence (section 4.1.8). */
export const bytesItem = (bytes: Uint8Array): string => `:${Buffer.from(bytes).toString('base64')}:`

/** Returns parameters (section 4.1.1.2). @throws Error if a name or a value cannot be written */
export const parametersOf = (parameters: Parameters): string =>
  Object.entries(parameters)
    .map(([name, value]) => {
      if (!/^[a-z*][a-z\d_.*-]*$/.test(name)) throw new Error(`${name} cannot be the name of a parameter`)
      return value === true ? `;${name}` : `;${name}=${itemOf(value)}`
    })
    .join('')

function itemOf(value: string | number): string {
  if (typeof value === 'string') return stringItem(value)
  if (!Number.isInteger(value) || Math.abs(value) > maxInteger)
    throw new Error(`${value} is not an integer of a structured field`)
  return String(value)
}
