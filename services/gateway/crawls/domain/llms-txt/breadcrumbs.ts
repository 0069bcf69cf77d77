/** Reads the breadcrumbs that a page states as JSON-LD (schema.org, BreadcrumbList). */
import { isObject } from '@tidemark/schema/bounds'
import { oneLine } from './markdown-text.ts'

const maxItems = 20
/** Maximum characters of a name. A longer text is no name, and it would stay in memory with the page. */
const maxNameLength = 1_000

/** Returns their names from the home page on; empty without any. */
export function breadcrumbsOf(jsonLd: readonly unknown[]): string[] {
  const nodes = jsonLd
    .flat()
    .flatMap(node => (isObject(node) && Array.isArray(node['@graph']) ? node['@graph'] : node))
  const list = nodes.find(node => isObject(node) && node['@type'] === 'BreadcrumbList')
  const items = isObject(list) && Array.isArray(list.itemListElement) ? list.itemListElement : []
  return items
    .slice(0, maxItems)
    .filter(isObject)
    .sort((a, b) => Number(a.position ?? 0) - Number(b.position ?? 0))
    .flatMap(({ name, item }) => textOf(name) ?? (isObject(item) ? textOf(item.name) : null) ?? [])
}

const textOf = (value: unknown): string | null =>
  (typeof value === 'string' && value.length <= maxNameLength && oneLine(value)) || null
