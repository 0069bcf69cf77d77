import { Readable } from 'node:stream'
import { test } from 'tap'
import type { EventText } from './run-event-texts.ts'
import { Sampling } from './sampling.ts'
import { streamText } from './stream.ts'

let index = 0
const at = (second: number, type: EventText['type'], decision: EventText['decision'] = null): EventText => ({
  ...{ sequence: 1, index: index++, second, type, decision, size: 1 },
  text: `${second} ${decision ?? type}`,
})
const texts = (events: EventText[]) => events.map(({ text }) => text)
const pages = (second: number, count: number) => Array.from({ length: count }, () => at(second, 'page'))

test('A sampled stream has a few events of each second and kind', async t => {
  const sampling = new Sampling(2)
  t.strictSame(sampling.next([...pages(1, 5), at(1, 'decision', 'failed'), at(1, 'progress')]), [])
  t.strictSame(sampling.next([...pages(1, 3), at(1, 'decision', 'skipped'), at(1, 'progress')]), [])
  t.strictSame(
    texts(sampling.next([at(2, 'page'), at(2, 'progress')])),
    ['1 page', '1 page', '1 failed', '1 skipped', '1 progress'],
    'of progress only the last one',
  )
  t.strictSame(texts(sampling.next([])), ['2 page', '2 progress'], 'a pause sends what is held')
  t.strictSame(texts(sampling.next([])), [], 'once')
  sampling.next(pages(2, 3))
  t.strictSame(texts(sampling.next([])), ['2 page'], 'the second counts on after the pause')
})

test('A sampled stream keeps the order of ids, and ends at once', async t => {
  const sampling = new Sampling(3)
  const events = [1, 1, 1, 1, 2, 2, 3].flatMap(second => [...pages(second, 2), at(second, 'progress')])
  const sent = [...sampling.next(events), ...sampling.next([at(3, 'end')])]
  const order = sent.map(({ index }) => index)
  t.strictSame(
    order,
    order.toSorted((a, b) => a - b),
  )
  t.equal(new Set(order).size, order.length)
  t.strictSame(texts(sent).slice(-4), ['3 page', '3 page', '3 progress', '3 end'])
})

test('Events that a sampled stream leaves out are no pause of the crawl', async t => {
  const robots = () => [at(1, 'decision', 'robots')]
  const batches = [[at(1, 'progress')], robots(), [at(1, 'progress')], robots(), [at(1, 'progress')]]
  const options = { types: new Set(['progress']), maxPerSecond: 1, heartbeatMs: 15_000, now: () => 0 }
  const read = (more: EventText[][]) =>
    Array.fromAsync(streamText(Readable.from([...batches, ...more]), options))
  t.strictSame(await read([[]]), ['1 progress'], 'a second has one progress')
  t.strictSame(await read([[at(2, 'decision', 'robots')], [at(2, 'progress')]]), ['1 progress', '2 progress'])
})
