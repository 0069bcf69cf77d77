/**
 * The direct way out: with no more connections to a host than its ceiling allows, for what comes there by redirects has
 * taken no place at it. One's own networks have no ceiling.
 */
import type { HttpClient } from '@tidemark/http/client'
import type { IsOwn } from './own-networks.ts'

/** Both stay their owner's to close. */
export function directClient(toStrangers: HttpClient, toOwn: HttpClient, isOwn: IsOwn): HttpClient {
  return {
    ...toStrangers,
    dispatch(options, handler) {
      const client = isOwn(hostOf(String(options.origin))) ? toOwn : toStrangers
      client.dispatch(options, handler)
    },
  }
}

const hostOf = (origin: string): string => origin.slice(origin.indexOf('//') + 2)
