/** Open Graph and the other metadata in the head of a page, by plain names. */

import type { PageMetadata } from '@tidemark/contracts/http/pages'
import type { OpenGraph, Structured } from '@tidemark/html/structured/structured'
import { lettersOf } from '@tidemark/html/tree/letters-of'

export type HeadMetadata = Omit<PageMetadata, 'robots'>
export type HeadValue = { values: string[]; where: string }

export function headValues({ data }: Structured, metadata: HeadMetadata): ReadonlyMap<string, HeadValue> {
  const found = new Map<string, HeadValue>()
  const add = (name: string, values: string[], where: string) => {
    const plain = lettersOf(name)
    if (plain !== '' && values.length > 0 && !found.has(plain)) found.set(plain, { values, where })
  }
  for (const graph of data.opengraph)
    for (const [name, values] of Object.entries(graph)) {
      const texts = values.flatMap(value => textOf(name, value))
      add(name.slice(name.indexOf(':') + 1), texts, name)
      if (name.endsWith(':price:amount')) add('price', texts, name)
      if (name.endsWith(':price:currency')) add('currency', texts, name)
    }
  for (const [name, value] of Object.entries(metadata.twitter)) add(name, [value], `twitter:${name}`)
  const { title, description, canonical, lang } = metadata
  if (title !== null) add('title', [title], 'title')
  if (description !== null) add('description', [description], 'meta[name=description]')
  if (canonical !== null) add('url', [canonical], 'link[rel=canonical]')
  if (lang !== null) add('language', [lang], 'html[lang]')
  return found
}

/**
 * Returns the text of a property. A medium with details is an object, which has its address under the name of the
 * property.
 */
function textOf(name: string, value: OpenGraph[string][number]): string[] {
  if (typeof value === 'string') return [value]
  const address = value[name] ?? value[`${name}:url`]
  return address === undefined ? [] : [address]
}
