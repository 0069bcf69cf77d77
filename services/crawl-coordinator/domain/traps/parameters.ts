/**
 * Detects three query traps: oversized queries, permutations of an admitted query, and combinations of known values
 * (shop filters). New values never count as recombination.
 */
import { type Address, type Parameter, shown } from './address.ts'
import { getOrCreate, maxNames, maxPaths, type TrapMemory } from './memory.ts'

const maxParameters = 30
const maxOfOneName = 10
const maxQueryLength = 4000
const minCombinations = 150
/**
 * A trap has at least this many combinations for each value of the most varied parameter: filters multiply, ids do not.
 */
const minPerValue = 40

export function explodedQuery(memory: TrapMemory, address: Address): string | null {
  const { parameters, query } = address
  if (parameters.length === 0) return null
  return oversized(parameters, query) ?? recombined(memory, address)
}

export function noteParameters(memory: TrapMemory, address: Address): void {
  const { parameters, origin, path } = address
  if (parameters.length > 1) memory.seen.add(sortedForm(address))
  const facets = facetsOf(parameters)
  if (facets.length < 2) return
  const url = origin + path
  const known = getOrCreate(memory.combinations, url, maxPaths, () => ({ count: 0, values: new Map() }))
  if (known === null) return
  for (const { name, value } of facets) {
    if (!memory.seen.add(valueFact(url, name, value))) continue
    const values = getOrCreate(known.values, name, maxNames, () => 0)
    if (values !== null) known.values.set(name, values + 1)
  }
  if (memory.seen.add(`combination ${url}?${sorted(facets)}`)) known.count++
}

function oversized(parameters: readonly Parameter[], query: string): string | null {
  if (parameters.length > maxParameters) {
    return `it has ${parameters.length} parameters, more than ${maxParameters}`
  }
  if (query.length > maxQueryLength) {
    return `its query is ${query.length} characters long, more than ${maxQueryLength}`
  }
  if (parameters.length <= maxOfOneName) return null
  const times = new Map<string, number>()
  for (const { name } of parameters) {
    const count = (times.get(name) ?? 0) + 1
    if (count > maxOfOneName) {
      return `it repeats the parameter “${shown(name)}” more than ${maxOfOneName} times`
    }
    times.set(name, count)
  }
  return null
}

/** Judges a URL that has the parameters of an admitted one in another order. */
export const permutedQuery = (memory: TrapMemory, address: Address): string | null =>
  address.parameters.length > 1 && memory.seen.has(sortedForm(address))
    ? `its ${address.parameters.length} parameters, sorted, equal those of a URL that the run admitted before`
    : null

function recombined(
  { combinations, seen }: TrapMemory,
  { origin, path, parameters }: Address,
): string | null {
  const url = origin + path
  const known = combinations.get(url)
  if (known === undefined || known.count < minCombinations) return null
  const facets = facetsOf(parameters)
  if (facets.length < 2) return null
  const maxValues = Math.max(...known.values.values())
  if (known.count < maxValues * minPerValue) return null
  if (facets.some(({ name, value }) => !seen.has(valueFact(url, name, value)))) return null
  const names = facets.map(({ name }) => name).join(', ')
  return `${known.count} combinations of ${shown(names)} are known, and no parameter has more than ${maxValues} values`
}

/** Returns the parameters except page numbers, which multiply the pages of honest lists. */
const facetsOf = (parameters: readonly Parameter[]): Parameter[] =>
  parameters.filter(({ name }) => !paging.test(name))

const paging =
  /^(?:p|pg|page|paged|cpage|pagenum|page_?no|pageno|page_?number|start|offset|from|skip|limit|per_?page|seite|pagina)$/i

const valueFact = (url: string, name: string, value: string): string => `value ${url}?${name}=${value}`

const sortedForm = ({ origin, path, parameters }: Address): string =>
  `sorted ${origin}${path}?${sorted(parameters)}`

const sorted = (parameters: readonly Parameter[]): string =>
  parameters
    .map(({ name, value }) => `${name}=${value}`)
    .sort()
    .join('&')
