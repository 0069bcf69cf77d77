/**
 * Arrays of Postgres in their binary format, as `array_recv` of src/backend/utils/adt/arrayfuncs.c reads it. `pg` sends
 * arrays as text, where bytes are hex and take twice the space, and texts are escaped.
 */

type Value = string | Uint8Array | null

/** Object identifiers of the element types, from pg_type.dat. */
const oids = { bytea: 17, text: 25 }
const headerBytes = 20

/** Returns a value for a parameter of type `bytea[]`. */
export const bytesArray = (values: readonly Value[]): Buffer => arrayOf(oids.bytea, values)

/** Returns a value for a parameter of type `text[]`. */
export const textArray = (values: readonly Value[]): Buffer => arrayOf(oids.text, values)

function arrayOf(oid: number, values: readonly Value[]): Buffer {
  const lengths = values.map(lengthOf)
  const total = lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), headerBytes)
  const array = Buffer.allocUnsafe(total)
  const dimensions = 1
  const hasNull = lengths.includes(-1) ? 1 : 0
  let at = 0
  for (const field of [dimensions, hasNull, oid, values.length, 1]) at = array.writeInt32BE(field, at)
  for (const [n, value] of values.entries()) {
    at = array.writeInt32BE(lengths[n] ?? -1, at)
    if (typeof value === 'string') at += array.write(value, at)
    else if (value !== null) {
      array.set(value, at)
      at += value.byteLength
    }
  }
  return array
}

/** Returns the length in bytes; -1 for null. */
function lengthOf(value: Value): number {
  if (value === null) return -1
  return typeof value === 'string' ? Buffer.byteLength(value) : value.byteLength
}
