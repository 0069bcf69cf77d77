/**
 * Determines whether a request may be signed: only in the name of the installation. A client's own user agent, proxy or
 * signature names another sender.
 */
import { ownWish } from './identity.ts'

/** Fields of a client that name another sender. */
const naming = ['user-agent', 'signature', 'signature-input', 'signature-agent']

/** The parts of a request that may name its sender. */
type Sender = { userAgent?: string | undefined; proxy?: unknown; proxyPool?: unknown }

/**
 * Returns whether a request may be signed.
 * @param own the client's headers, with names in lower case
 */
export const isSignable = (
  { userAgent, proxy, proxyPool }: Sender,
  own: Readonly<Record<string, string>>,
): boolean =>
  ownWish(userAgent) === undefined &&
  proxy === undefined &&
  proxyPool === undefined &&
  naming.every(name => own[name] === undefined)
