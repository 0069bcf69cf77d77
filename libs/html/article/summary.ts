/** The summary of an article in a list: its image and a sentence or two. */
import type { Document } from 'domhandler'
import { walk } from '../tree/walk.ts'
import { stringOf } from './facts/described.ts'
import type { HeadFacts } from './facts/head-facts.ts'
import type { Resolve } from './kept-tree.ts'

type Node = Readonly<Record<string, unknown>> | null

/** Returns the absolute address of the page's sharing image, else of the first image of the text. */
export function leadImageOf(
  { metas }: HeadFacts,
  node: Node,
  nodes: Document,
  resolve: Resolve,
): string | null {
  const stated = [
    metas.get('og:image'),
    metas.get('og:image:url'),
    metas.get('twitter:image'),
    metas.get('twitter:image:src'),
    imageOf(node),
  ]
  for (const address of stated) {
    const image = address === undefined || address === null ? null : resolve(address)
    if (image !== null) return image
  }
  let first: string | null = null
  walk(nodes, {
    enter: element => {
      if (element.name === 'img') first ??= element.attribs.src ?? null
      return first === null
    },
  })
  return first
}

function imageOf(node: Node): string | null {
  const image = node?.image
  const first = Array.isArray(image) ? image[0] : image
  if (typeof first === 'string') return first
  if (typeof first !== 'object' || first === null) return null
  return stringOf((first as Record<string, unknown>).url ?? (first as Record<string, unknown>).contentUrl)
}

/** Returns the page's description, else the beginning of the text. */
export function excerptOf({ metas }: HeadFacts, node: Node, text: string): string | null {
  const stated =
    metas.get('description') ??
    metas.get('og:description') ??
    metas.get('twitter:description') ??
    stringOf(node?.description)
  if (stated !== null && stated !== undefined) return stated
  const first = text.split('\n\n').find(paragraph => paragraph.length >= 60)
  return first === undefined ? null : shortened(first)
}

const shortened = (text: string): string =>
  text.length <= 300 ? text : `${text.slice(0, 299).replace(/\s+\S*$/, '')}…`
