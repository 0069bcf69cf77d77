/**
 * Sends requests directly, without a proxy. Connections per host are capped at the host's ceiling, because requests
 * that arrive there by redirect hold no host slot. The operator's own networks have no ceiling.
 */
import type { HttpClient } from '@tidemark/http/client'
import type { IsOwn } from './own-networks.ts'

/** Returns a client that uses `toOwn` for the operator's own networks, else `toStrangers`. The caller closes both. */
export function directClient(toStrangers: HttpClient, toOwn: HttpClient, isOwn: IsOwn): HttpClient {
  return {
    ...toStrangers,
    dispatch(options, handler) {
      const client = isOwn(addressOf(String(options.origin))) ? toOwn : toStrangers
      client.dispatch(options, handler)
    },
  }
}

const addressOf = (origin: string): string => origin.slice(origin.indexOf('//') + 2)
