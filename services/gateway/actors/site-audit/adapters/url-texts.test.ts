/** The texts of URLs that are only the canonicals of pages, whose metadata may be long. */
import type { OfProject } from '@tidemark/db/of-project'
import { urlKey } from '@tidemark/url/key'
import { test } from 'tap'
import { openUrlTexts } from './url-texts.ts'

const canonical = (page: string) => `https://tides.example/canonical/${page}`

test('Canonicals are found in long metadata, one page after the other', async t => {
  const pages = ['a', 'b', 'c']
  const read: number[] = []
  const query = async (sql: string, [, keys]: unknown[]) => {
    const wanted = keys as string[]
    if (!sql.includes('metadata')) return { rows: [] }
    read.push(wanted.length)
    const metadata = (page: string) => JSON.stringify({ canonical: page === 'b' ? null : canonical(page) })
    const bytes = 10 * 1024 ** 2
    return {
      rows: wanted.map(key => ({
        url_key: key,
        bytes,
        metadata: wanted.length === 1 ? metadata(key) : null,
      })),
    }
  }
  const reads: OfProject = () => ({ query: query as never })
  const wanted = pages.map(page => ({ key: urlKey(canonical(page)), pages }))
  const texts = await openUrlTexts(reads)({ projectId: 7, runId: 70 }, wanted)
  t.strictSame(
    texts,
    new Map(['a', 'c'].map(page => [urlKey(canonical(page)), canonical(page)])),
    'without the page that has none',
  )
  t.strictSame(read, [3, 1, 1, 1], 'after their sizes')
})
