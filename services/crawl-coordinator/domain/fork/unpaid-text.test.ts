import { test } from 'tap'
import { settings } from '../run.examples.ts'
import { maxForkedText, unpaidBytesOf } from './unpaid-text.ts'

const forked = (pages: number, maxPages = 1_000) => settings({ maxPages, fork: { runId: 1, pages } })

test('The URLs that a fork knows', async t => {
  const known = (pages: number, fetched: number, carried: number) =>
    maxForkedText({ settings: forked(pages), counts: { fetched } as never, carried })
  t.equal(known(0, 0, 0), 500_000)
  t.equal(known(100, 100, 100), 700_000, 'pages from the store allow none that was not promised')
  t.equal(known(100, 150, 100), 1_100_000, 'paid ones do')
  t.equal(known(9_000, 0, 0), 2_500_000, 'it takes no more pages than max_pages')
  t.equal(maxForkedText({ settings: settings(), counts: { fetched: 0 } as never, carried: 0 }), Infinity)
})

test('The bytes that a fork may store without paying', async t => {
  t.equal(unpaidBytesOf(settings()), 0)
  t.equal(unpaidBytesOf(forked(0)), 500_000)
  t.equal(unpaidBytesOf(forked(100)), 750_000)
  t.equal(unpaidBytesOf(forked(100_000, 10)), 525_000)
})
