/**
 * What an answer cost, told with it: `X-Pages-Billed`, and `X-Cloud-Pages-Billed` where there were any, on every answer
 * of the endpoints in the price table. An answer whose bill nobody knows for sure says nothing.
 */
import { prices } from '@tidemark/contracts/prices'
import type { UnitKind } from '@tidemark/contracts/usage'
import type { FastifyReply } from 'fastify'
import type { Metering } from '../adapters/metering.ts'
import type { App } from '../app.ts'
import { unitsSpent } from '../domain/metering.ts'

const pagesBilled = 'x-pages-billed'
const cloudPagesBilled = 'x-cloud-pages-billed'

const billing = new Set(Object.values(prices).flatMap(({ at }) => at ?? []))

type Bill = Record<UnitKind, number> | 'unknown'

/** Returns the metering that routes must use, so that what they spend is told. To be called before any of them is added. */
export function installBilled(app: App, metering: Metering): Metering {
  const bills = new Map<string, Bill>()

  app.addHook('onRoute', route => {
    const methods = [route.method].flat()
    if (!methods.some(method => billing.has(`${method} ${route.url}`))) return
    route.onSend = [
      ...[route.onSend ?? []].flat(),
      async (request, reply) => {
        const bill = bills.get(request.id)
        bills.delete(request.id)
        tell(reply, bill)
      },
    ]
  })

  return {
    ...metering,
    async served(payer, done) {
      bills.set(done.requestId, 'unknown')
      await metering.served(payer, done)
      bills.set(done.requestId, unitsSpent(done))
    },
  }
}

/** What a route itself knows better, as its pages are billed elsewhere, is said before and stays. */
export const tellPagesBilled = (reply: FastifyReply, pages: number) => reply.header(pagesBilled, pages)

function tell(reply: FastifyReply, bill: Bill = { page: 0, cloud_page: 0 }): void {
  if (bill === 'unknown' || reply.hasHeader(pagesBilled) || isStream(reply)) return
  reply.header(pagesBilled, bill.page)
  if (bill.cloud_page > 0) reply.header(cloudPagesBilled, bill.cloud_page)
}

/** What it will cost is not known when it begins; its last event may say so. */
const isStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type')).startsWith('text/event-stream')
