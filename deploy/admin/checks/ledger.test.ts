/** The ledger's calls of language models and costs, checked against USAGE and SERVED. */
import type { StreamMessage } from '@tidemark/bus/read'
import type { ServedEvent } from '@tidemark/contracts/served'
import type { UsageEvent } from '@tidemark/contracts/usage'
import { inTransaction } from '@tidemark/db/transaction'
import { migratedDatabase } from '@tidemark/testing/databases'
import { database } from '@tidemark/usage-ledger/database'
import { recordUnits } from '@tidemark/usage-ledger/projections/ledger'
import { test } from 'tap'
import { billedTotals } from '../billed-totals.ts'
import { type Client, openPool } from '../open-instance.ts'
import { seenTokens } from '../seen-tokens.ts'
import { servedRequests } from '../served-requests.ts'
import { checkLedger, checkRequests } from './ledger.ts'

const named = { projectId: 1, requestId: 'judged', operation: 'scan' }
const model = { model: 'small', inputTokens: 90, outputTokens: 9 }
const what = 'https://example.com/'
const costUsd = 0.0015

const served: ServedEvent[] = [
  {
    type: 'RequestServed',
    data: { ...named, units: [{ kind: 'cloud_page', n: 2, what }], costUsd },
  },
  { type: 'ModelCalled', data: { ...named, ...model, what } },
]

const day = '2026-11-27'
const pages: UsageEvent = {
  type: 'ServedUnitsSpent',
  data: {
    ...{ ...named, kind: 'cloud_page', day },
    units: [
      { token: 'served:judged:0', what, costUsd },
      { token: 'served:judged:1', what },
    ],
  },
}
const call: UsageEvent = {
  type: 'ModelCallsSpent',
  data: { ...named, kind: 'model_call', day, units: [{ token: 'model:judged', what, ...model }] },
}

const message = (sequence: number, events: object[]) =>
  ({
    ...{ sequence, subject: 'usage.1', headers: new Map([['Nats-Msg-Id', 'served-1-0']]) },
    data: Buffer.from(JSON.stringify({ at: `${day}T03:04:05.678Z`, events })),
  }) as unknown as StreamMessage

/** A bill that was stored twice. */
const bills = [message(1, [pages, call]), message(2, [pages, call])]

test('Calls of language models and costs', async t => {
  const fresh = await migratedDatabase(database)
  const opened = await openPool(fresh.url)
  t.teardown(async () => {
    await opened.close()
    await fresh.drop()
  })
  await inTransaction(opened.pool, client => recordUnits(client, bills))
  /** Returns the faults after a statement, which is rolled back. */
  const faultsAfter = async (statement: string) => {
    await using seen = await seenTokens(opened)
    const spent = billedTotals(seen.countFresh)
    await spent.take(bills)
    const client: Client = await opened.pool.connect()
    await client.query(`begin; ${statement}`)
    const { wrong } = await checkLedger(client, spent)
    await client.query('rollback')
    client.release()
    return wrong
  }
  const whole = '0 and 2 of the cloud with 1 model call and 0.0015 USD'
  const before = `project and day 1 ${day}: USAGE has ${whole}`

  await t.test('are in the ledger and its counter once', async t => {
    t.strictSame(await faultsAfter('select 1'), [])
  })

  await t.test('are missed in the rows', async t => {
    t.strictSame(await faultsAfter(`delete from ledger.unit where kind = 'model_call'`), [
      `${before}, the rows 0 and 2 of the cloud with 0.0015 USD, the counter ${whole}`,
    ])
    t.strictSame(await faultsAfter('update ledger.unit set cost_usd = 0'), [
      `${before}, the rows 0 and 2 of the cloud with 1 model call, the counter ${whole}`,
    ])
  })

  await t.test('are missed in the counter, by which the cap of calls is decided', async t => {
    t.strictSame(await faultsAfter('update ledger.counter set model_calls = 0'), [
      `${before}, the rows ${whole}, the counter 0 and 2 of the cloud with 0.0015 USD`,
    ])
    t.strictSame(await faultsAfter('update ledger.counter set cloud_cost_usd = 0.001499'), [
      `${before}, the rows ${whole}, the counter 0 and 2 of the cloud with 1 model call and 0.001499 USD`,
    ])
  })

  await t.test('are compared without the counter of calls in a database of an earlier version', async t => {
    const earlier = 'alter table ledger.counter drop column model_calls'
    t.strictSame(await faultsAfter(earlier), [])
    t.match(await faultsAfter(`${earlier}; update ledger.counter set cloud_cost_usd = 0`), [/the counter/])
  })

  await t.test('are billed to the request that had them', async t => {
    const faultsOf = async (events: ServedEvent[], billed: UsageEvent[]) => {
      const requests = servedRequests(9)
      requests.take([message(1, events), message(2, events)])
      await using seen = await seenTokens(opened)
      const spent = billedTotals(seen.countFresh)
      await spent.take([message(1, billed)])
      return checkRequests(requests.requests, spent, 1)
    }
    t.strictSame(await faultsOf(served, [pages, call]), [])
    t.strictSame(await faultsOf(served, [pages]), [
      `request judged: ${whole} to be billed, but 0 and 2 of the cloud with 0.0015 USD billed`,
    ])
    t.strictSame(await faultsOf(served.slice(0, 1), [pages, call]), [
      `request judged: 0 and 2 of the cloud with 0.0015 USD to be billed, but ${whole} billed`,
    ])
    t.strictSame(await faultsOf(served.slice(1), []), [
      'request judged: 0 and 0 of the cloud with 1 model call to be billed, but 0 and 0 of the cloud billed',
    ])
    const free = served.slice(0, 1).map(event => ({ ...event, data: { ...event.data, units: [] } }))
    t.strictSame(await faultsOf(free as ServedEvent[], []), [], 'a cost without units is not billed')
  })
})

test('Costs are rounded as in the ledger', async t => {
  const fresh = await migratedDatabase(database)
  const opened = await openPool(fresh.url)
  t.teardown(async () => {
    await opened.close()
    await fresh.drop()
  })
  const costs = [0.1, 0.2, 0.0000005, 0.00000049, 1.0000005, 0.0000015, 12.3456789, 0.07, 0.000001]
  const units = costs.map((costUsd, n) => ({ token: `served:judged:${n}`, what, costUsd }))
  const bill = message(1, [{ ...pages, data: { ...pages.data, units } }])
  await inTransaction(opened.pool, client => recordUnits(client, [bill]))
  await using seen = await seenTokens(opened)
  const spent = billedTotals(seen.countFresh)
  await spent.take([bill])
  t.strictSame((await inTransaction(opened.pool, client => checkLedger(client, spent))).wrong, [])
})
