/** The terms under which a gateway reads a page of a batch. */

import { test } from 'tap'
import type { Payer } from '../metering/domain/metering.ts'
import { batchPage } from './batch-page.ts'
import { optionsOf } from './domain/batch-request.ts'

test('The concurrency of a batch has bounds, with a warning', t => {
  for (const [sent, concurrency, warning] of [
    [33, 32, /capped at 32/],
    [32, 32, undefined],
    [0, 1, /raised to 1/],
  ] as const) {
    const warnings: string[] = []
    const options = optionsOf({ urls: [], concurrency: sent, metadata_only: false }, text =>
      warnings.push(text),
    )
    t.equal(options.concurrency, concurrency)
    t.match(warnings, warning ? [warning] : { length: 0 })
  }
  t.end()
})

test('A page of a batch', async t => {
  const atStart = {
    tier: 'pro',
    unlimited: true,
    caps: { pagesPerDay: 900 },
    keyCaps: { pagesPerDay: 50 },
  } as const

  async function payerUnder(current: object | null): Promise<Payer | undefined> {
    const payers: Payer[] = []
    const ports = {
      findBlocked: () => null,
      judgeTarget: async () => {},
      metering: {
        reserve: async (payer: Payer) => {
          payers.push(payer)
          return { granted: 0, reason: null, held: 1 }
        },
      },
      currentTerms: async () => current,
    } as unknown as Parameters<typeof batchPage>[0]
    const request = {
      projectId: 7,
      terms: atStart,
      requestId: 'batch-1',
      part: 1,
      workId: -1,
      url: 'https://a.example/',
      options: {},
    }
    await batchPage(ports)(request as Parameters<ReturnType<typeof batchPage>>[0])
    return payers[0]
  }

  await t.test('has the present terms of its project, and the caps of the key that started it', async t => {
    const payer = await payerUnder({ tier: 'free', caps: { pagesPerMonth: 10 } })
    t.strictSame(payer, {
      tier: 'free',
      caps: { pagesPerMonth: 10 },
      keyCaps: { pagesPerDay: 50 },
      projectId: 7,
    })
  })

  await t.test('has the terms of its batch while the present ones are unknown', async t => {
    t.strictSame(await payerUnder(null), { ...atStart, projectId: 7 })
  })
})
