/** Reads the values of JSON-LD in all their forms: a text, an object with a name, a list of either. */

type Described = Readonly<Record<string, unknown>>

const isDescribed = (value: unknown): value is Described =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the first text among the values. */
export function stringOf(value: unknown): string | null {
  if (typeof value === 'string') return value.replace(/\s+/g, ' ').trim() || null
  if (Array.isArray(value)) return value.map(stringOf).find(text => text !== null) ?? null
  if (!isDescribed(value)) return null
  const { name, '@value': literal, url } = value
  return stringOf(name) ?? stringOf(literal) ?? (typeof url === 'string' ? url : null)
}

/** Returns all names in a value, of people and of organizations. */
export function namesOf(
  value: unknown,
  nodes: readonly Described[],
): { people: string[]; organizations: string[] } {
  const people: string[] = []
  const organizations: string[] = []
  for (const item of Array.isArray(value) ? value.slice(0, maxNames) : [value]) {
    if (typeof item === 'string') people.push(item)
    if (!isDescribed(item)) continue
    const { name, '@type': type } = named(item, nodes)
    const names = [name].flat().filter(one => typeof one === 'string')
    if (/Organization$/.test(String(type))) organizations.push(...names)
    else people.push(...names)
  }
  return { people, organizations }
}

/** Returns the node with the name. A node that is referenced only by its `@id` is looked up. */
const named = (item: Described, nodes: readonly Described[]): Described =>
  item.name === undefined
    ? (nodes.find(node => node['@id'] === item['@id'] && node.name !== undefined) ?? item)
    : item

const maxNames = 20

/** Returns the node of the page's article, preferring articles to pages and earlier nodes to later ones. */
export function articleNode(nodes: readonly Described[]): Described | null {
  let best: Described | null = null
  let maxRank = 0
  for (const node of nodes) {
    const rank = rankOf(node)
    if (rank <= maxRank) continue
    best = node
    maxRank = rank
  }
  return best
}

function rankOf(node: Described): number {
  const types = Array.isArray(node['@type']) ? node['@type'] : [node['@type']]
  let rank = 0
  for (const type of types) {
    if (typeof type !== 'string') continue
    if (
      /^(?:\w*Article|BlogPosting|LiveBlogPosting|Report|Recipe|Review|HowTo|DiscussionForumPosting)$/.test(
        type,
      )
    )
      rank = 3
    else if (/^(?:\w*WebPage|ItemPage|VideoObject|Product|Question|QAPage)$/.test(type))
      rank = Math.max(rank, 1)
  }
  return rank > 0 &&
    (node.headline !== undefined || node.datePublished !== undefined || node.author !== undefined)
    ? rank + 0.5
    : rank
}
