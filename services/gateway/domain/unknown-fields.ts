/** Fields that a request carries and nobody reads: ignored as the specification says, but never in silence. */
import { isObject, type ObjectSchema } from './input.ts'

const mostTold = 20
const longestName = 100

/** One warning for each unknown field, those inside `params` too; a long list is cut and counted. */
export function unknownFieldWarnings({ properties }: ObjectSchema, body: unknown): string[] {
  if (!isObject(body)) return []
  const names = Object.keys(body).filter(name => !Object.hasOwn(properties, name))
  if (names.includes('params') && isObject(body.params)) {
    names.push(...Object.keys(body.params).map(name => `params.${name}`))
  }
  const told = names.slice(0, mostTold).map(name => `unknown field '${shown(name)}' was ignored`)
  if (names.length > mostTold) told.push(`${names.length - mostTold} more unknown fields were ignored`)
  return told
}

const shown = (name: string) => name.toWellFormed().slice(0, longestName)
