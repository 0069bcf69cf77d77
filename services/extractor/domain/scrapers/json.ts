/**
 * Reads values of untrusted JSON documents: a value of another type becomes null or nothing. Texts, lists and paths are
 * bounded, so that a document of any depth and size yields a valid entry.
 */
import { rawTextOf } from '@tidemark/html/tree/raw-text'
import { isObject } from '@tidemark/schema/bounds'
import { maxItems, shown } from './bounds.ts'
import { elementIn, treeOf, withName } from './elements.ts'
import { beginningOfJson } from './json-beginning.ts'

/**
 * Returns the document, or undefined if it is invalid. Browsers show JSON as a page with `<pre>`. A truncated document
 * is read up to its last complete value.
 */
export function parseJson(text: string): unknown {
  const start = text.trimStart()
  const json = start.startsWith('<') ? preformatted(start) : start
  return parsed(json) ?? parsed(beginningOfJson(json))
}

/** Returns the value at this path, or undefined. */
export function member(value: unknown, ...names: string[]): unknown {
  let at = value
  for (const name of names) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = Reflect.get(at, name)
  }
  return at
}

/** Returns a text, trimmed and truncated; null for an empty text. */
export function textAt(value: unknown, ...names: string[]): string | null {
  const found = member(value, ...names)
  return typeof found === 'string' ? shown(found.trim()) : null
}

export function numberAt(value: unknown, ...names: string[]): number | null {
  const found = member(value, ...names)
  return typeof found === 'number' && Number.isFinite(found) ? found : null
}

export function booleanAt(value: unknown, ...names: string[]): boolean | null {
  const found = member(value, ...names)
  return typeof found === 'boolean' ? found : null
}

/** Returns a list up to the maximum length; empty for another value. */
export function listAt(value: unknown, ...names: string[]): unknown[] {
  const found = member(value, ...names)
  return Array.isArray(found) ? found.slice(0, maxItems) : []
}

/** Returns the texts of a list; null for another value. */
export function textsAt(value: unknown, ...names: string[]): string[] | null {
  const found = member(value, ...names)
  return Array.isArray(found) ? found.slice(0, maxItems).flatMap(one => textAt(one) ?? []) : null
}

/** Returns the texts of an object by name; null for another value. */
export function recordAt(value: unknown, ...names: string[]): Record<string, string> | null {
  const found = member(value, ...names)
  if (!isObject(found)) return null
  const pairs = Object.keys(found)
    .slice(0, maxItems)
    .flatMap(name => {
      const text = textAt(found, name)
      return text === null ? [] : [[shown(name) ?? '', text] as const]
    })
  return Object.fromEntries(pairs)
}

function preformatted(html: string): string {
  const pre = elementIn(treeOf(html), withName('pre'))
  return pre === null ? '' : rawTextOf(pre)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
