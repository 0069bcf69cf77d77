/** Ranking the links of a crawl for a client that may leave in the meantime. */
import { Refusal } from '@tidemark/bus/refusal'
import { test } from 'tap'
import { rankLinks } from './rank-links.ts'

test('Ranking ends when its client is no longer waiting', async t => {
  const deletion = new AbortController()
  const forgotten: true[] = []
  const rank = rankLinks({
    dropped: {
      watch: () => ({ signal: deletion.signal, [Symbol.dispose]: () => void forgotten.push(true) }),
    },
    graphs: {
      rank: (_question: unknown, _links: unknown, _who: unknown, signal: AbortSignal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    },
    packedLinks: {},
  } as unknown as Parameters<typeof rankLinks>[0])
  const ranking = rank({ workId: -1, projectId: 1, runId: 1, topN: 1, start: -1, keys: '', redirects: '' })
  const refused = t.rejects(ranking, Refusal)
  await new Promise(setImmediate)
  t.equal(forgotten.length, 0, 'cancellation is possible until the work is done')
  deletion.abort()
  await refused
  t.equal(forgotten.length, 1)
})
