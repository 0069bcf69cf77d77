/** The pages of a run never have more bytes than `max_bytes`, whatever is in flight. */
import { maxBodyBytes } from '@tidemark/contracts/work/fetch'
import { test } from 'tap'
import { messagesFor, messagesOut } from '../../policies/order-fetching.ts'
import { coverageOf } from '../coverage.ts'
import { decide } from '../decide.ts'
import { retriableOf } from '../reopening.ts'
import { circumstances, failed, settle } from '../run.examples.ts'
import { answer, linking, running } from './budget.scene.ts'

const kilobyte = 1024
const megabyte = 1024 ** 2
const share = 256 * kilobyte
const sized = (path: string, bytes: number, attempt = 1) => answer(path, { bytes, attempt })

test('Orders reserve shares of the rest, and only as many are sent as fit', async t => {
  const { look, receive, run, ended } = running({ maxBytes: megabyte })
  t.strictSame(look(), ['/ 1'])
  t.match(messagesOut(run())[0]?.orders, { maxBytes: share })
  const paths = ['/a', '/b', '/c', '/d', '/e']
  t.strictSame(receive(linking('/', ...paths)), ['/a 1', '/b 1', '/c 1'])
  t.equal(run().bytes?.held, 3 * share)
  t.strictSame(receive(sized('/a', 10)), ['/d 1'], 'an order returns what its page does not have')
  receive(sized('/b', 20), sized('/c', 30), sized('/d', 40))
  receive(sized('/e', 50))
  t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 6 } })
})

test('A rest below a share is for one order alone', async t => {
  const { look, receive, run, ended } = running({ maxBytes: 100 })
  look()
  t.strictSame(receive(linking('/', '/a', '/b', '/c')), ['/a 1'])
  t.match(messagesOut(run())[0]?.orders, { maxBytes: 96 })
  t.strictSame(receive(sized('/a', 60)), ['/b 1'])
  t.match(messagesOut(run())[0]?.orders, { maxBytes: 36 })
  receive(sized('/b', 36))
  t.match(ended(), {
    status: 'done',
    stopReason: 'max_bytes',
    totals: { discovered: 4, fetched: 3, notReached: 1 },
  })
  t.match(coverageOf(ended(), 1), {
    holds: true,
    not_reached: { by_limit: { max_bytes: 1 } },
    budget: { max_cost_usd: null, cost_usd: null, max_bytes: 100, bytes: 100 },
  })
})

test('A page above its share', async t => {
  await t.test('is ordered again with as much as a body may have', async t => {
    const { look, receive, run, ended } = running({ maxBytes: 2 * maxBodyBytes })
    look()
    receive(linking('/', '/a', '/b'))
    t.strictSame(receive(failed('/a', 'max_bytes')), ['/a 2'])
    t.match(messagesOut(run()).find(({ id }) => id === '1.3')?.orders, { maxBytes: maxBodyBytes })
    receive(sized('/a', maxBodyBytes, 2), sized('/b', 1))
    t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 3 } })
  })

  await t.test('fails if it exceeds that too', async t => {
    const { look, receive, run } = running({ maxBytes: 2 * maxBodyBytes })
    look()
    receive(linking('/', '/a', '/b'))
    receive(failed('/a', 'max_bytes'))
    receive(failed('/a', 'max_bytes', false, 2))
    t.match([...run().failed.values()], [{ reason: 'too_large', attempts: 2 }])
  })

  await t.test('waits for the whole rest, which it gets alone', async t => {
    const { look, receive, run, ended } = running({ maxBytes: 2 * megabyte })
    look()
    receive(linking('/', '/a', '/b', '/c'))
    t.strictSame(receive(failed('/a', 'max_bytes')), [], 'two others are in flight')
    t.strictSame(receive(sized('/b', 6)), [])
    t.strictSame(receive(sized('/c', 6)), ['/a 2'])
    t.match(messagesOut(run())[0]?.orders, { maxBytes: 2 * megabyte - 16 })
    receive(sized('/a', megabyte, 2))
    t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 4 } })
  })

  await t.test('does not end the run while others hold a part of the rest', async t => {
    const { look, receive, ended } = running({ maxBytes: 2 * share + 4 })
    look()
    t.strictSame(receive(linking('/', '/a', '/b')), ['/a 1', '/b 1'])
    t.strictSame(receive(failed('/b', 'max_bytes')), [])
    t.strictSame(receive(sized('/a', 4)), ['/b 2'])
    receive(sized('/b', 2 * share - 4, 2))
    t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 3 } })
  })

  await t.test('ends the run if it exceeds the rest, without a request for each other page', async t => {
    const { look, receive, ended } = running({ maxBytes: 104 })
    look()
    t.strictSame(receive(linking('/', '/a', '/b', '/c')), ['/a 1'])
    receive(failed('/a', 'max_bytes'))
    t.match(ended(), { stopReason: 'max_bytes', totals: { fetched: 1, notReached: 3, failed: 0 } })
    t.strictSame(retriableOf(ended()), { refused: 'no_failures' })
  })
})

test('A page counts with its decoded bytes, also above its share', async t => {
  await t.test('if it fits into the rest', async t => {
    const { look, receive, run } = running({ maxBytes: 8 * share })
    look()
    receive(linking('/', '/a', '/b', '/c'))
    receive(sized('/a', 4 * share))
    t.match(run().bytes, { spent: 4 * share + 4, held: 2 * share })
  })

  await t.test('and else it is ordered again, and nothing is counted', async t => {
    const { look, receive, run } = running({ maxBytes: 4 * share })
    look()
    receive(linking('/', '/a', '/b', '/c'))
    t.strictSame(receive(sized('/a', 3 * share)), [])
    t.match(run().bytes, { spent: 4, held: 2 * share })
    t.equal(run().counts.fetched, 1)
  })
})

test('A page that was not sent again counts no bytes', async t => {
  const { look, receive, ended } = running({ maxBytes: 100 })
  look()
  receive(answer('/', { bytes: 5_000, notModified: { since: 1, bytes: 900 } }))
  t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 1 } })
})

test('A page above the rest ends no run if an earlier attempt of it answers after all', async t => {
  const { look, receive, ended } = running({ maxBytes: 100 })
  look()
  t.strictSame(receive(linking('/', '/a', '/b', '/c')), ['/a 1'])
  t.strictSame(receive(failed('/a', 'timeout', true)), ['/b 1'])
  t.strictSame(receive(sized('/b', 6)), ['/a 2'])
  t.strictSame(receive(failed('/a', 'max_bytes', false, 2), sized('/a', 10)), ['/c 1'])
  receive(sized('/c', 20))
  t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 4 } })
})

test('Second requests take only the bytes that their pages do not hold', async t => {
  const { look, receive } = running({ maxBytes: 2 * maxBodyBytes + 4 })
  look()
  receive(linking('/', '/a', '/b'))
  receive(answer('/a', { status: 503, bytes: 10 }), answer('/b', { status: 503, bytes: 10 }))
  t.strictSame(look(), ['/a 2', '/b 2'])
})

test('A server error holds its bytes until its second response', async t => {
  await t.test('which may be larger, as far as the rest allows', async t => {
    const { look, receive, run, ended } = running({ maxBytes: 100 })
    look()
    receive(answer('/', { status: 500, bytes: 70 }))
    t.match(run().bytes, { spent: 0, held: 70 })
    t.strictSame(look(), ['/ 2'])
    t.match(messagesOut(run())[0]?.orders, { maxBytes: 100 })
    receive(sized('/', 100, 2))
    t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 1 } })
  })

  await t.test('which needs no share', async t => {
    const { look, receive, run, ended } = running({ maxBytes: 40 * megabyte })
    look()
    receive(answer('/', { status: 503, bytes: 10 }))
    t.strictSame(look(), ['/ 2'])
    const [message] = messagesOut(run())
    t.match(message?.orders, { maxBytes: maxBodyBytes, orders: [{ attempt: 2, isRecheck: true }] })
    receive(sized('/', 3 * megabyte, 2))
    t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 1 } })
  })

  await t.test('and counts if that exceeds the rest', async t => {
    const { look, receive, ended } = running({ maxBytes: 100 })
    look()
    receive(answer('/', { status: 500, bytes: 70 }))
    look()
    receive(failed('/', 'max_bytes', false, 2))
    t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 1, failed: 0 } })
  })

  await t.test('and counts if no byte is left for another page', async t => {
    const { look, receive, ended } = running({ maxBytes: 100 })
    look()
    receive(linking('/', '/a', '/b'))
    receive(answer('/a', { status: 500, bytes: 96 }))
    t.match(ended(), { stopReason: 'max_bytes', totals: { fetched: 2, notReached: 1 } })
  })
})

test('The bytes of a first response stay reserved, even if a body on the wire has fewer', async t => {
  const large = maxBodyBytes + 8 * megabyte
  const { look, receive, run, ended } = running({ maxBytes: 50 * megabyte })
  look()
  receive(linking('/', '/bad', '/b'))
  receive(answer('/bad', { status: 503, bytes: large }), answer('/b', { status: 503, bytes: 10 }))
  look()
  for (const { orders } of messagesOut(run())) t.equal(orders.maxBytes, maxBodyBytes)
  receive(sized('/b', 27 * megabyte, 2))
  receive(failed('/bad', 'timeout', false, 2))
  for (let n = 0; n < 5 && run().status === 'running'; n++) look()
  const { budget } = coverageOf(ended(), 1)
  t.ok((budget?.bytes ?? 0) > large, 'it counts')
  t.ok((budget?.bytes ?? Infinity) <= 50 * megabyte, `${budget?.bytes} bytes`)
})

test('A late response counts only if it fits into the rest', async t => {
  const { look, receive, run } = running({ maxBytes: 4 * share })
  look()
  receive(linking('/', '/a', '/b'))
  receive(failed('/a', 'timeout', true))
  receive(sized('/a', 4 * share))
  t.equal(run().counts.fetched, 1, 'it is fetched again')
  t.equal(run().pending.size, 2)
})

test('A crash changes neither the bytes nor the orders', async t => {
  const { look, receive, crash, run } = running({ maxBytes: 3 * share })
  look()
  receive(linking('/', '/a', '/b', '/c', '/d'))
  const [before, sent] = [run().bytes, messagesOut(run())]
  crash()
  t.strictSame(run().bytes, before)
  t.strictSame(messagesOut(run()), sent)
  receive(sized('/a', share))
  t.ok((run().bytes?.spent ?? 0) + (run().bytes?.held ?? 0) <= 3 * share)
})

test('Pages with different limits are in different messages', async t => {
  const { look, receive, run } = running({ maxBytes: 100 * megabyte })
  look()
  receive(linking('/', '/a', '/b', '/c'))
  const { run: after, events } = decide(
    run(),
    settle(failed('/a', 'max_bytes'), failed('/b', 'x', true)),
    circumstances(),
  )
  t.equal(after.status, 'running')
  t.strictSame(
    messagesFor(run(), events).map(({ orders }) => orders.maxBytes),
    [maxBodyBytes],
  )
})

test('A retry of failed URLs has the rest of the same bytes', async t => {
  const { look, receive, send, run, ended } = running({ maxBytes: 200 })
  look()
  receive(linking('/', '/a', '/b'))
  receive(failed('/a', 'dns'))
  receive(sized('/b', 50))
  t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 2, failed: 1 } })
  send({ type: 'ReopenRun' })
  t.match(run().bytes, { spent: 54, held: 0 })
  t.strictSame(look(), ['/a 2'])
  t.match(messagesOut(run())[0]?.orders, { maxBytes: 146 })
})

test('A page larger than the whole rest keeps no failed URL from its retry', async t => {
  const { look, receive, send, run, ended } = running({ maxBytes: megabyte })
  look()
  receive(linking('/', '/big', '/f'))
  receive(failed('/f', 'dns'), failed('/big', 'max_bytes'))
  for (let attempt = 2; attempt < 5 && run().status === 'running'; attempt++)
    receive(failed('/big', 'max_bytes', false, attempt))
  t.match(ended(), { stopReason: 'max_bytes', totals: { fetched: 1, failed: 1, notReached: 1 } })
  t.match(retriableOf(run()), { retried: 1 })
  send({ type: 'ReopenRun' })
  t.strictSame(look(), ['/f 2'])
})

test('A run without bytes left retries nothing', async t => {
  const { look, receive, run } = running({ maxBytes: 54 })
  look()
  receive(linking('/', '/a', '/b'))
  receive(failed('/a', 'dns'))
  receive(sized('/b', 50))
  t.strictSame(retriableOf(run()), { refused: 'max_bytes_reached' })
})
