/**
 * Values in a JSON document of anybody: what is not of the kind that is wanted is null, or nothing. Texts, lists and
 * the way to them are bounded, so that a document of any depth and size gives an entry of ours.
 */
import { rawTextOf } from '@tidemark/html/tree/text-of'
import { mostItems, shown } from './bounds.ts'
import { elementIn, named, treeOf } from './elements.ts'
import { beginningOfJson } from './json-beginning.ts'

/**
 * The document, or undefined where there is none. A browser shows JSON in a page of its own, in `<pre>`; of one that
 * was cut the beginning is read.
 */
export function parseJson(text: string): unknown {
  const start = text.trimStart()
  const json = start.startsWith('<') ? preformatted(start) : start
  return parsed(json) ?? parsed(beginningOfJson(json))
}

/** What stands under these names, one in the other; undefined where nothing does. */
export function member(value: unknown, ...names: string[]): unknown {
  let at = value
  for (const name of names) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = Reflect.get(at, name)
  }
  return at
}

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Trimmed and bounded; null for one that is empty. */
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

/** Empty where there is no list. */
export function listAt(value: unknown, ...names: string[]): unknown[] {
  const found = member(value, ...names)
  return Array.isArray(found) ? found.slice(0, mostItems) : []
}

/** Null where there is no list; what is no text is left out. */
export function textsAt(value: unknown, ...names: string[]): string[] | null {
  const found = member(value, ...names)
  return Array.isArray(found) ? found.slice(0, mostItems).flatMap(one => textAt(one) ?? []) : null
}

/** Texts by name; null where there is no object. */
export function recordAt(value: unknown, ...names: string[]): Record<string, string> | null {
  const found = member(value, ...names)
  if (!isObject(found)) return null
  const pairs = Object.keys(found)
    .slice(0, mostItems)
    .flatMap(name => {
      const text = textAt(found, name)
      return text === null ? [] : [[shown(name) ?? '', text] as const]
    })
  return Object.fromEntries(pairs)
}

function preformatted(html: string): string {
  const pre = elementIn(treeOf(html), named('pre'))
  return pre === null ? '' : rawTextOf(pre)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
