/** Fields that a request carries and nobody reads: ignored as the specification says, but never in silence. */
import { isObject, type ObjectSchema } from './input.ts'

const mostTold = 20
const longestName = 100

/** One warning for each unknown field, those inside `params` too; a long list is cut and counted. */
export function unknownFieldWarnings({ properties }: ObjectSchema, body: unknown): string[] {
  if (!isObject(body)) return []
  const names = Object.keys(body).filter(name => !Object.hasOwn(properties, name))
  const inside = names.includes('params') && isObject(body.params) ? Object.keys(body.params) : []
  const first = names.slice(0, mostTold)
  const then = inside.slice(0, mostTold - first.length).map(name => `params.${name}`)
  const told = [...first, ...then].map(name => `unknown field '${shown(name)}' was ignored`)
  const more = names.length + inside.length - told.length
  if (more > 0) told.push(`${more} more unknown fields were ignored`)
  return told
}

const shown = (name: string) => name.toWellFormed().slice(0, longestName)
