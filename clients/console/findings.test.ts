/** All findings of an audit, with a fake gateway: a load is billed, so its result is kept. */
import { test } from 'tap'

// The files of the console have the types of a browser, which this test does not have.
const { findingsOf } = await import(new URL('./web/screens/audit/findings.ts', import.meta.url).href)

const line = (rule: string, change: string | null) => `${JSON.stringify({ rule, page_id: 1, change })}\n`
const body = { crawl_id: 5 }

test('The findings of an audit are loaded once for each of its answers', async t => {
  let loads = 0
  globalThis.fetch = async () => {
    loads++
    return new Response(line(`title/${loads}`, null) + line('title/old', 'gone'))
  }
  const [answer, next] = [{}, {}]
  const loading = findingsOf(answer, body).load()
  t.equal(findingsOf(answer, body).isLoading.value, true, 'a screen that opens meanwhile sees the load')
  await findingsOf(answer, body).load()
  await loading
  t.equal(loads, 1, 'a second click is not billed')
  t.match(findingsOf(answer, body).all.value, [{ rule: 'title/1' }])
  t.equal(findingsOf(answer, body).all.value.length, 1)
  t.equal(findingsOf(next, body).all.value, null, 'another audit has findings of its own')
  await findingsOf(next, body).load()
  t.match(findingsOf(next, body).all.value, [{ rule: 'title/2' }])
})

test('A failed load of findings shows its error and can be repeated', async t => {
  const replies = [Response.json({}, { status: 500 }), new Response(line('title/missing', null))]
  globalThis.fetch = async () => replies.shift() as Response
  const findings = findingsOf({}, body)
  await findings.load()
  t.match(findings.error.value, { status: 500 })
  t.equal(findings.isLoading.value, false)
  await findings.load()
  t.equal(findings.error.value, null)
  t.equal(findings.all.value.length, 1)
})
