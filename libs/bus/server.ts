/**
 * Which server to connect to, and as whom. A URL may carry a user with a password; such a user listens for answers in
 * an inbox of its own, so that a server can keep all others from it.
 */
import { type ConnectionOptions, createInbox, type NatsConnection } from '@nats-io/transport-node'

type Server = Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'inboxPrefix'>

const prefixes = new WeakMap<NatsConnection, string>()

/** @param url `nats://[user:password@]host:port`, or several of one user separated by commas */
export function serverOf(url: string): Server {
  const [, scheme = '', credentials, hosts = ''] = /^([a-z]+:\/\/)?(?:([^@/]*)@)?(.*)$/.exec(url) ?? []
  if (credentials === undefined) return { servers: url.split(',') }
  const [user = '', pass = ''] = credentials.split(':').map(decodeURIComponent)
  const servers = hosts.split(',').map(host => scheme + host.replace(/^([a-z]+:\/\/)?([^@]*@)?/, ''))
  return { servers, user, pass, inboxPrefix: `_INBOX.${user}` }
}

/** Remembers where this connection listens for answers. */
export function noteInboxes(nc: NatsConnection, { inboxPrefix }: Server): void {
  if (inboxPrefix !== undefined) prefixes.set(nc, inboxPrefix)
}

/** A subject for answers that this connection may listen to. */
export const newInbox = (nc: NatsConnection): string => createInbox(prefixes.get(nc))
