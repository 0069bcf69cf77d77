import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { quantile } from './customers.ts'
import { beyond, figuresOf, tableOf } from './judged.ts'
import { type Samples, sample } from './sampler.ts'
import { slopeOf } from './slope.ts'
import { slowDown } from './slowed.ts'

const collector = new URL('collector.ts', import.meta.url).href
const mega = 1_000_000
const steady = (value: number) => Array.from({ length: 10 }, (_, n) => ({ seconds: n * 60, value }))

test('The slope is that of the least-squares line', async t => {
  t.equal(slopeOf([]), 0)
  t.equal(slopeOf([{ seconds: 3, value: 9 }]), 0)
  t.equal(slopeOf([1, 2, 3].map(n => ({ seconds: n, value: 5 + 2 * n }))), 2)
  t.equal(
    slopeOf([0, 1, 2, 2, 1, 0].map((value, seconds) => ({ seconds, value }))),
    0,
    'a value that returns to its start does not grow',
  )
  t.equal(quantile([4, 1, 3, 2], 0.5), 2)
  t.equal(quantile([], 0.95), 0)
})

test('Growth, many open files and delays are reported, except during the warm-up', async t => {
  const growing = steady(0).map(({ seconds }) => ({ seconds, value: 100 * mega + seconds * 10_000 }))
  const warming = steady(0).map(({ seconds }) => ({
    seconds,
    value: seconds < 120 ? seconds * mega : 80 * mega,
  }))
  const samples: Samples = new Map([
    ['fetcher', { memory: growing, alive: growing, files: steady(30), lag: steady(5) }],
    [
      'gateway',
      { memory: warming, alive: [], files: [...steady(30), { seconds: 600, value: 60 }], lag: steady(250) },
    ],
  ])
  const figures = figuresOf(samples, 120)
  t.strictSame(beyond(figures, true), [
    'fetcher grows by 6.00 MB in ten minutes',
    'the live heap of fetcher grows by 6.00 MB in ten minutes',
    'gateway had from 30 to 60 files',
    'the event loop of gateway was 250 ms late',
  ])
  t.strictSame(beyond(figures, false), [], 'growth and delays of a slowed system are ignored')
  t.match(tableOf(figures), /^gateway +80 +0\.00 +30–60 +250\.0$/m)
})

test('A process with the collector reports its live heap', async t => {
  const folder = t.testdir()
  const keeps =
    'globalThis.kept = new Array(4e6).fill(0.5); setInterval(() => {}, 1e3); process.stdout.write("up")'
  const child = spawn(process.execPath, ['--import', collector, '-e', keeps], {
    env: { ...process.env, SOAK_ALIVE: folder },
  })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const keeping = { name: 'keeping', services: [], pid: child.pid ?? 0 }
  const samples = await sample(async () => [keeping], 50, AbortSignal.timeout(500), folder)
  const [figures] = figuresOf(samples, 0)
  t.equal(samples.get('keeping')?.alive.length, 1, 'once a minute')
  t.ok((figures?.alive?.mb ?? 0) > 32, `the array is part of ${figures?.alive?.mb} MB`)
  t.equal(child.exitCode, null)
})

test('A process is sampled and slowed down by its pid', async t => {
  const over = AbortSignal.timeout(600)
  const own = { name: 'own', services: [], pid: process.pid }
  const samples = await sample(async () => [own], 50, over)
  const [figures] = figuresOf(samples, 0)
  t.ok((samples.get('own')?.memory.length ?? 0) >= 3)
  t.ok((figures?.maxMB ?? 0) > 10)
  t.ok((figures?.files[0] ?? 0) > 3)

  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1)'])
  t.teardown(() => child.kill('SIGKILL'))
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  const stop = new AbortController()
  t.equal(await stoppedShareOf(pid), 0, 'it runs')
  const slowing = slowDown(async () => [pid], 10, stop.signal)
  const share = await stoppedShareOf(pid)
  stop.abort()
  await slowing
  t.ok(share > 0.6, `it is stopped for ${share} of the time`)
  t.equal(await stoppedShareOf(pid), 0, 'it runs again')
})

/** Returns the share of a second in which the process is stopped (state T of proc(5)). */
async function stoppedShareOf(pid: number): Promise<number> {
  const looks = 100
  let stopped = 0
  for (let n = 0; n < looks; n++) {
    await sleep(10)
    if (/\) T /.test(await fs.readFile(`/proc/${pid}/stat`, 'utf8'))) stopped++
  }
  return stopped / looks
}
