/** Reads of a screen, in a component that draws nothing and so needs no browser. */
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'

// The files of the console, and Preact, have the types of a browser, which this test does not have.
const { createElement, render } = await import('preact' as string)
const { useReading } = await import(new URL('./web/data/reading.ts', import.meta.url).href)

type Reading = { data: number | null; error: unknown; reload: () => void; refresh: () => void }

test('An interval lets a pending read complete, and the reader ends it', async t => {
  const reads: { signal: AbortSignal; done: (value: number) => void }[] = []
  let reading = {} as Reading
  const Screen = () => {
    const read = (signal: AbortSignal) => new Promise<number>(done => reads.push({ signal, done }))
    reading = useReading(read, [])
    return null
  }
  const nowhere = { nodeType: 1, childNodes: [], firstChild: null } as never
  render(createElement(Screen, null), nowhere)
  await until(async () => reads.length === 1)
  reading.refresh()
  await sleep(100)
  t.equal(reads.length, 1, 'an interval starts no second read')
  t.equal(reads[0]?.signal.aborted, false)
  reading.reload()
  await until(async () => reads.length === 2)
  t.equal(reads[0]?.signal.aborted, true, 'a reload does')
  reads[1]?.done(7)
  await until(async () => reading.data === 7)
  reading.refresh()
  await until(async () => reads.length === 3)
})

test('An error of earlier dependencies is dropped', async t => {
  const failures: ((error: Error) => void)[] = []
  let reading = {} as Reading
  const Screen = ({ id }: { id: number }) => {
    reading = useReading(() => (id === 0 ? null : new Promise((_, fail) => failures.push(fail))), [id])
    return null
  }
  const nowhere = { nodeType: 1, childNodes: [], firstChild: null } as never
  const show = (id: number) => render(createElement(Screen, { id }), nowhere)
  show(1)
  await until(async () => failures.length === 1)
  failures[0]?.(new Error('There is no such crawl.'))
  await until(async () => reading.error !== null)
  show(2)
  t.equal(reading.error, null, 'the next read is pending')
  await until(async () => failures.length === 2)
  failures[1]?.(new Error('There is no such crawl.'))
  await until(async () => reading.error !== null)
  show(0)
  t.equal(reading.error, null, 'there is nothing to read')
})
