/** Slots of the browsers: the order in which names receive them, and the limit after a long wait. */
import { setImmediate as breathe } from 'node:timers/promises'
import { test } from 'tap'
import { FairSlots } from './fair-slots.ts'

const patient = new AbortController().signal

/** Returns a pool on a clock that only `pass` moves. */
function pool(size: number, max = 1_000) {
  let now = 1_000
  const slots = new FairSlots(size, max, () => now)
  const running: { name: string; release: () => void }[] = []
  return {
    slots,
    names: () => running.map(({ name }) => name),
    async pass(ms: number) {
      now += ms
      await breathe()
    },
    async want(name: string, count = 1, signal = patient) {
      for (let n = 0; n < count; n++)
        slots.take(name, signal).then(
          release => running.push({ name, release }),
          () => {},
        )
      await breathe()
    },
    /** Ends the oldest job of a name. */
    async end(name: string) {
      const at = running.findIndex(one => one.name === name)
      const [ended] = at < 0 ? [] : running.splice(at, 1)
      ended?.release()
      ended?.release()
      await breathe()
    },
  }
}

test('A free slot goes to the name that holds the fewest', async t => {
  const { slots, want, end, names } = pool(4)
  await want('many', 20)
  t.strictSame(names(), ['many', 'many', 'many', 'many'], 'alone it may have all slots')
  await want('few', 3)
  for (let n = 0; n < 3; n++) await end('many')
  t.strictSame(names(), ['many', 'few', 'few', 'many'], 'and at most half of them while another waits')
  await end('many')
  t.strictSame(names(), ['few', 'few', 'many', 'many'], 'equal names alternate')
  await end('few')
  t.strictSame(names(), ['few', 'many', 'many', 'few'])
  for (let n = 0; n < 40; n++) await end(names()[0] ?? '')
  t.strictSame([names(), slots.waiting], [[], 0], 'all get a slot')
  await want('late', 5)
  t.equal(names().length, 4, 'and no slot is lost')
})

test('After a long wait no name takes more than half, so that others need not wait', async t => {
  const { want, end, pass, names } = pool(2)
  const renewed = async () => {
    await end('hog')
    await end('hog')
  }
  await want('hog', 500)
  const waits: number[] = []
  for (let minute = 0; minute < 60; minute++) {
    await pass(10_000)
    await want('other')
    if (!names().includes('other')) {
      await pass(50_000)
      waits.push(minute)
      await renewed()
    }
    t.ok(names().includes('other'), `minute ${minute}`)
    await end('other')
    await pass(10_000)
    await renewed()
  }
  t.strictSame(waits, [0], 'only the first job of the other waits, also after an hour')
  await pass(10 * 60_000)
  await end('hog')
  t.strictSame(names(), ['hog', 'hog'], 'later it may have all slots again')
})

test('The limit ends when jobs are short, although others find free slots meanwhile', async t => {
  const { want, end, pass, names } = pool(2)
  await want('hog', 500)
  await want('other')
  await pass(6_000)
  await end('hog')
  await end('other')
  t.strictSame(names(), ['hog'])
  for (let seconds = 0; seconds < 11 * 60; seconds += 2) {
    await pass(2_000)
    await want('other')
    await end('other')
    await end('hog')
  }
  while (names().includes('other')) await end('other')
  t.strictSame(names(), ['hog', 'hog'])
})

test('A short wait, or a wait for its own jobs, halves nothing', async t => {
  const { want, end, pass, names } = pool(2)
  await want('hog', 20)
  await want('other', 5)
  for (let n = 0; n < 5; n++) {
    await pass(4_000)
    await end(n === 0 ? 'hog' : 'other')
  }
  await end('other')
  t.strictSame(names(), ['hog', 'hog'], 'short jobs')
  await pass(60_000)
  await end('hog')
  t.strictSame(names(), ['hog', 'hog'], 'long jobs without another name')
})

test('A job that leaves after a long wait counts as one that waited', async t => {
  const { slots, want, end, pass, names } = pool(2, 2)
  const leaving = new AbortController()
  await want('hog', 3)
  await want('other', 1, leaving.signal)
  await t.rejects(slots.take('other', patient), { code: 'busy' }, 'too many wait')
  await pass(6_000)
  leaving.abort(new Error('left'))
  t.equal(slots.waiting, 1)
  await end('hog')
  t.strictSame(names(), ['hog'])
  await want('other')
  t.strictSame(names(), ['hog', 'other'], 'the next one finds a free slot')
})
