/** The values that a client selects by CSS selectors. */
import type { Selector } from '@tidemark/contracts/rpc/content'
import { createSelection } from '@tidemark/html/selection/select'
import { attribute } from '@tidemark/html/tree/attribute'
import { textOf } from '@tidemark/html/tree/text-of'
import type { Document, Element } from 'domhandler'
import { maxCharacters } from './content-bounds.ts'

export type Extracted = Record<string, string | null | string[]>

/** Maximum values of one name, and maximum characters of one value. */
const maxValues = 1_000
const maxValueLength = 10_000

/** Attributes that contain URLs; their values are made absolute. */
const addresses = new Set(['href', 'src', 'action', 'cite', 'poster', 'data'])

/**
 * Returns the text or attribute of the first matching element, or null; with `all`, of each matching element. Invalid
 * selectors match nothing. `warnings` lists truncated results.
 */
export function extractedFrom(
  tree: Document,
  wanted: Record<string, Selector>,
  base: string,
): { extracted: Extracted; warnings: string[] } {
  const selection = createSelection(tree)
  const warnings: string[] = []
  let charactersLeft = maxCharacters
  const valuesOf = (name: string, { selector, attr, all = false }: Selector): Extracted[string] => {
    const elements = selection.select(selector, all ? maxValues : 1)
    if (elements === null) warnings.push(`the selector of "${name}" takes too many steps on this page`)
    const values: string[] = []
    for (const element of elements ?? []) {
      const value = readValue(element, attr?.toLowerCase(), base)
      if (value === null) continue
      if (value.length > charactersLeft) {
        warnings.push(`"${name}" was truncated: all values together exceed ${maxCharacters} characters`)
        break
      }
      charactersLeft -= value.length
      values.push(value)
    }
    return all ? values : (values[0] ?? null)
  }
  const entries = Object.entries(wanted).map(([name, one]) => [name, valuesOf(name, one)])
  return { extracted: Object.fromEntries(entries), warnings }
}

function readValue(element: Element, attr: string | undefined, base: string): string | null {
  const value = attr === undefined ? textOf(element) : attribute(element, attr)
  if (value === null) return null
  const isAddress = attr !== undefined && addresses.has(attr)
  return (isAddress ? (URL.parse(value, base)?.href ?? value) : value).slice(0, maxValueLength).toWellFormed()
}
