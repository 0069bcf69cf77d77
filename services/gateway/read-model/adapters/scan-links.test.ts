import { createFairLine } from '@tidemark/bus/fair-line'
import { encodeEdges } from '@tidemark/content/edges'
import type { OfProject } from '@tidemark/db/of-project'
import { test } from 'tap'
import { scanLinks } from './scan-links.ts'

/** A database whose runs all have this number of pages with one link each. */
function pagesOf(count: number) {
  let batches = 0
  const url = (id: number) => `https://example.com/${id}`
  const edges = encodeEdges([{ href: url(1), anchor: '', rel: null, nofollow: false }])
  const query = async (query: string | { values: number[] }, values?: [number, string[]]) => {
    if (typeof query === 'string') return { rows: values?.[1].map(url_key => ({ url_key, edges })) }
    batches += 1
    const [, , after = 0, , limit = 0] = query.values
    const length = Math.min(limit, count - after)
    const ids = Array.from({ length }, (_, n) => after + n + 1)
    return { rows: ids.map(id => ({ id, url_key: `key-${id}`, url: url(id), requested_url: null })) }
  }
  return { reads: (() => ({ query })) as unknown as OfProject, batches: () => batches }
}

test('A scan of the links of a run', async t => {
  t.test('reads all pages in their order, or as many as matter', async t => {
    const { reads } = pagesOf(120)
    const scan = async (max: number) => {
      const seen: number[] = []
      const { signal } = new AbortController()
      const visit = (page: { id: number }, edges: object[]) => {
        t.equal(edges.length, 1)
        return seen.push(page.id) < max
      }
      await scanLinks({ reads, line: createFairLine() }, { projectId: 7, runId: 1 }, { signal, visit })
      return seen
    }
    const all = Array.from({ length: 120 }, (_, n) => n + 1)
    t.strictSame(await scan(1_000), all)
    t.strictSame(await scan(60), all.slice(0, 60))
  })

  t.test('takes turns with those of other projects', async t => {
    const { reads } = pagesOf(200)
    const line = createFairLine()
    const order: number[] = []
    const { signal } = new AbortController()
    const scan = (projectId: number) => {
      const visit = () => {
        if (order.at(-1) !== projectId) order.push(projectId)
        return true
      }
      return scanLinks({ reads, line }, { projectId, runId: projectId }, { signal, visit })
    }
    await Promise.all([scan(7), scan(7), scan(7), scan(8)])
    const last = order.lastIndexOf(8)
    t.strictSame(order.slice(0, last + 1), [7, 8, 7, 8, 7, 8, 7, 8])
  })

  t.test('stops when its client has left', async t => {
    const { reads, batches } = pagesOf(1_000)
    const stop = new AbortController()
    const visit = ({ id }: { id: number }) => {
      if (id === 60) stop.abort()
      return true
    }
    const scan = scanLinks(
      { reads, line: createFairLine() },
      { projectId: 7, runId: 1 },
      { signal: stop.signal, visit },
    )
    await t.rejects(scan, { name: 'AbortError' })
    t.equal(batches(), 3)
  })
})
