/** Texts of the console: the state of a key, schedules, and calls as code. */
import { test } from 'tap'
import { scheduleWords } from './web/data/schedule.ts'
import { keyState } from './web/data/words.ts'

// The files of the console have the types of a browser, which this test does not have.
const { snippetOf } = await import(new URL('./web/data/snippets.ts', import.meta.url).href)

test('A key is active until its end or its revocation', async t => {
  const [past, future] = [-1000, 60_000].map(ms => new Date(Date.now() + ms).toISOString()) as [
    string,
    string,
  ]
  t.equal(keyState({ revoked_at: null, expires_at: null }), 'active')
  t.equal(keyState({ revoked_at: null, expires_at: future }), 'active')
  t.equal(keyState({ revoked_at: null, expires_at: past }), 'expired')
  t.equal(keyState({ revoked_at: past, expires_at: past }), 'revoked')
})

test('A monitor as code calls the method of monitors', async t => {
  Object.assign(globalThis, { location: { origin: 'http://here.example' } })
  const call = { id: 'startCrawl', body: { url: 'https://a.example/', cron: '0 6 * * *' } }
  t.match(snippetOf(call, 'TypeScript'), /tidemark\.monitors\.create\(\{ url: /)
  t.match(snippetOf(call, 'Python'), 'client.monitors.create(url="https://a.example/", cron="0 6 * * *")')
  t.match(snippetOf(call, 'curl'), '"http://here.example/v1/crawls"')
  const once = { id: 'startCrawl', body: { url: 'https://a.example/' } }
  t.match(snippetOf(once, 'TypeScript'), 'tidemark.crawls.start(')
})

test('A list as code reads its first part', async t => {
  Object.assign(globalThis, { location: { origin: 'http://here.example' } })
  const pages = { id: 'listPages', path: { id: 7 }, query: { limit: 1000 } }
  t.match(snippetOf(pages, 'Python'), 'print(client.crawls.pages(7, limit=1000).first())')
  t.match(snippetOf(pages, 'TypeScript'), 'console.log(await tidemark.crawls.pages(7, { limit: 1000 }))')
  for (const id of ['listKeys', 'listMonitors', 'listOrphans'])
    t.match(snippetOf({ id }, 'Python'), /\.first\(\)\)$/, id)
  t.match(snippetOf({ id: 'getUsage' }, 'Python'), 'print(client.account.usage())')
})

test('A schedule is an interval in words only if all its intervals are equal', async t => {
  t.equal(scheduleWords('*/15 * * * *'), 'every 15 minutes')
  t.equal(scheduleWords('*/45 * * * *'), '*/45 * * * *', 'minutes 0 and 45 of each hour')
  t.equal(scheduleWords('*/0 * * * *'), '*/0 * * * *')
  t.equal(scheduleWords('*/1 * * * *'), 'every minute')
  t.equal(scheduleWords('*/60 * * * *'), '*/60 * * * *')
  t.equal(scheduleWords('* * * * *'), 'every minute')
  t.equal(scheduleWords('0 */6 * * *'), 'every 6 hours at :00')
  t.equal(scheduleWords('0 */5 * * *'), '0 */5 * * *', 'hours 0, 5, 10, 15 and 20')
  t.equal(scheduleWords('30 6 * * *'), 'daily at 06:30')
})

test('A schedule that no time matches has no words', async t => {
  for (const cron of ['99 * * * *', '0 24 * * *', '60 */6 * * *', '0 3 * * 8', '0 3 0 * *', '0 3 32 * *'])
    t.equal(scheduleWords(cron), cron)
  t.equal(scheduleWords('59 23 31 * *'), 'monthly on day 31 at 23:59')
  t.equal(scheduleWords('0 3 * * 7'), 'Sundays at 03:00')
})
