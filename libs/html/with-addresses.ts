/** Rewrites the addresses in a tree, so that every form of the page has the same ones. */
import type { Document } from 'domhandler'
import { walk } from './tree/walk.ts'

const names = ['href', 'src'] as const

/**
 * Changes the tree and returns it.
 * @param rewritten returns an address as it is to be resolved; null changes nothing
 */
export function withAddresses(tree: Document, rewritten: ((address: string) => string) | null): Document {
  if (rewritten === null) return tree
  walk(tree, {
    enter: ({ attribs }) => {
      for (const name of names) {
        const address = attribs[name]
        if (address !== undefined) attribs[name] = rewritten(address)
      }
      return true
    },
  })
  return tree
}
