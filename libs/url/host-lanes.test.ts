import fc from 'fast-check'
import { test } from 'tap'
import { forEachPerHost } from './host-lanes.ts'

test('Lanes of hosts', async t => {
  const hosts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 60 })
  const limits = fc.record({
    concurrency: fc.integer({ min: 1, max: 70 }),
    perHost: fc.integer({ min: 1, max: 5 }),
  })
  const pauses = fc.infiniteStream(fc.integer({ min: 0, max: 3 }))
  const ticks = async (count: number) => {
    for (let n = 0; n < count; n++) await Promise.resolve()
  }

  await t.test('do everything once, and never more at once than they may', async t => {
    let widest = 0
    await fc.assert(
      fc.asyncProperty(hosts, limits, pauses, async (names, { concurrency, perHost }, pause) => {
        const items = names.map((host, n) => ({ host, n }))
        const busy = new Map<string, number>()
        const did: number[] = []
        let atOnce = 0
        const signal = new AbortController().signal
        await forEachPerHost(items, { concurrency, perHost, signal }, async ({ host, n }) => {
          atOnce++
          busy.set(host, (busy.get(host) ?? 0) + 1)
          widest = Math.max(widest, atOnce)
          if (atOnce > concurrency) throw new Error('too many at once')
          if ((busy.get(host) ?? 0) > perHost) throw new Error('too many at a host')
          await ticks(pause.next().value ?? 0)
          atOnce--
          busy.set(host, (busy.get(host) ?? 1) - 1)
          did.push(n)
        })
        return did.length === items.length && new Set(did).size === items.length
      }),
      { numRuns: 300 },
    )
    t.ok(widest > 4, 'and as many as they may')
  })

  await t.test('begin nothing more after the signal aborts, and finish their started work', async t => {
    await fc.assert(
      fc.asyncProperty(
        hosts,
        limits,
        pauses,
        fc.nat(20),
        async (names, { concurrency, perHost }, pause, after) => {
          const stop = new AbortController()
          let [begun, ended] = [0, 0]
          if (after === 0) stop.abort()
          await forEachPerHost(
            names.map(host => ({ host })),
            { concurrency, perHost, signal: stop.signal },
            async () => {
              if (stop.signal.aborted) throw new Error('was begun all the same')
              if (++begun >= after) stop.abort()
              await ticks(pause.next().value ?? 0)
              ended++
            },
          )
          return begun === ended && begun <= Math.max(after, 0)
        },
      ),
      { numRuns: 300 },
    )
    t.pass()
  })
})
