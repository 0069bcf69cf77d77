/**
 * The Open Graph protocol (https://ogp.me): all values of each `<meta property>` in order. Many sites write `name`
 * instead of `property`, with the same meaning.
 */
import type { Element } from 'domhandler'
import { wordsAsWritten } from '../tree/attribute.ts'
import { addValue, emptyRecord, type Limits } from './limits.ts'
import type { OpenGraph } from './structured.ts'

type Value = OpenGraph[string][number]

/** Prefixes of the protocol's own vocabularies and of its consumers' extensions. */
const vocabularies = new Set(
  'og article book books business fb fitness game games music payment place product profile restaurant video website'.split(
    ' ',
  ),
)

/** Properties that may have their own properties, which follow them. */
const media = new Set(['og:image', 'og:video', 'og:audio'])

/** Returns whether a property belongs to Open Graph. */
export const isOpenGraph = (name: string): boolean =>
  vocabularies.has(name.slice(0, Math.max(name.indexOf(':'), 0)).toLowerCase()) && !name.includes('://')

/** Returns one object for the page, or an empty list without Open Graph. */
export function readOpenGraph(
  elements: readonly Element[],
  resolve: (address: string) => string,
  limits: Limits,
): OpenGraph[] {
  const graph: OpenGraph = emptyRecord()
  for (const { name, attribs } of elements) {
    const content = attribs.content?.trim() ?? ''
    if (name !== 'meta' || content === '') continue
    for (const property of wordsAsWritten(attribs.property ?? attribs.name)) {
      if (!isOpenGraph(property)) continue
      const key = limits.text(property.toLowerCase())
      const value = key === null ? null : limits.text(holdsAddress.test(key) ? resolve(content) : content)
      if (key !== null && value !== null) add(graph, key, value)
    }
  }
  return Object.keys(graph).length === 0 ? [] : [graph]
}

const holdsAddress = /^og:(?:url|(?:image|video|audio)(?::url|:secure_url)?)$/

function add(graph: OpenGraph, property: string, value: string): void {
  const root = property.split(':', 2).join(':')
  if (!media.has(root)) addValue<Value>(graph, property, value)
  else if (root === property) addMedium(graph, root, value)
  else addDetail(graph, root, property, value)
}

/** Adds a medium. Details that precede the first medium belong to it. */
function addMedium(graph: OpenGraph, root: string, value: string): void {
  const last = graph[root]?.at(-1)
  if (typeof last === 'object' && last[root] === undefined) last[root] = value
  else addValue<Value>(graph, root, value)
}

/** Adds a detail to a medium, which becomes an object. */
function addDetail(graph: OpenGraph, root: string, property: string, value: string): void {
  const last = graph[root]?.pop()
  const isNext = typeof last === 'object' && last[property] !== undefined
  if (last !== undefined && isNext) addValue<Value>(graph, root, last)
  const medium: Record<string, string> =
    typeof last === 'string' ? { [root]: last } : isNext || last === undefined ? {} : last
  addValue<Value>(graph, root, { ...medium, [property]: value })
}
