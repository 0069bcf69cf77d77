import { test } from 'tap'
import { comparableCrawls } from './web/data/pairs.ts'

const run = (id: number, url: string, page_count = 5, isActive = false) => ({
  ...{ id, url, page_count, enqueued_at: '2026-01-01T00:00:00Z' },
  finished_at: isActive ? null : '2026-01-01T00:01:00Z',
})

test('Each crawl can be compared with the one before it of the same site', async t => {
  const runs = [
    run(7, 'https://a.example/', 5, true),
    run(6, 'https://b.example/'),
    run(5, 'https://a.example/'),
    run(4, 'https://a.example/', 0),
    run(3, 'https://b.example/'),
    run(2, 'https://a.example/'),
    run(1, 'https://a.example/'),
  ]
  const found = comparableCrawls(runs).map(({ earlier, later }) => [earlier.id, later.id])
  t.strictSame(found, [
    [3, 6],
    [2, 5],
    [1, 2],
  ])
  t.strictSame(comparableCrawls([]), [])
})
