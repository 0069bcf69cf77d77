/** The live view of a crawl, with a fake stream of events. */
import { signal } from '@preact/signals'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'

// The files of the console have the types of a browser, which this test does not have.
const { createElement, render } = await import('preact' as string)
const { followerOf, useRunEvents } = await import(new URL('./web/data/run-events.ts', import.meta.url).href)

const newEvents = () => ({
  ...{ progress: signal(null), rate: signal<number | null>(null), points: signal([]) },
  ...{ tail: signal<{ url: string }[]>([]), isPaused: signal(false), error: signal<unknown>(null) },
})
const page = (n: number, fetched_at: string) =>
  eventOf(`${n}-0`, 'page', { id: n, url: `https://a.example/${n}`, status: 200, title: null, fetched_at })
const eventOf = (id: string, event: string, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
const progress = (page_count: number) =>
  eventOf(`${page_count}-1`, 'progress', { page_count, error_count: 0, pending: 0, discovered: page_count })
const end = (n: number) => eventOf(`${n}-9`, 'end', { status: 'done' })

/** Plays the streams of a crawl, one for each connection, and returns the ids behind which they continue. */
function playing(...streams: string[]): (string | null)[] {
  const continued: (string | null)[] = []
  globalThis.fetch = async (_, { headers } = {}) => {
    continued.push(new Headers(headers).get('last-event-id'))
    const stream = streams[continued.length - 1] ?? ''
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  }
  return continued
}

test('A crawl that continues after its end is followed behind its last event', async t => {
  const at = '2026-01-02T03:04:05.000Z'
  const continued = playing(page(1, at) + progress(1) + end(1), page(2, at) + progress(2) + end(2))
  const events = newEvents()
  let changes = 0
  const follow = followerOf(7, events, () => changes++)
  await follow(new AbortController().signal)
  await follow(new AbortController().signal)
  t.strictSame(continued, [null, '1-9'])
  t.strictSame(
    events.tail.value.map(({ url }) => url),
    ['https://a.example/2', 'https://a.example/1'],
    'the earlier lines are kept',
  )
  t.match(events.progress.value, { page_count: 2 })
  t.equal(events.error.value, null)
  t.ok(changes >= 2)
})

test('The rate does not depend on the clock of the browser', async t => {
  for (const hoursBehind of [-3, 0, 3]) {
    const at = new Date(Date.now() + hoursBehind * 3_600_000).toISOString()
    playing(page(1, at) + progress(30) + end(1))
    const events = newEvents()
    await followerOf(7, events, () => {})(new AbortController().signal)
    t.equal(events.rate.value, 3, `${hoursBehind} h`)
  }
})

test('The end of a crawl releases the events that the reader holds', async t => {
  playing(page(1, '2026-01-02T03:04:05.000Z') + end(1))
  const events = newEvents()
  events.isPaused.value = true
  await followerOf(7, events, () => {})(new AbortController().signal)
  t.equal(events.isPaused.value, false)
  t.strictSame(
    events.tail.value.map(({ url }) => url),
    ['https://a.example/1'],
  )
})

const cut = 'cut'

/** Plays the streams like `playing`, and refuses the connections whose stream is `cut`. */
function playingWithCuts(...streams: string[]): (string | null)[] {
  const continued = playing(...streams)
  const play = globalThis.fetch
  globalThis.fetch = async (...request) => {
    const response = await play(...request)
    return streams[continued.length - 1] === cut ? Response.json({}, { status: 500 }) : response
  }
  return continued
}

test('After an error of the events their numbers are left out until the next ones arrive', async t => {
  const at = '2026-01-02T03:04:05.000Z'
  const continued = playingWithCuts(page(1, at) + progress(30), cut, progress(31) + end(31))
  const events = newEvents()
  const follow = followerOf(7, events, () => {})
  await follow(new AbortController().signal)
  t.match(events.error.value, { status: 500 })
  t.equal(events.progress.value, null)
  t.equal(events.rate.value, null)
  t.equal(events.tail.value.length, 1, 'the lines stay')
  await follow(new AbortController().signal)
  t.equal(events.error.value, null)
  t.match(events.progress.value, { page_count: 31 })
  t.strictSame(continued, [null, '30-1', '30-1'])
})

test('A crawl that is readable again after an error of its events is followed again', async t => {
  const continued = playingWithCuts(cut, progress(2) + end(2))
  let events = newEvents()
  const Screen = ({ lastRead }: { lastRead: object }) => {
    events = useRunEvents(7, { isWanted: true, finishedAt: null, lastRead, onChange: () => {} })
    return null
  }
  const nowhere = { nodeType: 1, childNodes: [], firstChild: null } as never
  const lastRead = {}
  render(createElement(Screen, { lastRead }), nowhere)
  await until(async () => events.error.value !== null)
  render(createElement(Screen, { lastRead }), nowhere)
  t.equal(continued.length, 1, 'no read has succeeded since')
  render(createElement(Screen, { lastRead: {} }), nowhere)
  await until(async () => events.progress.value !== null)
  t.equal(events.error.value, null)
  render(createElement(Screen, { lastRead: {} }), nowhere)
  t.equal(continued.length, 2, 'without an error a read changes nothing')
})
