/** Colors of nodes: by depth in equal steps, or by the section of the site. */
import type { Node } from './edges.ts'

export type Tones = {
  /** The position in `legend` of each node's color. */
  of: Uint8Array
  /** One entry for each color: its class, its name and its number of nodes. */
  legend: { tone: string; name: string; nodes: number }[]
}

export type Coloring = 'depth' | 'section'

const maxDepth = 6
/** The largest sections have colors of their own. */
const maxSections = 7

export function tonesOf(nodes: readonly Node[], coloring: Coloring): Tones {
  const names = coloring === 'depth' ? depthNames : sectionNames(nodes)
  const last = names.length - 1
  const of = Uint8Array.from(nodes, node => {
    if (coloring === 'depth') return Math.min(node.depth, last)
    const at = names.indexOf(sectionOf(node.url))
    return at < 0 ? last : at
  })
  const counts = new Uint32Array(names.length)
  for (const tone of of) counts[tone] = (counts[tone] as number) + 1
  return {
    of,
    legend: names.map((name, n) => ({ tone: `${coloring}-${n}`, name, nodes: counts[n] as number })),
  }
}

const depthNames = Array.from({ length: maxDepth + 1 }, (_, depth) =>
  depth === maxDepth ? `depth ${depth} and more` : `depth ${depth}`,
)

/**
 * Returns the first segment of the path, such as `/docs`; `/` for a page of the root. A pattern is enough, because URLs
 * of pages are in normal form. Parsing 5,000 URLs would block the page.
 */
function sectionOf(url: string): string {
  const [, first] = sectionOfUrl.exec(url) ?? []
  return first ?? '/'
}

const sectionOfUrl = /^[a-z]+:\/\/[^/?#]*(\/[^/?#]*)\//

function sectionNames(nodes: readonly Node[]): string[] {
  const sections = Map.groupBy(nodes, ({ url }) => sectionOf(url))
  const largest = [...sections].sort(([, a], [, b]) => b.length - a.length).map(([name]) => name)
  return largest.length <= maxSections ? largest : [...largest.slice(0, maxSections), 'others']
}
