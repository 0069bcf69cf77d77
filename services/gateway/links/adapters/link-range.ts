/** A list of links that is read in parts. */
import type { Edge } from '@tidemark/content/edges'
import type { LinkEdge } from '@tidemark/contracts/http/links'
import type { Window } from '../../http/domain/window.ts'

export type LinkRange = {
  /** The window's links in pieces. */
  pieces(window: Window): AsyncGenerator<LinkEdge[]>
  /** Returns the offset of the first link after the window; null at the end. */
  nextOffset(window: Window): Promise<number | null>
}

export const linkOf = (id: number, { href, anchor, rel, nofollow }: Edge): LinkEdge => ({
  from_page_id: id,
  to_url: href,
  anchor,
  rel,
  nofollow,
})
