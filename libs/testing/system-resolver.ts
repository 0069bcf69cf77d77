/**
 * Resolves by the operating system, with hosts file and search list. Each lookup blocks a thread of libuv, so
 * production code does not use it.
 */
import dns from 'node:dns/promises'
import type { Resolver } from '@tidemark/http/resolve'

export const systemResolver: Resolver = async host => {
  const found = await dns.lookup(host, { all: true, order: 'verbatim' })
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}
