/** The calls that a part of the log shows while new ones arrive. */
import { test } from 'tap'

const { logSelection } = await import(new URL('./web/data/log-selection.ts', import.meta.url).href)
const selected = (query: string) => logSelection(new URLSearchParams(query))

test('Older calls of the log are those before the calls that were shown first', async t => {
  const until = '2026-01-02T03:04:05.678Z'
  t.strictSame(selected(''), { limit: 200, offset: 0 })
  t.strictSame(selected(`offset=400&until=${until}`), { limit: 200, offset: 400, until })
  t.strictSame(selected(`until=${until}`), { limit: 200, offset: 0 }, 'the newest calls are never left out')
  t.strictSame(selected('only=errors&offset=200'), { limit: 200, offset: 200, status_min: 400 })
})
