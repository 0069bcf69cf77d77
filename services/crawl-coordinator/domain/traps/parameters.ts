/**
 * Queries that combine the same few values in every possible way: filters of shops, orders of lists. A value
 * that is new may be a page of its own, so only what recombines known values is ever held for a trap.
 */
import { type Address, type Parameter, shown } from './address.ts'
import { mostNames, mostPaths, remembered, type TrapMemory } from './memory.ts'

const mostParameters = 30
const mostOfOneName = 10
const longestQuery = 4000
const fewestCombinations = 150
/** Combinations for each value of the most varied parameter: filters multiply, identities do not. */
const mostPerValue = 40

export function explodedQuery(memory: TrapMemory, address: Address): string | null {
  const { parameters, query } = address
  if (parameters.length === 0) return null
  return oversized(parameters, query) ?? permuted(memory, address) ?? recombined(memory, address)
}

export function noteParameters(memory: TrapMemory, address: Address): void {
  const { parameters, origin, path } = address
  if (parameters.length > 1) memory.seen.add(sortedForm(address))
  const facets = facetsOf(parameters)
  if (facets.length < 2) return
  const place = origin + path
  const known = remembered(memory.combinations, place, mostPaths, () => ({ count: 0, values: new Map() }))
  if (known === null) return
  for (const { name, value } of facets) {
    if (!memory.seen.add(valueFact(place, name, value))) continue
    const values = remembered(known.values, name, mostNames, () => 0)
    if (values !== null) known.values.set(name, values + 1)
  }
  if (memory.seen.add(`combination ${place}?${sorted(facets)}`)) known.count++
}

function oversized(parameters: readonly Parameter[], query: string): string | null {
  if (parameters.length > mostParameters) {
    return `it has ${parameters.length} parameters, more than ${mostParameters}`
  }
  if (query.length > longestQuery) {
    return `its query is ${query.length} characters long, more than ${longestQuery}`
  }
  if (parameters.length <= mostOfOneName) return null
  const times = new Map<string, number>()
  for (const { name } of parameters) {
    const count = (times.get(name) ?? 0) + 1
    if (count > mostOfOneName) {
      return `it gives the parameter “${shown(name)}” more than ${mostOfOneName} times`
    }
    times.set(name, count)
  }
  return null
}

const permuted = (memory: TrapMemory, address: Address): string | null =>
  address.parameters.length > 1 && memory.seen.has(sortedForm(address))
    ? `it has the same ${address.parameters.length} parameters as a known URL, in another order`
    : null

function recombined(
  { combinations, seen }: TrapMemory,
  { origin, path, parameters }: Address,
): string | null {
  const place = origin + path
  const known = combinations.get(place)
  if (known === undefined || known.count < fewestCombinations) return null
  const facets = facetsOf(parameters)
  if (facets.length < 2) return null
  const mostValues = Math.max(...known.values.values())
  if (known.count < mostValues * mostPerValue) return null
  if (facets.some(({ name, value }) => !seen.has(valueFact(place, name, value)))) return null
  const names = facets.map(({ name }) => name).join(', ')
  return `it recombines known values of ${shown(names)}: ${known.count} combinations are known of at most ${mostValues} values each`
}

/** The number of a page multiplies lists honestly. */
const facetsOf = (parameters: readonly Parameter[]): Parameter[] =>
  parameters.filter(({ name }) => !paging.test(name))

const paging =
  /^(?:p|pg|page|paged|cpage|pagenum|page_?no|pageno|page_?number|start|offset|from|skip|limit|per_?page|seite|pagina)$/i

const valueFact = (place: string, name: string, value: string): string => `value ${place}?${name}=${value}`

const sortedForm = ({ origin, path, parameters }: Address): string =>
  `sorted ${origin}${path}?${sorted(parameters)}`

const sorted = (parameters: readonly Parameter[]): string =>
  parameters
    .map(({ name, value }) => `${name}=${value}`)
    .sort()
    .join('&')
