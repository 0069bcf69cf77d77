/** Clients that sign up, and a payment provider that reports their payments, for the tests of both. */
import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { SignUp } from '@tidemark/contracts/rpc/signup'
import * as signupRpc from '@tidemark/contracts/rpc/signup'
import { listening } from '@tidemark/testing/listening'

export const webhookSecret = 'whsec_of_these_tests'
export const baseUrl = 'http://tidemark.example'
const timeoutMs = 25_000

export type Session = Record<string, unknown>

/** Returns the requests of clients, over this bus. */
export const strangers = (bus: Bus) => ({
  signUp: (projectName: string, more: Partial<SignUp> = {}) =>
    call(
      bus,
      signupRpc.signUp,
      {
        projectName,
        email: `${projectName}@example.com`,
        tier: 'free',
        token: null,
        clientIp: '203.0.113.1',
        baseUrl,
        isLocal: true,
        ...more,
      },
      { timeoutMs },
    ),
  checkout: (intentId: number, isLocal = true) =>
    call(bus, signupRpc.readCheckout, { intentId, baseUrl, isLocal }, { timeoutMs }),
  billing: (projectId: number) => call(bus, signupRpc.readBilling, { projectId }, { timeoutMs }),
  pay: (body: string, signature = signed(body), limitMs = timeoutMs) =>
    call(
      bus,
      signupRpc.takePayment,
      { body: Buffer.from(body).toString('base64'), signatures: [signature], baseUrl },
      { timeoutMs: limitMs },
    ),
})

/** Returns the event of a paid checkout. */
export const completed = (
  intentId: number | string,
  more: Session = {},
  id = `evt_${randomUUID()}`,
): string =>
  JSON.stringify({
    id,
    type: 'checkout.session.completed',
    data: {
      object: {
        id: 'cs_test_1',
        client_reference_id: String(intentId),
        payment_status: 'paid',
        customer: 'cus_1',
        subscription: 'sub_1',
        ...more,
      },
    },
  })

export const secondsNow = (): number => Math.floor(Date.now() / 1000)

/** Signs like Stripe: hex of HMAC-SHA256 over time, dot, body. */
export function signed(body: string, { secret = webhookSecret, at = secondsNow() } = {}): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}

export type FormRequest = { url: string; headers: NodeJS.Dict<string | string[]>; form: URLSearchParams }

/** Starts a server on loopback that receives forms and responds with JSON. A null answer closes the connection. */
export async function formServer(answer: (request: FormRequest) => object | null | Promise<object | null>) {
  const received: FormRequest[] = []
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request))
    const parsed = { url: request.url ?? '', headers: request.headers, form }
    received.push(parsed)
    const body = await answer(parsed)
    if (body === null) return response.destroy()
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  const { url, close } = await listening(server)
  return { url, received, close }
}
