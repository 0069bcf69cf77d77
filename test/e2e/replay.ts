/** Replays of crawls, all parts together. */
import type { Replay } from '@tidemark/contracts/http/replay'
import type { System } from './system.ts'

export type WholeReplay = Pick<Replay, 'items' | 'pages_not_stored' | 'pages_read' | 'pages_unreadable'>

/** Reads all pages of a crawl again. */
export async function replayed(system: System, key: string, id: number): Promise<WholeReplay> {
  const whole: WholeReplay = { items: [], pages_read: 0, pages_not_stored: 0, pages_unreadable: 0 }
  for (let offset: number | null = 0; offset !== null; ) {
    const path = `/v1/crawls/${id}/replay?limit=100&offset=${offset}`
    const { status, body }: { status: number; body: Replay } = await system.call(key, 'GET', path)
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
    whole.items.push(...body.items)
    whole.pages_read += body.pages_read
    whole.pages_not_stored += body.pages_not_stored
    whole.pages_unreadable += body.pages_unreadable
    offset = body.next_offset
  }
  return whole
}

/** Returns the replay of an unchanged crawl with this number of pages: it has no differences. */
export const unchanged = (pages: number): WholeReplay => ({
  items: [],
  pages_read: pages,
  pages_not_stored: 0,
  pages_unreadable: 0,
})
