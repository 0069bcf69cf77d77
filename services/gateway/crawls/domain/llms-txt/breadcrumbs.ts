/** Reads the breadcrumbs that a page states as JSON-LD (schema.org, BreadcrumbList). */
import { nodesOf, typesOf } from '@tidemark/html/structured/json-ld'
import { isObject } from '@tidemark/schema/bounds'
import { oneLine } from './markdown-text.ts'

const maxItems = 20
/** Maximum characters of a name. A longer text is not a name, and it would stay in memory with the page. */
const maxNameLength = 1_000

/** Returns their names from the home page on; empty without any. */
export function breadcrumbsOf(jsonLd: readonly unknown[]): string[] {
  const list = nodesOf([jsonLd]).find(node => typesOf(node).includes('BreadcrumbList'))
  const items = Array.isArray(list?.itemListElement) ? list.itemListElement : []
  return items
    .slice(0, maxItems)
    .filter(isObject)
    .sort((a, b) => Number(a.position ?? 0) - Number(b.position ?? 0))
    .flatMap(({ name, item }) => textOf(name) ?? (isObject(item) ? textOf(item.name) : null) ?? [])
}

const textOf = (value: unknown): string | null =>
  (typeof value === 'string' && value.length <= maxNameLength && oneLine(value)) || null
