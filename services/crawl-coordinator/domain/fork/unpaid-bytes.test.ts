import { test } from 'tap'
import { settings } from '../run.examples.ts'
import { unpaidBytesOf } from './unpaid-bytes.ts'

const forked = (pages: number, maxPages = 1_000) => settings({ maxPages, fork: { runId: 1, pages } })

test('The bytes that a fork may store without paying', async t => {
  t.equal(unpaidBytesOf(settings()), 0)
  t.equal(unpaidBytesOf(forked(0)), 500_000)
  t.equal(unpaidBytesOf(forked(100)), 750_000)
  t.equal(unpaidBytesOf(forked(100_000, 10)), 525_000, 'it takes no more pages than max_pages')
})
