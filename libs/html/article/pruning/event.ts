/** The text of a page about an event has its day and place too, which are beside the description. */
import { typesOf } from '../../structured/json-ld.ts'
import type { BoilerplateKind } from '../boilerplate-words.ts'
import type { Reading } from '../reading.ts'
import { counter } from './excused.ts'

type Described = Readonly<Record<string, unknown>>

/**
 * Returns the innermost element around the chosen one that also has the only heading of the first level, if the page
 * describes an event; else the chosen element. Removes the marks of lists of facts, which are of the event.
 * @param chosen Position of the element, or -1.
 * @param described The objects of the page's JSON-LD.
 */
export function aroundEvent(chosen: number, reading: Reading, described: readonly Described[]): number {
  if (chosen < 0 || !described.some(isEvent)) return chosen
  const { elements, parents, ends } = reading.page
  const [title, other] = elements.flatMap(({ name }, at) => (name === 'h1' ? [at] : []))
  if (title === undefined || other !== undefined) return chosen
  let around = chosen
  while (around > title || title >= (ends[around] ?? 0)) {
    around = parents[around] ?? -1
    if (around < 0 || elements[around]?.name === 'body') return chosen
  }
  excuseFacts(reading)
  return around
}

const isEvent = (node: Described): boolean => typesOf(node).some(type => type.endsWith('Event'))

const kindsOfFacts: ReadonlySet<BoilerplateKind | null> = new Set(['meta', 'author'])
const partsOfList = new Set(['dt', 'dd'])

/** Removes the marks of elements around and in lists of facts. */
function excuseFacts({ page: { elements, parents, ends }, kinds }: Reading): void {
  const facts = counter(elements, ({ name }) => partsOfList.has(name))
  for (const [at, kind] of kinds.entries()) {
    if (!kindsOfFacts.has(kind)) continue
    const isInList = [at, parents[at] ?? -1].some(part => partsOfList.has(elements[part]?.name ?? ''))
    if (isInList || facts(at, ends[at] ?? 0) > 1) kinds[at] = null
  }
}
