/** Exports, webhooks, keys and the account. */

import { TidemarkError } from '../errors.ts'
import { sleep } from '../retries.ts'
import type { Export } from '../schema.ts'
import type { CallOptions, Transport } from '../transport.ts'
import { verifyWebhook } from '../webhooks.ts'
import { divided, listOf, plain, posting, type QueryAndOptions, withId } from './method.ts'

export const exportsOf = (transport: Transport) => ({
  get: withId(transport, 'getExport'),
  delete: withId(transport, 'deleteExport'),
  /** Returns an export after its end: `status` is `done`, `failed` or `expired`. */
  wait: async (id: number, options?: CallOptions): Promise<Export> => {
    for (let reads = 0; ; reads++) {
      const state = await transport.call('getExport', { path: { id } }, options)
      if (state.status !== 'queued' && state.status !== 'running') return state
      await sleep(Math.min(200 * 2 ** reads, 3000), options?.signal)
    }
  },
  /**
   * Returns the response with the file of a finished export. The body is not read yet. Throws a `TidemarkError` if the
   * export has no file.
   *
   * @param from the first byte, to continue a download
   */
  download: async (exported: Export, from = 0, options: CallOptions = {}): Promise<Response> => {
    const { id, status, download_url } = exported
    if (download_url === null)
      throw new TidemarkError(`Export ${id} has no file to download: its status is ${status}.`)
    const query = Object.fromEntries(new URL(download_url, transport.settings.baseUrl).searchParams)
    const headers = { ...options.headers, ...(from > 0 && { range: `bytes=${from}-` }) }
    return transport.open('downloadExport', { path: { id }, query }, { ...options, headers }, '*/*')
  },
})

export const webhooksOf = (transport: Transport) => ({
  /** Verifies a webhook and returns its event. */
  verify: verifyWebhook,
  secret: plain(transport, 'getWebhookSecret'),
  rotateSecret: posting(transport, 'rotateWebhookSecret'),
  /** Redelivers all webhooks that died since a time. */
  redeliverDead: posting(transport, 'redeliverDead'),
  /** Sends one signed sample. */
  test: posting(transport, 'testWebhook'),
})

export const keysOf = (transport: Transport) => ({
  list: (options?: CallOptions) => listOf(transport, 'listKeys', undefined, options),
  /** Creates a key, and ends the others after `grace_seconds`. */
  rotate: posting(transport, 'rotateKey'),
  revoke: (prefix: string, options?: CallOptions) =>
    transport.call('revokeKey', { path: { prefix } }, options),
})

export const accountOf = (transport: Transport) => ({
  /** Whether pages may be sent to the language model of the installation, and to which host. */
  modelConsent: plain(transport, 'getModelConsent'),
  setModelConsent: (consent: boolean, options?: CallOptions) =>
    transport.call('setModelConsent', { body: { consent } }, options),
  /** The public keys that verify evidence of crawls. */
  evidenceKeys: plain(transport, 'listEvidenceKeys'),
  usage: plain(transport, 'getUsage'),
  usageHistory: (given?: QueryAndOptions<'getUsageHistory'>) => {
    const { query, options } = divided(given)
    return transport.call('getUsageHistory', { query }, options)
  },
  /** Returns the ledger, one entry per unit. */
  ledger: (options?: QueryAndOptions<'listLedger'>) => listOf(transport, 'listLedger', undefined, options),
  logs: (options?: QueryAndOptions<'listLogs'>) => listOf(transport, 'listLogs', undefined, options),
  billing: plain(transport, 'getBilling'),
  signUp: posting(transport, 'signUp'),
  checkout: (intentId: number, options?: CallOptions) =>
    transport.call('getCheckout', { query: { intent_id: intentId } }, options),
  /**
   * Forwards an event of the payment provider.
   *
   * @param body the exact text or bytes of the event, because the provider signed them
   * @param signature the header with the signature of the provider
   */
  paymentEvent: (body: string | Uint8Array, signature: string, options?: CallOptions) => {
    const raw = typeof body === 'string' ? body : Uint8Array.from(body)
    const headers = { ...options?.headers, 'payment-signature': signature }
    return transport.call('takePaymentEvent', { raw }, { ...options, headers })
  },
})
