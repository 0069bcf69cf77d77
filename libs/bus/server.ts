/**
 * Parses the server URL and its credentials. A URL may carry a user with a password. Such a user receives responses in
 * its own inbox, so that a server can restrict access to it.
 */
import { type ConnectionOptions, createInbox, type NatsConnection } from '@nats-io/transport-node'

type Server = Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'inboxPrefix'>

const prefixes = new WeakMap<NatsConnection, string>()

/**
 * Returns the connection options of a URL.
 * @param url `nats://[user:password@]host:port`, or several of one user separated by commas
 */
export function serverOf(url: string): Server {
  const [, scheme = '', credentials, hosts = ''] = /^([a-z]+:\/\/)?(?:([^@/]*)@)?(.*)$/.exec(url) ?? []
  if (credentials === undefined) return { servers: url.split(',') }
  const [user = '', pass = ''] = credentials.split(':').map(decodeURIComponent)
  const servers = hosts.split(',').map(host => scheme + host.replace(/^([a-z]+:\/\/)?([^@]*@)?/, ''))
  return { servers, user, pass, inboxPrefix: `_INBOX.${user}` }
}

/** Records the inbox prefix of this connection. */
export function recordInboxPrefix(nc: NatsConnection, { inboxPrefix }: Server): void {
  if (inboxPrefix !== undefined) prefixes.set(nc, inboxPrefix)
}

/** Returns a subject for responses that this connection may subscribe to. */
export const newInbox = (nc: NatsConnection): string => createInbox(prefixes.get(nc))
